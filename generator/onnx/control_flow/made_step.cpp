#include "generator/onnx/control_flow/made_step.h"

#include <onnx/onnx_pb.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "generator/onnx/control_flow/bodies.h"

namespace benanza::onnx {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;

std::unique_ptr<NodeProto> node_of(const std::string& op) {
  auto proto = std::make_unique<NodeProto>();
  proto->set_op_type(op);
  return proto;
}

void set_integers(NodeProto& node, const std::string& name, std::int64_t value) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::INTS);
  attribute.add_ints(value);
}

Step made_step(Program& program, const std::string& name, std::unique_ptr<NodeProto> proto,
               const std::vector<NamedValue>& from, const NamedValue& to) {
  for (const NamedValue& input : from) proto->add_input(input.name);
  proto->add_output(to.name);
  const int opset = proto->op_type() == "Slice" ? 9 : 11;
  program.made.push_back(std::move(proto));
  Step step{Node(*program.made.back(), name, opset)};
  for (const NamedValue& input : from) step.inputs.push_back(input.value);
  step.outputs = {to.value};
  mark_consumed(step);
  return step;
}

void add_element(Program& program, std::vector<Step>& steps, const std::string& owner,
                 const NamedValue& from, const NamedValue& to, std::int64_t axis,
                 std::int64_t place, Value* cut) {
  NamedValue element = from;
  if (cut != nullptr) {
    element = {to.name + "_part", cut};
    auto slice = node_of("Slice");
    set_integers(*slice, "axes", axis);
    set_integers(*slice, "starts", place);
    set_integers(*slice, "ends", place + 1);
    steps.push_back(
        made_step(program, owner + "/Slice_" + to.name, std::move(slice), {from}, element));
  }
  auto squeeze = node_of("Squeeze");
  set_integers(*squeeze, "axes", axis);
  steps.push_back(
      made_step(program, owner + "/Squeeze_" + to.name, std::move(squeeze), {element}, to));
}

Step joined_step(Program& program, const std::string& name, const std::vector<NamedValue>& parts,
                 const NamedValue& to, std::int64_t axis) {
  auto concat = node_of("Concat");
  AttributeProto& attribute = *concat->add_attribute();
  attribute.set_name("axis");
  attribute.set_type(AttributeProto::INT);
  attribute.set_i(axis);
  return made_step(program, name + "/Concat_" + to.name, std::move(concat), parts, to);
}

Value* known_number(Program& program, const Step& owner, const std::string& name, int type,
                    std::int64_t number) {
  Value* const value = new_value(program, owner, name);
  value->value_type = make_type(type, Dims{});
  static_cast<Tensor&>(*value) = make_tensor(name, value->value_type);
  value->constant = value->given = true;
  value->literal = Dims{number};
  return value;
}

Step named_run(const Step& step, std::int64_t number, std::int64_t count) {
  Step run = step;
  if (count > 1) {
    const std::string name = step.node.name() + '/' + std::to_string(number);
    run.node = Node(step.node.proto(), name, step.node.opset());
  }
  return run;
}

bool may_add(Program& program, std::int64_t count, std::int64_t each) {
  constexpr std::int64_t most_steps = std::int64_t{1} << 14;
  if (count > (most_steps - program.unrolled) / each) return false;
  program.unrolled += count * each;
  return true;
}

}  // namespace benanza::onnx
