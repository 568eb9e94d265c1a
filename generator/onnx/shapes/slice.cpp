#include "generator/onnx/shapes/table.h"
#include "generator/onnx/views.h"

namespace benanza::onnx::shapes {
namespace {

std::vector<TensorFacts> slice(const Site& site) {
  return {{site.input(0).type, slice_view(site).dims}};
}

}  // namespace

/// Before opset 10 the schemas do not count places from the end.
void register_slice(ShapeTable& table) { table.add("Slice", slice, 1, 9); }

}  // namespace benanza::onnx::shapes
