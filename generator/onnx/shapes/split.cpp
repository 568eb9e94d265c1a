#include "generator/onnx/shapes/table.h"
#include "generator/onnx/views.h"

namespace benanza::onnx::shapes {
namespace {

/// The number of equal parts is an attribute from opset 18.
std::vector<TensorFacts> split(const Site& site) {
  std::vector<TensorFacts> parts;
  for (std::size_t index = 0; index < site.output_count(); ++index) {
    parts.push_back({site.input(0).type, split_view(site, index).dims});
  }
  return parts;
}

}  // namespace

void register_split(ShapeTable& table) { table.add("Split", split, 18); }

}  // namespace benanza::onnx::shapes
