#include "generator/onnx/movement.h"

namespace benanza::onnx::lower {
namespace {

Lowered identity(const Site&) { return free_layer("the same tensor by another name"); }

Lowered view(const Site&) { return free_layer("the same elements in the same order"); }

Lowered shape(const Site&) { return free_layer("a shape is known before the model runs"); }

Lowered fill(const Site&) { return free_layer("a constant"); }

/// How many elements training would drop; empty if only the running model knows.
std::optional<float> ratio(const Site& site) {
  if (site.node().opset() < 12) return site.node().real("ratio", 0.5F);
  if (site.has_input(1) && !site.input(1).literal) return std::nullopt;
  return static_cast<float>(site.scalar(1, 0.5));
}

/// Inference keeps every element; training would not. What training would do can be measured, but
/// is not counted.
Lowered dropout(const Site& site) {
  if (site.node().opset() >= 12 && site.has_input(2) && site.input(2).literal &&
      site.scalar(2, 0) != 0) {
    throw NotExpressible("training mode");
  }
  Lowered lowered = free_layer("drops nothing at inference");
  const std::optional<float> dropped = ratio(site);
  if (dropped && *dropped >= 0 && *dropped < 1 && site.input(0).shape &&
      element_count(site.shape(0)) > 0) {
    lowered.calls.push_back(
        call(Dropout{.input = site.extents(0), .ratio = *dropped}, {from_input(0)}));
  }
  return lowered;
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
  table.add("BitCast", view);
  table.add("Dropout", dropout);
  for (const auto* op : {"Cast", "CastLike"}) table.add(op, cast);
}

}  // namespace benanza::onnx::lower
