#include "generator/onnx/movement.h"

namespace benanza::onnx::lower {
namespace {

/// Strides of the axes that have more than one element.
Dims walked(const View& view) {
  Dims strides;
  for (std::size_t axis = 0; axis < view.dims.size(); ++axis) {
    if (view.dims[axis] != 1) strides.push_back(view.strides[axis]);
  }
  return strides;
}

Lowered transpose(const Site& site) {
  const View view = transpose_view(site);
  const View dense = dense_view(view.dims);
  if (walked(view) == walked(dense)) return free_layer("leaves every element where it is");
  return movement({copy_call(view, dense)});
}

}  // namespace

void register_transpose(LoweringTable& table) { table.add("Transpose", transpose); }

}  // namespace benanza::onnx::lower
