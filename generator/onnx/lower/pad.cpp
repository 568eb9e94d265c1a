#include <algorithm>

#include "generator/onnx/movement.h"

namespace benanza::onnx::lower {
namespace {

/// The copy of the input into the middle of the output; the constant around it is not counted.
/// Negative pads cut.
Lowered pad(const Site& site) {
  const std::string mode = site.node().text("mode", "constant");
  if (mode != "constant") throw NotExpressible(mode + " padding");
  const Dims& input = site.shape(0);
  const Dims pads = pads_of_all_axes(site);
  if (std::all_of(pads.begin(), pads.end(), [](std::int64_t value) { return value == 0; })) {
    return free_layer("pads nothing");
  }
  View from = dense_view(input);
  View to = dense_view(site.output_shape(0));
  for (std::size_t axis = 0; axis < input.size(); ++axis) {
    const std::int64_t begin = pads[axis];
    const std::int64_t end = pads[axis + input.size()];
    from.offset += std::max<std::int64_t>(0, -begin) * from.strides[axis];
    to.offset += std::max<std::int64_t>(0, begin) * to.strides[axis];
    from.dims[axis] += std::min<std::int64_t>(0, begin) + std::min<std::int64_t>(0, end);
    if (from.dims[axis] < 1) throw NotExpressible("pads that leave nothing of the input");
  }
  return movement({copy_call(from, to)});
}

}  // namespace

void register_pad(LoweringTable& table) { table.add("Pad", pad); }

}  // namespace benanza::onnx::lower
