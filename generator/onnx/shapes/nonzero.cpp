#include <onnx/onnx_pb.h>

#include <algorithm>

#include "onnx/shapes/table.h"

namespace benanza::shapes {
namespace {

/// How many there are depends on the values.
std::vector<TensorFacts> nonzero(const Site& site) {
  if (!site.input(0).shape || !site.input(0).literal) return {{onnx::TensorProto::INT64, {}}};
  const std::int64_t count = std::visit(
      [](const auto& values) {
        return std::count_if(values.begin(), values.end(), [](auto value) { return value != 0; });
      },
      site.literal(0));
  return {{onnx::TensorProto::INT64, Dims{static_cast<std::int64_t>(site.shape(0).size()), count}}};
}

}  // namespace

void register_nonzero(ShapeTable& table) { table.add("NonZero", nonzero); }

}  // namespace benanza::shapes
