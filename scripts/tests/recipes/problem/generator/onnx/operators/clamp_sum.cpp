#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// min(max(a + b, low), high), an operator of a custom domain.
Lowered lower_clamp_sum(const NodeView& node) {
  if (node.extents(0) != node.extents(1)) throw NotExpressible("tensors of different extents");
  return measured({call(
      ClampSum{.input = node.extents(0), .low = node.real("low", 0), .high = node.real("high", 1)},
      {from_input(0), from_input(1)})});
}

}  // namespace

void register_clamp_sum(OperatorTable& table) {
  table.add("com.example.ClampSum", {.shapes = {{like_first}}, .lower = lower_clamp_sum});
}

}  // namespace benanza::onnx
