#include "generator/onnx/equal_steps.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/text.h"
#include "generator/onnx/control_flow/made_step.h"
#include "generator/onnx/stored.h"

namespace benanza::onnx {
namespace {

/// Tells values apart; equal for those that hold the same.
class EqualValues {
 public:
  std::string operator()(const Value* value) const {
    if (value == nullptr) return "-";
    if (const auto found = first_.find(value); found != first_.end()) value = found->second;
    if (const auto numbers = numbers_of(*value)) return *numbers;
    return '%' + value->id;
  }
  void alias(const Value* value, const Value* other) {
    const auto found = first_.find(other);
    first_[value] = found == first_.end() ? other : found->second;
  }

 private:
  static std::optional<std::string> numbers_of(const Value& value) {
    constexpr std::int64_t few = 16;
    if (!value.constant || !value.literal || value.assumption || !value.shape ||
        element_count(*value.shape) > few) {
      return std::nullopt;
    }
    const auto tensor = write_literal(*value.literal, value.type, *value.shape);
    return tensor ? std::optional('#' + tensor->SerializeAsString()) : std::nullopt;
  }

  std::unordered_map<const Value*, const Value*> first_;
};

bool may_be_equal(const Step& step, const OperatorTable& operators) {
  const Operator* const known = operators.find(step.node.full_type());
  if (known == nullptr || known->random || !step.misfit.empty() || step.node.has_subgraph()) {
    return false;
  }
  if (step.outputs.empty() || step.outputs[0] == nullptr || step.outputs[0]->constant ||
      !step.outputs[0]->shape || step.outputs[0]->sequence) {
    return false;
  }
  return std::ranges::count(step.outputs, nullptr) == std::ssize(step.outputs) - 1;
}

std::string key_of(const Step& step, const EqualValues& values) {
  std::vector<std::string> attributes;
  for (const auto& attribute : step.node.proto().attribute()) {
    attributes.push_back(attribute.SerializeAsString());
  }
  std::ranges::sort(attributes);
  std::string key = step.node.full_type() + ' ' + std::to_string(step.node.opset());
  const auto add = [&](const std::string& part) {
    key += ' ' + std::to_string(part.size()) + ':' + part;
  };
  for (const std::string& attribute : attributes) add(attribute);
  key += '|';
  for (const Value* input : step.inputs) add(values(input));
  return key;
}

void make_identity(Program& program, Step& step, const Step& first) {
  auto proto = node_of("Identity");
  proto->add_input(first.node.proto().output(0));
  proto->add_output(step.node.proto().output(0));
  step.same_as = first.node.name();
  step.same_op = step.node.full_type();
  step.node = Node(*proto, step.node.name(), program.opset);
  program.made.push_back(std::move(proto));
  step.inputs = {first.outputs[0]};
  mark_consumed(step);
}

}  // namespace

void share_equal_steps(Program& program, const OperatorTable& operators) {
  EqualValues values;
  std::unordered_map<std::string, std::size_t> seen;
  for (std::size_t index = 0; index < program.steps.size(); ++index) {
    Step& step = program.steps[index];
    if (step.node.full_type() == "Identity" && step.inputs.size() == 1 &&
        step.outputs.size() == 1 && step.outputs[0] != nullptr) {
      values.alias(step.outputs[0], step.inputs[0]);
      continue;
    }
    if (!may_be_equal(step, operators)) continue;
    const auto [found, is_new] = seen.try_emplace(key_of(step, values), index);
    if (is_new) continue;
    const Step& first = program.steps[found->second];
    values.alias(step.outputs[0], first.outputs[0]);
    if (!is_view(step.node)) make_identity(program, step, first);
  }
}

}  // namespace benanza::onnx
