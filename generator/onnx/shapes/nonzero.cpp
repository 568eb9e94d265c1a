#include <onnx/onnx_pb.h>

#include <algorithm>

#include "generator/onnx/shapes/table.h"
#include "generator/onnx/whole.h"

namespace benanza::onnx::shapes {
namespace {

/// How many there are depends on the values.
std::vector<TensorFacts> nonzero(const Site& site) {
  if (!site.input(0).shape || !site.input(0).literal) return {{::onnx::TensorProto::INT64, {}}};
  const std::int64_t count = std::visit(
      [](const auto& values) {
        return std::count_if(values.begin(), values.end(), [](auto value) { return value != 0; });
      },
      site.literal(0));
  return {
      {::onnx::TensorProto::INT64, Dims{static_cast<std::int64_t>(site.shape(0).size()), count}}};
}

/// A new axis as long as the depth.
std::vector<TensorFacts> one_hot(const Site& site) {
  Dims dims = site.shape(0);
  const auto axis = Site::axis(site.node().integer("axis", -1), dims.size() + 1);
  dims.insert(dims.begin() + axis, whole(site.scalar(1, 0)));
  return {{site.input(2).type, dims}};
}

}  // namespace

void register_nonzero(ShapeTable& table) {
  table.add("NonZero", nonzero);
  table.add("OneHot", one_hot);
}

}  // namespace benanza::onnx::shapes
