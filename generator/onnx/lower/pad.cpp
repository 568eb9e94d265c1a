#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "onnx/movement.h"

namespace benanza::lower {
namespace {

/// Begins, then ends, of all axes.
Dims pads_of_all_axes(const Site& site, std::size_t rank) {
  Dims stated = site.argument("pads", 1).value_or(Dims{});
  Dims axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (site.has_input(3)) axes = site.integers(3);
  if (stated.size() != 2 * axes.size()) {
    throw Error("pads [" + join(stated, ',') + "] need " + std::to_string(2 * axes.size()) +
                " values");
  }
  Dims pads(2 * rank, 0);
  for (std::size_t index = 0; index < axes.size(); ++index) {
    const auto axis = static_cast<std::size_t>(Site::axis(axes[index], rank));
    pads[axis] = stated[index];
    pads[axis + rank] = stated[index + axes.size()];
  }
  return pads;
}

/// The copy of the input into the middle of the output; the constant around it is not counted.
/// Negative pads cut.
Lowered pad(const Site& site) {
  const std::string mode = site.node().text("mode", "constant");
  if (mode != "constant") throw NotExpressible(mode + " padding");
  const Dims& input = site.shape(0);
  const Dims pads = pads_of_all_axes(site, input.size());
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
  return {Cost::movement, "", {copy_call(from, to)}};
}

}  // namespace

void register_pad(LoweringTable& table) { table.add("Pad", pad); }

}  // namespace benanza::lower
