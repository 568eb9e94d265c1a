#include "generator/onnx/resize.h"

#include "generator/onnx/shapes/table.h"

namespace benanza::onnx::shapes {
namespace {

std::vector<TensorFacts> resize(const Site& site) {
  return {{site.input(0).type, resize_request(site).output}};
}

}  // namespace

void register_resize(ShapeTable& table) {
  table.add("Resize", resize, 11);
  table.add("Upsample", resize, 7);
}

}  // namespace benanza::onnx::shapes
