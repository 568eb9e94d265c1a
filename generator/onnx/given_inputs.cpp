#include "generator/onnx/given_inputs.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "generator/onnx/byte_conversions.h"

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

}  // namespace

std::map<const Value*, std::int64_t> given_behind(const Program& program,
                                                  const std::vector<LoweredLayer>& layers,
                                                  const Value& value) {
  std::map<const Value*, std::int64_t> found;
  std::map<const Value*, std::int64_t> seen{{&value, 0}};
  std::vector<const Value*> open{&value};
  while (!open.empty()) {
    const Value& next = *open.back();
    open.pop_back();
    if (next.constant || !next.shape) continue;
    std::int64_t lost = seen.at(&next);
    if (next.given) found.emplace(&next, lost);
    if (!next.producer) continue;
    const Step& step = program.steps[*next.producer];
    const LoweredLayer& layer = layers[*next.producer];
    std::vector<Value*> inputs = moved_inputs(step, layer);
    if (const std::int64_t more = overwritten(step, layer); more > 0) {
      lost += more;
      inputs = {step.inputs.front()};
    }
    for (const Value* input : inputs) {
      if (input != nullptr && seen.emplace(input, lost).second) open.push_back(input);
    }
  }
  return found;
}

}  // namespace benanza::onnx
