#include "onnx/movement.h"

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

/// Another type in the same places: a copy stands for it, whose precision is that of the variant.
Lowered cast(const Site& site) {
  const int from = site.input(0).type;
  const int to = site.output(0).type;
  if (from == to) return identity(site);
  if (type_bytes(from) == 0 || type_bytes(to) == 0) {
    throw NotExpressible("a conversion from " + type_name(from) + " to " + type_name(to));
  }
  return movement({stand_in(site, element_count(site.shape(0)))});
}

}  // namespace

void register_free(LoweringTable& table) {
  table.add("Identity", identity);
  for (const auto* op : {"Reshape", "Flatten", "Squeeze", "Unsqueeze"}) table.add(op, view);
  for (const auto* op : {"Shape", "Size"}) table.add(op, shape);
  for (const auto* op : {"Constant", "ConstantOfShape"}) table.add(op, fill);
  table.add("Dropout", dropout);
  for (const auto* op : {"Cast", "CastLike"}) table.add(op, cast);
}

}  // namespace benanza::lower
