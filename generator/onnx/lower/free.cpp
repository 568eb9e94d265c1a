#include "onnx/lowering.h"

namespace benanza::lower {
namespace {

Lowered identity(const Site&) { return free_layer("the same tensor by another name"); }

Lowered view(const Site&) { return free_layer("the same elements in the same order"); }

Lowered shape(const Site&) { return free_layer("a shape is known before the model runs"); }

Lowered fill(const Site&) { return free_layer("a constant"); }

/// Inference keeps every element; training would not.
Lowered dropout(const Site& site) {
  if (site.node().opset() >= 12 && site.has_input(2) && site.input(2).literal &&
      site.scalar(2, 0) != 0) {
    throw NotExpressible("training mode");
  }
  return free_layer("drops nothing at inference");
}

Lowered cast(const Site& site) {
  if (site.input(0).type == site.output(0).type) return identity(site);
  throw NotExpressible("a conversion from " + type_name(site.input(0).type) + " to " +
                       type_name(site.output(0).type));
}

}  // namespace

void register_free(LoweringTable& table) {
  table.add("Identity", identity);
  for (const auto* op : {"Reshape", "Flatten", "Squeeze", "Unsqueeze"}) table.add(op, view);
  for (const auto* op : {"Shape", "Size"}) table.add(op, shape);
  for (const auto* op : {"Constant", "ConstantOfShape"}) table.add(op, fill);
  table.add("Dropout", dropout);
  table.add("Cast", cast);
}

}  // namespace benanza::lower
