#include "models/language/graph.h"

#include <algorithm>

#include "core/base/error.h"

namespace benanza::language {
namespace {

void set_type(::onnx::ValueInfoProto& value, const Tensor& x, int type) {
  value.set_name(x.name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (const std::int64_t extent : x.dims) tensor.mutable_shape()->add_dim()->set_dim_value(extent);
}

using ::onnx::TensorProto;

/// Sums over k whose terms are about 1 / k: activations stay finite at any depth.
float weight_value(std::int64_t k) { return 1.0F / static_cast<float>(k); }

Dims with_last(Dims dims, std::int64_t extent) {
  dims.back() = extent;
  return dims;
}

/// x converted to `type` and back, with one scale.
Tensor converted(Graph& graph, const std::string& name, const Tensor& x, int type) {
  const Tensor scale = graph.constant("activation.scale", TensorProto::FLOAT, {1}, 1.0F / 64);
  const Tensor zero = graph.constant("activation.zero", type, {1}, 0);
  const Tensor stored = graph.add("QuantizeLinear", name + ".quantize", {x, scale, zero}, x.dims);
  return graph.add("DequantizeLinear", name + ".dequantize", {stored, scale, zero}, x.dims);
}

/// Both operands converted, as one call of a library takes them.
Tensor narrow_product(Graph& graph, const Tensor& x, const Product& product, int type) {
  const std::int64_t k = x.dims.back();
  const std::int64_t n = product.columns;
  const bool columns = type == TensorProto::INT8;
  const Tensor packed = graph.packed(product.name + ".weight", type, {k, n}, 8, k * n);
  const Tensor scales = graph.scales(product.name + ".scale", {columns ? n : 1});
  const Tensor weights =
      graph.add("DequantizeLinear", product.name + ".weights", {packed, scales}, {k, n});
  if (columns) zoo::set(graph.last(), "axis", std::int64_t{1});
  const Tensor a = converted(graph, product.name + ".x", x, type);
  return graph.add("MatMul", product.name, {a, weights}, with_last(x.dims, n));
}

Tensor block_product(Graph& graph, const Tensor& x, const Product& product, std::int64_t bits,
                     std::int64_t block) {
  const std::int64_t k = x.dims.back();
  const std::int64_t n = product.columns;
  const std::int64_t blocks = (k + block - 1) / block;
  const Tensor packed = graph.packed(product.name + ".weight", TensorProto::UINT8,
                                     {n, blocks, block * bits / 8}, static_cast<int>(bits), k * n);
  const Tensor scales = graph.scales(product.name + ".scale", {n, blocks});
  const Tensor y =
      graph.add("MatMulNBits", product.name, {x, packed, scales}, with_last(x.dims, n));
  ::onnx::NodeProto& node = graph.last();
  node.set_domain("com.microsoft");
  zoo::set(node, "K", k);
  zoo::set(node, "N", n);
  zoo::set(node, "bits", bits);
  zoo::set(node, "block_size", block);
  return y;
}

/// The data are converted, too: the libraries' products in blocks take nothing else.
Tensor fp8_block_product(Graph& graph, const Tensor& x, const Product& product) {
  constexpr std::int64_t block = 128;
  const std::int64_t k = x.dims.back();
  const std::int64_t n = product.columns;
  const Tensor packed = graph.packed(product.name + ".weight", float8_e4m3fn, {n, k}, 8, k * n);
  const Tensor scales = graph.scales(product.name + ".scale", {n, (k + block - 1) / block});
  const Tensor a = converted(graph, product.name + ".x", x, float8_e4m3fn);
  const Tensor y = graph.add("MatMulBlockQuantizedFp8Weight", product.name, {a, packed, scales},
                             with_last(x.dims, n));
  graph.last().set_domain("com.microsoft");
  zoo::set(graph.last(), "block_size", block);
  return y;
}

}  // namespace

Graph::Graph(const std::string& name) {
  model_.set_ir_version(ir_version);
  model_.set_producer_name("benanza-zoo");
  model_.mutable_graph()->set_name(name);
  auto& standard = *model_.add_opset_import();
  standard.set_domain("");
  standard.set_version(opset);
  auto& microsoft = *model_.add_opset_import();
  microsoft.set_domain("com.microsoft");
  microsoft.set_version(1);
}

Tensor Graph::input(const std::string& name, int type, const Dims& dims) {
  Tensor x{name, dims};
  set_type(*model_.mutable_graph()->add_input(), x, type);
  return x;
}

void Graph::output(const Tensor& x, int type) {
  set_type(*model_.mutable_graph()->add_output(), x, type);
}

std::vector<Tensor> Graph::add(const std::string& op_type, const std::string& name,
                               const std::vector<Tensor>& inputs,
                               const std::vector<Dims>& outputs) {
  auto& node = *model_.mutable_graph()->add_node();
  node.set_op_type(op_type);
  node.set_name(name);
  for (const Tensor& x : inputs) node.add_input(x.name);
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    results.push_back({i == 0 ? name : name + ":" + std::to_string(i), outputs[i]});
    node.add_output(results.back().name);
  }
  return results;
}

Tensor Graph::add(const std::string& op_type, const std::string& name,
                  const std::vector<Tensor>& inputs, const Dims& dims) {
  return add(op_type, name, inputs, std::vector<Dims>{dims}).front();
}

::onnx::NodeProto& Graph::last() {
  auto& nodes = *model_.mutable_graph()->mutable_node();
  return nodes[nodes.size() - 1];
}

Tensor Graph::filled(const std::string& name, int type, const Dims& dims, float value) {
  const Tensor shape = integers(name + ".shape", dims);
  const Tensor x = add("ConstantOfShape", name, {shape}, dims);
  auto& attribute = zoo::add_attribute(last(), "value");
  attribute.set_type(::onnx::AttributeProto::TENSOR);
  auto& tensor = *attribute.mutable_t();
  tensor.add_dims(1);
  tensor.set_data_type(type);
  if (type == ::onnx::TensorProto::FLOAT) {
    tensor.add_float_data(value);
  } else if (type == float8_e4m3fn) {
    tensor.add_int32_data(0x38);  // 1
  } else if (type == ::onnx::TensorProto::INT64) {
    tensor.add_int64_data(static_cast<std::int64_t>(value));
  } else {
    tensor.add_int32_data(static_cast<std::int32_t>(value));
  }
  return x;
}

Tensor Graph::parameter(const std::string& name, const Dims& dims, float value) {
  const std::int64_t numbers = zoo::element_count(dims);
  parameters_ += numbers;
  weight_bytes_ += 2 * numbers;
  return filled(name, ::onnx::TensorProto::FLOAT, dims, value);
}

Tensor Graph::packed(const std::string& name, int type, const Dims& dims, int bits,
                     std::int64_t numbers) {
  parameters_ += numbers;
  weight_bytes_ += numbers * bits / 8;
  return filled(name, type, dims, 1);
}

Tensor Graph::scales(const std::string& name, const Dims& dims) {
  weight_bytes_ += 2 * zoo::element_count(dims);
  return filled(name, ::onnx::TensorProto::FLOAT, dims, 1.0F / 64);
}

Tensor Graph::constant(const std::string& name, int type, const Dims& dims, float value) {
  const std::string full = "constants/" + name;
  if (std::ranges::find(constants_, full) != constants_.end()) return {full, dims};
  constants_.push_back(full);
  return filled(full, type, dims, value);
}

Tensor Graph::integers(const std::string& name, const std::vector<std::int64_t>& values) {
  const Tensor x{name, {static_cast<std::int64_t>(values.size())}};
  if (std::ranges::find(constants_, name) != constants_.end()) return x;
  constants_.push_back(name);
  auto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::INT64);
  tensor.add_dims(x.dims[0]);
  for (const std::int64_t value : values) tensor.add_int64_data(value);
  return x;
}

