#include <limits>

#include "generator/onnx/lowering.h"

namespace benanza::onnx::lower {
namespace {

/// Bounds are attributes up to opset 10 and optional inputs from opset 11; a missing bound is the
/// end of the float range.
Lowered clip(const Site& site) {
  const Node& node = site.node();
  float least = std::numeric_limits<float>::lowest();
  float greatest = std::numeric_limits<float>::max();
  if (node.opset() < 11) {
    least = node.real("min", least);
    greatest = node.real("max", greatest);
  } else {
    if (!site.has_input(1) && !site.has_input(2)) return free_layer("clips nothing");
    least = static_cast<float>(site.scalar(1, least));
    greatest = static_cast<float>(site.scalar(2, greatest));
  }
  return measured({call(
      Activation{
          .input = site.extents(0), .kind = ActivationKind::clip, .alpha = least, .beta = greatest},
      {from_input(0)})});
}

}  // namespace

void register_clip(LoweringTable& table) { table.add("Clip", clip); }

}  // namespace benanza::onnx::lower
