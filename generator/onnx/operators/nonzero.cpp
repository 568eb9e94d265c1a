#include <onnx/onnx_pb.h>
#include <algorithm>

#include "core/problem/ops/copy.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// The number of nonzero elements depends on their values.
std::vector<TensorFacts> nonzero_shape(const NodeView& node) {
  if (!node.input(0).shape || !node.input(0).literal) return {{::onnx::TensorProto::INT64, {}}};
  const std::int64_t count = std::visit(
      [](const auto& values) {
        return std::ranges::count_if(values, [](auto value) { return value != 0; });
      },
      node.literal(0));
  return {
      {::onnx::TensorProto::INT64, Dims{static_cast<std::int64_t>(node.shape(0).size()), count}}};
}

std::vector<std::optional<MaxShape>> nonzero_max_shapes(const NodeView& node) {
  const auto rank = static_cast<std::int64_t>(node.shape(0).size());
  return {MaxShape{::onnx::TensorProto::INT64, {rank, node.elements(0)}, {1}}};
}

std::vector<Literal> fold_nonzero(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const Dims strides = dense_strides(dims);
  Dims found;
  std::visit(
      [&](const auto& values) {
        for (std::size_t index = 0; index < values.size(); ++index) {
          if (values[index] != 0) found.push_back(static_cast<std::int64_t>(index));
        }
      },
      node.literal(0));
  Dims coordinates;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    for (const std::int64_t index : found) {
      coordinates.push_back(index / strides[axis] % dims[axis]);
    }
  }
  return {coordinates};
}

}  // namespace

void register_nonzero(OperatorTable& table) {
  table.add("NonZero", {.shapes = {{nonzero_shape}},
                        .max_shapes = nonzero_max_shapes,
                        .fold = fold_nonzero,
                        .unsupported = "how much it finds is only known when the model runs"});
}

}  // namespace benanza::onnx