Tensor Graph::integer(const std::string& name, std::int64_t value, int type) {
  if (std::ranges::find(constants_, name) != constants_.end()) return {name, {}};
  constants_.push_back(name);
  auto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  if (type == ::onnx::TensorProto::INT64) {
    tensor.add_int64_data(value);
  } else {
    tensor.add_int32_data(static_cast<std::int32_t>(value));
  }
  return {name, {}};
}

void Graph::describe(const std::string& key, const std::string& value) {
  auto& entry = *model_.add_metadata_props();
  entry.set_key("benanza." + key);
  entry.set_value(value);
}

Tensor multiply(Graph& graph, const WeightType& weights, const Tensor& x, const Product& product) {
  using Kind = WeightType::Kind;
  const std::int64_t k = x.dims.back();
  Tensor y;
  switch (weights.kind) {
    case Kind::plain:
      y = graph.add(
          "MatMul", product.name,
          {x, graph.parameter(product.name + ".weight", {k, product.columns}, weight_value(k))},
          with_last(x.dims, product.columns));
      break;
    case Kind::fp8:
      y = narrow_product(graph, x, product, float8_e4m3fn);
      break;
    case Kind::int8:
      y = narrow_product(graph, x, product, TensorProto::INT8);
      break;
    case Kind::fp8_block:
      y = fp8_block_product(graph, x, product);
      break;
    case Kind::int8_blocks:
      y = block_product(graph, x, product, 8, weights.block);
      break;
    case Kind::int4_blocks:
      y = block_product(graph, x, product, 4, weights.block);
      break;
  }
  if (!product.bias) return y;
  return elementwise(graph, "Add", product.name + ".add_bias", y,
                     graph.parameter(product.name + ".bias", {product.columns}, 0));
}

