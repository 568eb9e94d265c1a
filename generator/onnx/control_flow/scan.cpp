#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "generator/onnx/control_flow/bodies.h"

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

}  // namespace

/// The extent of the sequences' axes, if it is one.
std::optional<std::int64_t> rounds_of_scan(const Step& step) {
  const std::int64_t stated = step.node.integer("num_scan_inputs", 0);
  const std::int64_t inputs = std::ssize(step.inputs);
  if (stated < 1 || stated > inputs) return std::nullopt;
  const Dims axes =
      step.node.integers("scan_input_axes").value_or(Dims(static_cast<std::size_t>(stated), 0));
  if (std::ssize(axes) != stated) throw Error("scan_input_axes are not one per sequence");
  std::optional<std::int64_t> rounds;
  for (std::int64_t index = 0; index < stated; ++index) {
    const Value* const value = step.inputs[static_cast<std::size_t>(inputs - stated + index)];
    if (value == nullptr || !value->shape || value->shape->empty()) return std::nullopt;
    const Dims& dims = *value->shape;
    const std::int64_t axis = NodeView::axis(axes[static_cast<std::size_t>(index)], dims.size());
    const std::int64_t extent = dims[static_cast<std::size_t>(axis)];
    if (rounds.value_or(extent) != extent) return std::nullopt;
    rounds = extent;
  }
  return rounds;
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
