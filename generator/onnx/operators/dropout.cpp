#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// The fraction of elements that training drops; empty if known only when the model runs.
std::optional<float> ratio(const NodeView& node) {
  if (node.opset() < 12) return node.real("ratio", 0.5F);
  if (node.has_input(1) && !node.input(1).literal) return std::nullopt;
  return static_cast<float>(node.scalar(1, 0.5));
}

/// Inference keeps every element. The dropout of training can be measured, but is not counted
/// unless the node is in training mode.
Lowered lower_dropout(const NodeView& node) {
  Lowered lowered = free_layer("drops nothing at inference");
  const bool trains =
      node.opset() >= 12 && node.has_input(2) && node.input(2).literal && node.scalar(2, 0) != 0;
  const std::optional<float> dropped = ratio(node);
  if (dropped && *dropped >= 0 && *dropped < 1 && node.input(0).shape &&
      element_count(node.shape(0)) > 0) {
    lowered.calls.push_back(
        call(Dropout{.input = node.extents(0), .ratio = *dropped}, {from_input(0)}));
    if (trains && *dropped > 0) return measured(std::move(lowered.calls));
  } else if (trains) {
    throw NotExpressible("training mode with a ratio that only the running model knows");
  }
  return lowered;
}

/// ONNX Runtime's, which hands out a bit for each element.
Lowered lower_bits_dropped(const NodeView& node) {
  if (node.has_output(1)) throw NotExpressible("hands out what it drops");
  if (node.has_input(2) && (!node.input(2).literal || node.scalar(2, 0) != 0)) {
    throw NotExpressible("drops elements");
  }
  return free_layer("drops nothing at inference");
}

}  // namespace

void register_dropout(OperatorTable& table) {
  table.add("com.microsoft.BitmaskDropout",
            {.shapes = {{like_first}}, .lower = lower_bits_dropped, .idle_attributes = {"seed"}});
  table.add("Dropout",
            {.shapes = {like_first_until_5}, .lower = lower_dropout, .idle_attributes = {"seed"}});
}

}  // namespace benanza::onnx
