#include <onnx/onnx_pb.h>
#include <algorithm>
#include <functional>

#include "generator/onnx/operators/shared/calls.h"
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

constexpr const char* unknown_part = "how much it keeps is only known when the model runs";

/// As many as conditions hold, if these are known; otherwise at most as many as there are.
std::vector<std::optional<MaxShape>> compress_max_shapes(const NodeView& node) {
  const bool known = node.input(1).literal.has_value();
  const std::int64_t conditions =
      known ? std::ranges::count_if(node.integers(1), std::identity{}) : node.elements(1);
  Dims dims = node.shape(0);
  std::size_t axis = 0;
  if (node.has("axis")) {
    axis = static_cast<std::size_t>(NodeView::axis(node.integer("axis", 0), dims.size()));
  } else {
    dims = {node.elements(0)};
  }
  dims[axis] = std::min(dims[axis], conditions);
  std::vector<std::size_t> open;
  if (!known) open.push_back(axis);
  return {MaxShape{node.input(0).type, dims, open}};
}

Lowered lower_compress(const NodeView& node) {
  if (!node.input(1).literal) throw NotExpressible(unknown_part);
  return movement({proxy_copy(node, element_count(node.output_shape(0)))});
}

}  // namespace

void register_select(OperatorTable& table) {
  table.add("Unique", {.max_shapes = unique_max_shapes, .unsupported = unknown_part});
  table.add("Compress", {.max_shapes = compress_max_shapes,
                         .lower = lower_compress,
                         .idle_attributes = {"axis"},
                         .idle_inputs = {1}});
}

}  // namespace benanza::onnx
