#include "generator/onnx/parameters.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "generator/onnx/byte_conversions.h"
#include "generator/onnx/control_flow/hidden_weights.h"
#include "generator/onnx/stored.h"

namespace benanza::onnx {
namespace {

/// The inputs of a step that hold all that its result does, where its layer only moves or converts
/// elements or is part of other calls.
std::vector<Value*> moved_inputs(const Step& step, const LoweredLayer& layer) {
  if (step.inputs.empty() || layer.constant) return {};
  const bool is_free = layer.cost == Cost::free;
  if (is_free && is_dequantization(step)) return {step.inputs.front()};
  const bool is_standard = step.node.domain().empty();
  if ((is_free || layer.cost == Cost::movement) && is_standard) {
    if (step.node.op_type() == "Concat") return step.inputs;
    constexpr std::string_view moving[] = {"Cast", "Expand",    "Reshape",  "Squeeze",
                                           "Tile", "Transpose", "Unsqueeze"};
    if (std::ranges::find(moving, step.node.op_type()) != std::end(moving)) {
      return {step.inputs.front()};
    }
  }
  if (!is_free || step.outputs.empty() || step.outputs.front() == nullptr) return {};
  // Such as a product with 1: what is no constant is the result.
  const Value& result = *step.outputs.front();
  const auto is_result = [&](const Value* input) {
    return input != nullptr && !input->constant && input->shape && result.shape &&
           element_count(*input->shape) == element_count(*result.shape);
  };
  const auto found = std::ranges::find_if(step.inputs, is_result);
  return found == step.inputs.end() ? std::vector<Value*>{} : std::vector<Value*>{*found};
}

/// How many elements of its first input a step writes over that otherwise moves them, as caches of
/// fixed size are updated; 0 for others.
std::int64_t overwritten(const Step& step, const LoweredLayer& layer) {
  constexpr std::pair<std::string_view, std::size_t> known[] = {
      {"ScatterElements", 2}, {"ScatterND", 2}, {"TensorScatter", 1}};
  if (layer.cost != Cost::movement || !step.node.domain().empty()) return 0;
  const auto* const found = std::ranges::find(
      known, step.node.op_type(), [](const auto& operation) { return operation.first; });
  if (found == std::end(known) || found->second >= step.inputs.size()) return 0;
  const Value* const updates = step.inputs[found->second];
  return updates != nullptr && updates->shape ? element_count(*updates->shape) : 0;
}

bool is_weight(const Tensor& tensor) {
  const bool weight_type =
      is_floating(tensor.type) || (type_bits(tensor.type) > 0 && type_bits(tensor.type) <= 8);
  // A tensor filled to an assumed shape is not a weight of the model.
  return tensor.constant && !tensor.assumption && tensor.shape && weight_type &&
         tensor.type != ::onnx::TensorProto::BOOL;
}

/// An operator whose weights are stored in blocks, with scales and zero points beside them.
struct BlockOperator {
  std::string_view op;
  /// The attribute that says how many bits a value has, and without it how many.
  std::string_view bits;
  std::int64_t usual_bits;
  /// The inputs that are scales or zero points; 0: no more.
  std::array<std::size_t, 6> scales;
};
constexpr BlockOperator block_operators[] = {
    {"MatMulNBits", "bits", 4, {2, 3}},
    {"MatMulNBitsMlp", "bits", 4, {4, 7}},
    {"MatMulNBitsQkv", "bits", 4, {4, 7, 10}},
    {"GatherBlockQuantized", "bits", 4, {2, 3}},
    {"QMoE", "expert_weight_bits", 4, {3, 6, 9, 11, 12, 13}}};

const BlockOperator* block_operator(const Node& node) {
  for (const BlockOperator& one : block_operators) {
    if (node.op_type() == one.op) return &one;
  }
  return nullptr;
}

bool is_byte(const Tensor& tensor) {
  return tensor.type == ::onnx::TensorProto::UINT8 || tensor.type == ::onnx::TensorProto::INT8;
}

/// Whether input `index` is a scale or a zero point of another.
bool is_scale_or_zero_point(const Step& step, std::size_t index) {
  const std::string& op = step.node.op_type();
  if (op == "QuantizeLinear" || op == "DequantizeLinear") return index > 0;
  if (const BlockOperator* const packed = block_operator(step.node)) {
    return index != 0 && std::ranges::find(packed->scales, index) != packed->scales.end();
  }
  if (op == "QLinearConv" || op == "QLinearMatMul") {
    return index == 1 || index == 2 || (index > 3 && index < 8);
  }
  return false;
}

/// How many values an element of a packed tensor holds.
std::int64_t values_per_element(const Step& step, const Tensor& tensor) {
  const BlockOperator* const packed = block_operator(step.node);
  if (packed == nullptr || !is_byte(tensor)) return 1;
  const std::int64_t bits = step.node.integer(packed->bits, packed->usual_bits);
  return bits > 0 && bits < 8 ? 8 / bits : 1;
}

/// What holds most of the weight in the file, in whatever type.
const Value* kept(const Program& program, const Value* weight) {
  const auto size = [](const Value* value) {
    return element_count(*value->shape) * type_bits(value->type);
  };
  const std::set<const Value*> sources = narrower_sources(program, *weight);
  return sources.empty() ? weight : *std::ranges::max_element(sources, {}, size);
}

void add_stored(Parameters& parameters, const Tensor& tensor) {
  const std::int64_t elements = element_count(*tensor.shape);
  if (is_floating(tensor.type)) {
    parameters.stored.elements += elements;
  } else {
    parameters.stored.bytes += (elements * type_bits(tensor.type) + 7) / 8;
  }
}

}  // namespace

GivenBehind given_behind(const Program& program, const std::vector<LoweredLayer>& layers,
                         const Value& value, std::int64_t unread) {
  GivenBehind found;
  std::map<const Value*, std::int64_t> seen{{&value, unread}};
  std::vector<const Value*> open{&value};
  while (!open.empty()) {
    const Value& next = *open.back();
    open.pop_back();
    if (next.constant || !next.shape) continue;
    std::int64_t lost = seen.at(&next);
    if (next.given) found.lost.emplace(&next, lost);
    if (!next.producer) continue;
    const Step& step = program.steps[*next.producer];
    const LoweredLayer& layer = layers[*next.producer];
    std::vector<Value*> inputs = moved_inputs(step, layer);
    if (const std::int64_t more = overwritten(step, layer); more > 0) {
      lost += more;
      inputs = {step.inputs.front()};
    }
    if (inputs.empty() && lost == 0 && layer.cost == Cost::movement) found.picked.push_back(&next);
    for (const Value* input : inputs) {
      if (input != nullptr && seen.emplace(input, lost).second) open.push_back(input);
    }
  }
  return found;
}

Parameters count_parameters(const Program& program) {
  Parameters parameters;
  std::map<const Value*, std::int64_t> weights;
  for (const Step& step : program.steps) {
    if (all_outputs_constant(step)) continue;
    const HiddenWeights hidden = hidden_weights(step);
    for (const Value* outer : hidden.outer) {
      for (const Value* tensor : stored_tensors(program, *outer)) {
        if (is_weight(*tensor)) weights.emplace(tensor, 1);
      }
    }
    for (const Tensor& own : hidden.own) {
      if (!is_weight(own)) continue;
      parameters.count += element_count(*own.shape);
      add_stored(parameters, own);
    }
    for (std::size_t index = 0; index < step.inputs.size(); ++index) {
      const Value* const input = step.inputs[index];
      if (input == nullptr || !input->constant || is_scale_or_zero_point(step, index)) continue;
      for (const Value* stored : stored_tensors(program, *input)) {
        if (is_weight(*stored)) weights.emplace(stored, values_per_element(step, *stored));
      }
    }
  }
  std::set<const Value*> stored;
  for (const auto& [weight, values] : weights) {
    parameters.count += element_count(*weight->shape) * values;
    stored.insert(kept(program, weight));
  }
  for (const Value* tensor : stored) add_stored(parameters, *tensor);
  return parameters;
}

}  // namespace benanza::onnx
