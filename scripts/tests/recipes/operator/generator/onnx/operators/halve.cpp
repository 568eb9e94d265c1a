#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// x / 2, an operator of a custom domain.
Lowered lower_halve(const NodeView& node) {
  return measured(
      {call(Activation{.input = node.extents(0), .kind = ActivationKind::linear, .alpha = 0.5F},
            {from_input(0)})});
}

}  // namespace

void register_halve(OperatorTable& table) {
  table.add("com.example.Halve", {.shapes = {{like_first}}, .lower = lower_halve});
}

}  // namespace benanza::onnx
