#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "generator/onnx/control_flow/bodies.h"
#include "generator/onnx/operators/shared/views.h"

namespace benanza::onnx {
namespace {

/// States keep their shapes; scan outputs get the length of the sequence as an additional axis.
std::vector<TensorFacts> scan_shape(const NodeView& node) {
  auto facts = body_facts(node, "body");
  const auto sequences = static_cast<std::size_t>(node.integer("num_scan_inputs", 0));
  if (sequences < 1 || sequences > node.input_count()) throw Error("num_scan_inputs is impossible");
  const std::size_t states = node.input_count() - sequences;
  const Dims& sequence = node.shape(states);
  const Dims from = node.integers("scan_input_axes").value_or(Dims(sequences, 0));
  const auto to = node.integers("scan_output_axes");
  if (from.size() != sequences) throw Error("scan_input_axes are not one per sequence");
  const std::int64_t rounds =
      sequence[static_cast<std::size_t>(NodeView::axis(from[0], sequence.size()))];
  for (std::size_t index = 0; index < facts.size(); ++index) {
    std::optional<Dims>& shape = facts[index].shape;
    if (index < states) {
      facts[index] = TensorFacts{node.input(index).type, node.input(index).shape};
    } else if (shape) {
      const std::int64_t stated = to ? to->at(index - states) : 0;
      shape->insert(shape->begin() + NodeView::axis(stated, shape->size() + 1), rounds);
    }
  }
  return facts;
}

/// A value, and what nodes call it.
struct NamedValue {
  std::string name;
  Value* value = nullptr;
};

/// Adds an axis of extent 1, or takes it away: the Unsqueeze or Squeeze of opset 11.
Step axis_step(Program& program, const Step& scan, const std::string& op, const NamedValue& from,
               const NamedValue& to, std::int64_t axis) {
  auto proto = std::make_unique<::onnx::NodeProto>();
  proto->set_op_type(op);
  proto->add_input(from.name);
  proto->add_output(to.name);
  auto& axes = *proto->add_attribute();
  axes.set_name("axes");
  axes.set_type(::onnx::AttributeProto::INTS);
  axes.add_ints(axis);
  program.made.push_back(std::move(proto));
  constexpr int opset = 11;
  Step step{Node(*program.made.back(), scan.node.name() + '/' + op + '_' + to.name, opset)};
  step.inputs = {from.value};
  step.outputs = {to.value};
  mark_consumed(step);
  return step;
}

/// Places of the axes of a Scan's sequences or results; all first if the node does not say.
Dims scan_axes(const Step& scan, std::string_view name, std::size_t count) {
  Dims axes = scan.node.integers(name).value_or(Dims(count, 0));
  if (axes.size() != count) throw Error(std::string(name) + " are not one per sequence");
  return axes;
}

/// Whether all sequences, inputs from `states` on, have one element.
bool is_single(const Step& scan, std::size_t states, const Dims& axes) {
  for (std::size_t index = states; index < scan.inputs.size(); ++index) {
    const Value* const value = scan.inputs[index];
    if (value == nullptr || !value->shape) return false;
    const Dims& dims = *value->shape;
    if (dims.empty() || dims[at(NodeView::axis(axes[index - states], dims.size()))] != 1) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<Step> single_scan_steps(Program& program, const Step& scan) {
  if (scan.node.full_type() != "Scan" || scan.node.opset() < 9) return {};
  const std::int64_t stated = scan.node.integer("num_scan_inputs", 0);
  const ::onnx::AttributeProto* const body = scan.node.find("body");
  if (body == nullptr || !body->has_g()) return {};
  if (stated < 1 || at(stated) > scan.inputs.size()) return {};
  const std::size_t states = scan.inputs.size() - at(stated);
  const Dims from = scan_axes(scan, "scan_input_axes", at(stated));
  if (!is_single(scan, states, from)) return {};
  const ::onnx::GraphProto& graph = body->g();
  if (graph.input_size() < static_cast<int>(scan.inputs.size()) ||
      graph.output_size() < static_cast<int>(scan.outputs.size()) || scan.outputs.size() < states) {
    throw Error("its body has " + std::to_string(graph.input_size()) + " inputs and " +
                std::to_string(graph.output_size()) + " outputs");
  }
  const Dims to = scan_axes(scan, "scan_output_axes", scan.outputs.size() - states);
  std::vector<Step> steps;
  std::vector<Value*> arguments(scan.inputs.begin(), scan.inputs.begin() + std::ptrdiff_t(states));
  for (std::size_t index = states; index < scan.inputs.size(); ++index) {
    const int place = static_cast<int>(index);
    const std::string& name = graph.input(place).name();
    Value* const element = new_value(program, scan, name);
    steps.push_back(axis_step(program, scan, "Squeeze",
                              {scan.node.proto().input(place), scan.inputs[index]}, {name, element},
                              from[index - states]));
    arguments.push_back(element);
  }
  std::vector<Value*> outputs = scan.outputs;
  std::vector<Step> last;
  for (std::size_t index = states; index < outputs.size(); ++index) {
    if (outputs[index] == nullptr) continue;
    const int place = static_cast<int>(index);
    const std::string& name = graph.output(place).name();
    Value* const element = new_value(program, scan, name);
    last.push_back(axis_step(program, scan, "Unsqueeze", {name, element},
                             {scan.node.proto().output(place), outputs[index]},
                             to[index - states]));
    outputs[index] = element;
  }
  for (Step& step : body_steps(program, scan, graph, arguments, outputs)) {
    steps.push_back(std::move(step));
  }
  for (Step& step : last) steps.push_back(std::move(step));
  return steps;
}

/// The states, and one element of every sequence.
Arguments scan_arguments(const Step& step) {
  const auto sequences = static_cast<std::size_t>(step.node.integer("num_scan_inputs", 0));
  const Dims axes = step.node.integers("scan_input_axes").value_or(Dims(sequences, 0));
  Arguments arguments;
  for (std::size_t index = 0; index < step.inputs.size(); ++index) {
    ::onnx::TypeProto type = type_of(step.inputs[index]);
    if (const std::size_t states = step.inputs.size() - sequences; index >= states) {
      std::optional<Dims> shape = shape_of(type);
      if (shape)
        shape->erase(shape->begin() + NodeView::axis(axes.at(index - states), shape->size()));
      type = make_type(type.tensor_type().elem_type(), shape);
    }
    arguments.push_back(std::move(type));
  }
  return arguments;
}

void register_scan(OperatorTable& table) { table.add("Scan", {.shapes = {{scan_shape, 9}}}); }

}  // namespace benanza::onnx
