#include "core/base/error.h"
#include "generator/onnx/movement.h"

/// Copies that read elements again and again.
namespace benanza::onnx::lower {
namespace {

Lowered repeated(const Site& site, const View& from) {
  if (element_count(from.dims) == element_count(site.shape(0))) {
    return free_layer("repeats nothing");
  }
  return movement({copy_call(from, dense_view(from.dims))});
}

Lowered expand(const Site& site) {
  return repeated(site, broadcast_view(site.shape(0), site.output_shape(0)));
}

/// Every axis is an axis of repetitions and one of elements.
Lowered tile(const Site& site) {
  const Dims& dims = site.shape(0);
  const Dims& out = site.output_shape(0);
  const Dims strides = dense_strides(dims);
  if (out.size() != dims.size()) throw NotExpressible("repeats that add axes");
  View from;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] < 1 || out[axis] % dims[axis] != 0) throw NotExpressible("an empty input");
    from.dims.insert(from.dims.end(), {out[axis] / dims[axis], dims[axis]});
    from.strides.insert(from.strides.end(), {0, strides[axis]});
  }
  return repeated(site, from);
}

}  // namespace

void register_repeat(LoweringTable& table) {
  table.add("Expand", expand);
  table.add("Tile", tile);
}

}  // namespace benanza::onnx::lower
