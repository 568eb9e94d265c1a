#include <algorithm>

#include "generator/onnx/movement.h"

namespace benanza::onnx::lower {
namespace {

Lowered slice(const Site& site) {
  const View view = slice_view(site);
  if (std::any_of(view.strides.begin(), view.strides.end(), [](auto step) { return step < 0; })) {
    throw NotExpressible("a negative step");
  }
  if (view.dims == site.shape(0)) return free_layer("keeps everything");
  return movement({copy_call(view, dense_view(view.dims))});
}

}  // namespace

void register_slice(LoweringTable& table) { table.add("Slice", slice); }

}  // namespace benanza::onnx::lower
