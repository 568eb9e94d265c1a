#include <onnx/onnx_pb.h>
#include <algorithm>

#include "generator/onnx/operators/shared/operator.h"

/// Operators that keep a data-dependent part of their input, at most all of it.
namespace benanza::onnx {
namespace {

/// Outputs: the distinct slices along an axis, or elements; the first position of each; the index
/// of each input in them; and their counts.
std::vector<std::optional<MaxShape>> unique_max_shapes(const NodeView& node) {
  constexpr int positions = ::onnx::TensorProto::INT64;
  const Dims& dims = node.shape(0);
  if (!node.has("axis")) {
    const std::int64_t count = node.elements(0);
    return {MaxShape{node.input(0).type, {count}, {0}}, MaxShape{positions, {count}, {0}},
            MaxShape{positions, {count}, {}}, MaxShape{positions, {count}, {0}}};
  }
  const auto axis = static_cast<std::size_t>(NodeView::axis(node.integer("axis", 0), dims.size()));
  return {MaxShape{node.input(0).type, dims, {axis}}, MaxShape{positions, {dims[axis]}, {0}},
          MaxShape{positions, {dims[axis]}, {}}, MaxShape{positions, {dims[axis]}, {0}}};
}

std::vector<std::optional<MaxShape>> compress_max_shapes(const NodeView& node) {
  const std::int64_t conditions = node.elements(1);
  if (!node.has("axis")) {
    return {MaxShape{node.input(0).type, {std::min(node.elements(0), conditions)}, {0}}};
  }
  Dims dims = node.shape(0);
  const auto axis = static_cast<std::size_t>(NodeView::axis(node.integer("axis", 0), dims.size()));
  dims[axis] = std::min(dims[axis], conditions);
  return {MaxShape{node.input(0).type, dims, {axis}}};
}

}  // namespace

void register_select(OperatorTable& table) {
  constexpr std::string_view reason = "how much it keeps is only known when the model runs";
  table.add("Unique", {.max_shapes = unique_max_shapes, .unsupported = reason});
  table.add("Compress", {.max_shapes = compress_max_shapes, .unsupported = reason});
}

}  // namespace benanza::onnx
