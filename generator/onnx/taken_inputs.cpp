#include "generator/onnx/taken_inputs.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace benanza::onnx {
namespace {

/// Operators whose first output has values of their first input, and no others.
constexpr std::string_view keep_values[]{"Cast",     "Expand",    "Flatten",  "Gather",
                                         "Identity", "Reshape",   "Slice",    "Squeeze",
                                         "TopK",     "Transpose", "Unsqueeze"};

/// The model's input whose values `value` has; null if it is computed.
const Value* origin(const Program& program, const Value* value) {
  while (value != nullptr && !value->constant && value->producer) {
    const Step& step = program.steps[*value->producer];
    if (std::ranges::find(keep_values, step.node.full_type()) == std::end(keep_values) ||
        step.inputs.empty() || step.outputs.front() != value) {
      return nullptr;
    }
    value = step.inputs.front();
  }
  return value != nullptr && value->given && !value->constant ? value : nullptr;
}

}  // namespace

void note_taken_inputs(const Program& program, LoweredGraph& graph) {
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    for (const TakenInput& taken : graph.layers[layer].taken) {
      const Value* const input = origin(program, program.steps[layer].inputs[taken.input]);
      if (input == nullptr) continue;
      const auto [found, is_new] = graph.taken.try_emplace(input->name, taken.value);
      if (!is_new) found->second = std::max(found->second, taken.value);
    }
  }
  if (graph.taken.empty()) return;
  std::string flags;
  for (const auto& [name, value] : graph.taken) {
    flags += " --input " + name + '=' + std::to_string(value);
  }
  graph.warnings.push_back(program.where + ": takes lengths to be the longest: as with" + flags);
}

}  // namespace benanza::onnx
