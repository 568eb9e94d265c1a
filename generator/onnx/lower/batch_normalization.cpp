#include "core/base/error.h"
#include "generator/onnx/lowering.h"

namespace benanza::onnx::lower {
namespace {

bool trains(const Site& site) {
  const Node& node = site.node();
  if (node.opset() >= 14) return node.integer("training_mode", 0) != 0;
  if (node.opset() < 7) return node.integer("is_test", 0) == 0;
  for (std::size_t index = 1; index < site.output_count(); ++index) {
    if (site.has_output(index)) return true;  // only training has statistics to give
  }
  return false;
}

Lowered batch_normalization(const Site& site) {
  if (trains(site)) throw NotExpressible("training mode");
  if (site.node().opset() < 9 && site.node().integer("spatial", 1) == 0) {
    throw NotExpressible("statistics per activation (spatial = 0)");
  }
  const Dims& input = site.shape(0);
  if (input.size() < 2) throw NotExpressible("an input without channels");
  for (std::size_t index = 1; index < 5; ++index) {
    if (site.shape(index) != Dims{input[1]}) {
      throw Error("input \"" + site.input(index).name + "\" of " + join(site.shape(index), 'x') +
                  " for " + std::to_string(input[1]) + " channels");
    }
  }
  return measured(
      {call(BatchNormalization{.input = input, .epsilon = site.node().real("epsilon", 1e-5F)},
            {from_input(0), from_input(1), from_input(2), from_input(3), from_input(4)})});
}

}  // namespace

void register_batch_normalization(LoweringTable& table) {
  table.add("BatchNormalization", batch_normalization);
}

}  // namespace benanza::onnx::lower
