#include "core/base/error.h"
#include "models/language/graph.h"
#include "models/language/layers.h"

namespace benanza::language {
namespace {

using ::onnx::TensorProto;

void set_text(::onnx::NodeProto& node, const char* name, const char* value) {
  auto& attribute = zoo::add_attribute(node, name);
  attribute.set_type(::onnx::AttributeProto::STRING);
  attribute.set_s(value);
}

}  // namespace

Tensor LayerWriter::gated(const std::string& name, const Tensor& x, Gate gate) {
  if (gate == Gate::silu) return unary(graph_, "Swish", name, x);
  const Tensor y = unary(graph_, "Gelu", name, x);
  set_text(graph_.last(), "approximate", "tanh");
  return y;
}

/// Each GPU's part of the sum.
Tensor LayerWriter::inner_feed_forward(const std::string& name, const Tensor& x,
                                       const FeedForward& layer) {
  const std::int64_t inner = share(layer.inner, pass_.tensor_parallel, "feed-forward columns");
  Tensor gate;
  Tensor up;
  if (separate_) {
    gate = multiply(x, name + ".gate_proj", inner, layer.bias);
    up = multiply(x, name + ".up_proj", inner, layer.bias);
  } else {
    const Tensor both = multiply(x, name + ".gate_up_proj", 2 * inner, layer.bias);
    const auto halves = split(graph_, name + ".gate_up", both, {inner, inner});
    gate = halves[0];
    up = halves[1];
  }
  return elementwise(graph_, "Mul", name + ".mul", gated(name + ".act_fn", gate, layer.gate), up);
}

Tensor LayerWriter::feed_forward(const std::string& name, const Tensor& x,
                                 const FeedForward& layer) {
  return multiply_and_reduce(inner_feed_forward(name, x, layer), name + ".down_proj", layer.bias);
}

/// Of each expert a matrix (columns, length), and its scales where it is packed.
std::vector<Tensor> LayerWriter::expert_weights(const std::string& name, std::int64_t experts,
                                                std::int64_t columns, std::int64_t length) {
  using Kind = WeightType::Kind;
  const WeightType& type = pass_.weights;
  const std::int64_t numbers = experts * columns * length;
  switch (type.kind) {
    case Kind::plain:
      return {
          graph_.parameter(name, {experts, columns, length}, 1.0F / static_cast<float>(length))};
    case Kind::fp8:
      return {graph_.packed(name, float8_e4m3fn, {experts, columns, length}, 8, numbers), {}};
    case Kind::fp8_block:
      return {
          graph_.packed(name, float8_e4m3fn, {experts, columns, length}, 8, numbers),
          graph_.scales(name + ".scale", {experts, (columns + 127) / 128, (length + 127) / 128})};
    case Kind::int8:
      return {graph_.packed(name, TensorProto::UINT8, {experts, columns, length}, 8, numbers),
              graph_.scales(name + ".scale", {experts, columns})};
    case Kind::int8_blocks:
    case Kind::int4_blocks:
      break;
  }
  const int bits = type.kind == Kind::int4_blocks ? 4 : 8;
  if (length % type.block != 0) {
    throw Error("--weights " + to_string(type) + ": rows of " + std::to_string(length) +
                " weights of the experts are no blocks of " + std::to_string(type.block));
  }
  return {
      graph_.packed(name, TensorProto::UINT8, {experts, columns, length * bits / 8}, bits, numbers),
      graph_.scales(name + ".scale", {experts, columns, length / type.block})};
}

/// Scales of the experts that have one each, and of the data, which are converted, too.
void LayerWriter::add_fp8_scales(const std::string& name, std::int64_t experts,
                                 std::vector<Tensor>& inputs) {
  constexpr std::size_t first = 15;
  inputs.resize(first + 2);
  if (pass_.weights.kind == WeightType::Kind::fp8) {
    inputs[first] = graph_.scales(name + ".gate_up_proj.scale", {experts});
    inputs[first + 1] = graph_.scales(name + ".down_proj.scale", {experts});
  }
  const Tensor of_data =
      graph_.constant("activation.scale", ::onnx::TensorProto::FLOAT, {1}, 1.0F / 64);
  inputs.insert(inputs.end(), {of_data, of_data});
}

/// Attributes of the node added last.
void LayerWriter::describe_experts(const Experts& experts) {
  using Kind = WeightType::Kind;
  ::onnx::NodeProto& node = graph_.last();
  node.set_domain("com.microsoft");
  zoo::set(node, "k", experts.chosen);
  if (experts.normalized) zoo::set(node, "normalize_routing_weights", std::int64_t{1});
  set_text(node, "activation_type", experts.gate == Gate::silu ? "swiglu" : "geglu");
  zoo::set(node, "swiglu_fusion", std::int64_t{experts.limit > 0 ? 1 : 2});
  if (experts.limit > 0) {
    zoo::set(node, "swiglu_limit", experts.limit);
    zoo::set(node, "activation_alpha", 1.702F);
    zoo::set(node, "activation_beta", 1.0F);
  }
  const Kind kind = pass_.weights.kind;
  if (kind == Kind::plain) return;
  const bool fp8 = pass_.weights.is_fp8();
  set_text(node, "quant_type", fp8 ? "fp8" : "int");
  if (!fp8) zoo::set(node, "expert_weight_bits", std::int64_t{kind == Kind::int4_blocks ? 4 : 8});
  const std::int64_t block = kind == Kind::fp8_block ? 128 : pass_.weights.block;
  if (block > 0) zoo::set(node, "block_size", block);
}

Tensor LayerWriter::experts(const std::string& name, const Tensor& x, const Experts& experts,
                            const Tensor& router_input) {
  const std::int64_t hidden = decoder_.hidden;
  const std::int64_t inner = share(experts.inner, pass_.tensor_parallel, "columns of an expert");
  const auto rows = [&](const std::string& what, const Tensor& y) {
    return reshaped(graph_, what, y, {pass_.rows(), hidden});
  };
  const Tensor router = language::multiply(
      graph_, {}, rows(name + ".router_rows", router_input),
      {.name = name + ".router", .columns = experts.count, .bias = experts.router_bias});
  const bool packed = pass_.weights != WeightType{};
  std::vector<Tensor> inputs{rows(name + ".rows", x), router};
  const auto add_layer = [&](const std::string& which, std::int64_t columns, std::int64_t length) {
    const std::string full = name + ".experts." + which;
    for (const Tensor& w : expert_weights(full, experts.count, columns, length))
      inputs.push_back(w);
    inputs.push_back(experts.bias ? graph_.parameter(full + "_bias", {experts.count, columns}, 0)
                                  : Tensor{});
  };
  add_layer("gate_up_proj", 2 * inner, hidden);
  add_layer("down_proj", hidden, inner);
  if (pass_.weights.is_fp8()) add_fp8_scales(name + ".experts", experts.count, inputs);
  while (inputs.back().name.empty()) inputs.pop_back();
  Tensor y = graph_.add(packed ? "QMoE" : "MoE", name + ".experts", inputs, inputs[0].dims);
  describe_experts(experts);
  y = reshaped(graph_, name + ".out", y, x.dims);
  if (experts.shared) {
    const std::string shared = name + ".shared_expert";
    Tensor z =
        multiply(inner_feed_forward(shared, x, *experts.shared), shared + ".down_proj", hidden);
    if (experts.shared_gate) {
      const Tensor factor = unary(
          graph_, "Sigmoid", name + ".shared_expert_gate.sigmoid",
          language::multiply(graph_, {}, x, {.name = name + ".shared_expert_gate", .columns = 1}));
      z = elementwise(graph_, "Mul", shared + ".gated", z, factor);
    }
    y = elementwise(graph_, "Add", name + ".sum", y, z);
  }
  return all_reduce(graph_, name + ".all_reduce", y, pass_.tensor_parallel);
}

}  // namespace benanza::language
