#include "generator/onnx/control_flow/choices.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace benanza::onnx {
namespace {

/// Operators whose result depends on the extents of their inputs alone.
constexpr std::string_view of_extents[] = {"Shape", "Size"};

/// The inputs of the model that `value` is computed from, in the order in which they are met.
std::vector<const Value*> inputs_of(const Program& program, const Value& value) {
  std::vector<const Value*> found;
  std::vector<const Value*> open{&value};
  std::set<const Value*> seen{&value};
  while (!open.empty()) {
    const Value& next = *open.back();
    open.pop_back();
    if (next.constant) continue;
    if (!next.producer) {
      found.push_back(&next);
      continue;
    }
    const Step& step = program.steps[*next.producer];
    if (std::ranges::find(of_extents, step.node.op_type()) != std::end(of_extents)) continue;
    for (const auto* values : {&step.inputs, &step.captured}) {
      for (const Value* read : *values) {
        if (read != nullptr && seen.insert(read).second) open.push_back(read);
      }
    }
  }
  return found;
}

/// Whether somebody would state its values on a command line.
bool is_statable(const Value& input) {
  constexpr std::int64_t most_elements = 16;
  return input.given && input.shape && element_count(*input.shape) <= most_elements;
}

std::string flag(const Value& input, std::string_view value) {
  return "--input " + input.name + '=' + std::string(value);
}

}  // namespace

std::string advice_of_choice(const Program& program, const Step& step) {
  const std::string op = step.node.full_type();
  if ((op != "If" && op != "Loop") || step.inputs.empty() || step.inputs[0] == nullptr) return "";
  const std::vector<const Value*> inputs = inputs_of(program, *step.inputs[0]);
  if (inputs.empty() ||
      !std::ranges::all_of(inputs, [](const Value* input) { return is_statable(*input); })) {
    return "";
  }
  if (inputs.size() == 1 && inputs[0]->type == ::onnx::TensorProto::BOOL) {
    return "give " + flag(*inputs[0], "true") + " or " + flag(*inputs[0], "false");
  }
  std::string advice = "give";
  for (const Value* input : inputs) advice += ' ' + flag(*input, "VALUE");
  return advice;
}

}  // namespace benanza::onnx