Tensor all_reduce(Graph& graph, const std::string& name, const Tensor& x, std::int64_t ranks) {
  if (ranks == 1) return x;
  const Tensor sum = graph.add("AllReduce", name, {x}, x.dims);
  graph.last().set_domain("com.microsoft");
  zoo::set(graph.last(), "group_size", ranks);
  return sum;
}

Tensor rms_norm(Graph& graph, const std::string& name, const Tensor& x, float epsilon,
                bool factors) {
  const std::int64_t length = x.dims.back();
  const Tensor scale =
      factors ? graph.parameter(name + ".weight", {length}, 1)
              : graph.constant("ones." + std::to_string(length), TensorProto::FLOAT, {length}, 1);
  const Tensor y = graph.add("RMSNormalization", name, {x, scale}, x.dims);
  zoo::set(graph.last(), "axis", std::int64_t{-1});
  zoo::set(graph.last(), "epsilon", epsilon);
  return y;
}

Tensor elementwise(Graph& graph, const std::string& op_type, const std::string& name,
                   const Tensor& a, const Tensor& b) {
  return graph.add(op_type, name, {a, b}, a.dims);
}

Tensor unary(Graph& graph, const std::string& op_type, const std::string& name, const Tensor& x) {
  return graph.add(op_type, name, {x}, x.dims);
}

Tensor scaled(Graph& graph, const std::string& name, const Tensor& x, float factor) {
  return elementwise(graph, "Mul", name, x,
                     graph.constant(name + ".factor", TensorProto::FLOAT, {1}, factor));
}

Tensor capped(Graph& graph, const std::string& name, const Tensor& x, float cap) {
  if (cap == 0) return x;
  return scaled(graph, name + ".scale",
                unary(graph, "Tanh", name + ".tanh", scaled(graph, name, x, 1 / cap)), cap);
}

Tensor reshaped(Graph& graph, const std::string& name, const Tensor& x, const Dims& dims) {
  return graph.add("Reshape", name, {x, graph.integers(name + ".shape", dims)}, dims);
}

Tensor transposed(Graph& graph, const std::string& name, const Tensor& x, const Dims& order) {
  Dims dims;
  for (const std::int64_t axis : order) dims.push_back(x.dims.at(static_cast<std::size_t>(axis)));
  const Tensor y = graph.add("Transpose", name, {x}, dims);
  zoo::set(graph.last(), "perm", order);
  return y;
}

std::vector<Tensor> split(Graph& graph, const std::string& name, const Tensor& x,
                          const Dims& parts) {
  std::vector<Dims> dims;
  for (const std::int64_t part : parts) dims.push_back(with_last(x.dims, part));
  const auto results = graph.add("Split", name, {x, graph.integers(name + ".parts", parts)}, dims);
  zoo::set(graph.last(), "axis", std::int64_t{-1});
  return results;
}

Tensor concatenated(Graph& graph, const std::string& name, const Tensor& a, const Tensor& b) {
  const Tensor y =
      graph.add("Concat", name, {a, b}, with_last(a.dims, a.dims.back() + b.dims.back()));
  zoo::set(graph.last(), "axis", std::int64_t{-1});
  return y;
}

std::int64_t share(std::int64_t whole, std::int64_t ranks, const std::string& what) {
  if (whole % ranks != 0) {
    throw Error("--tensor-parallel " + std::to_string(ranks) + ": does not divide " +
                std::to_string(whole) + ' ' + what);
  }
  return whole / ranks;
}

}  // namespace benanza::language
