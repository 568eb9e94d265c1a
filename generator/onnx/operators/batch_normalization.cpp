#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

bool trains(const NodeView& node) {
  if (node.opset() >= 14) return node.flag("training_mode");
  if (node.opset() < 7) return !node.flag("is_test");
  for (std::size_t index = 1; index < node.output_count(); ++index) {
    if (node.has_output(index)) return true;  // only training outputs statistics
  }
  return false;
}

Lowered lower_batch_normalization(const NodeView& node) {
  if (node.opset() < 9 && !node.flag("spatial", true)) {
    throw NotExpressible("statistics per activation (spatial = 0)");
  }
  const Dims& input = node.shape(0);
  if (input.size() < 2) throw NotExpressible("an input without channels");
  for (std::size_t index = 1; index < 5; ++index) {
    if (node.shape(index) != Dims{input[1]}) {
      throw Error("input \"" + node.input(index).name + "\" of " + join(node.shape(index), 'x') +
                  " for " + std::to_string(input[1]) + " channels");
    }
  }
  if (trains(node)) {
    return measured({call(BatchNormalizationTraining{input, node.real("epsilon", 1e-5F)},
                          {from_input(0), from_input(1), from_input(2)})});
  }
  return measured(
      {call(BatchNormalization{.input = input, .epsilon = node.real("epsilon", 1e-5F)},
            {from_input(0), from_input(1), from_input(2), from_input(3), from_input(4)})});
}

}  // namespace

void register_batch_normalization(OperatorTable& table) {
  table.add("BatchNormalization", {.shapes = {like_first_until_5},
                                   .lower = lower_batch_normalization,
                                   .idle_attributes = {"momentum"}});
}

}  // namespace benanza::onnx
