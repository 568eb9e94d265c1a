#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// Of no elements, an extent that the target copies and a -1 beside it say nothing.
void check_reshape(const NodeView& node) {
  if (!node.rank(0) || !node.has_input(1) || !node.input(1).literal) return;
  const Dims& from = node.shape(0);
  const Dims target = node.integers(1);
  if (node.flag("allowzero") || std::ranges::find(target, -1) == target.end()) return;
  for (std::size_t axis = 0; axis < std::min(from.size(), target.size()); ++axis) {
    if (from[axis] == 0 && target[axis] == 0) {
      throw Error("\"" + node.input(0).name + "\" of " + join(from, 'x') +
                  " has an extent of 0: a dimension may be too small");
    }
  }
}

/// Up to opset 4 the target shape is an attribute.
std::vector<TensorFacts> reshape_shape(const NodeView& node) {
  const Dims& from = node.shape(0);
  Dims dims = node.integers("shape").value_or(Dims{});
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    std::int64_t& extent = dims[axis];
    if (extent == 0 && axis < from.size()) extent = from[axis];
    if (extent < -1 || (extent == -1 && open != nullptr) || extent > max_tensor_elements) {
      throw Error("cannot have the shape " + join(dims, 'x'));
    }
    if (extent == -1) {
      open = &extent;
    } else if (__builtin_mul_overflow(known, extent, &known)) {
      throw Error("cannot have the shape " + join(dims, 'x'));
    }
  }
  if (open != nullptr && known > 0) *open = element_count(from) / known;
  if (open != nullptr && known == 0) *open = 0;
  return {{node.input(0).type, dims}};
}

/// Removes the stated axes or, if none are stated, all axes of extent 1.
std::vector<TensorFacts> squeeze_shape(const NodeView& node) {
  const Dims& dims = node.shape(0);
  const std::optional<Dims> axes = node.argument("axes", 1);
  std::vector<bool> gone(dims.size(), false);
  for (std::size_t axis = 0; axis < dims.size(); ++axis) gone[axis] = !axes && dims[axis] == 1;
  for (const std::int64_t stated : axes.value_or(Dims{})) {
    const auto axis = static_cast<std::size_t>(NodeView::axis(stated, dims.size()));
    if (dims[axis] != 1) {
      throw Error("axis " + std::to_string(stated) + " has an extent of " +
                  std::to_string(dims[axis]) + ", not 1");
    }
    gone[axis] = true;
  }
  Dims kept;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (!gone[axis]) kept.push_back(dims[axis]);
  }
  return {{node.input(0).type, kept}};
}

/// One more axis, at the value of input 1.
std::vector<TensorFacts> expand_dims_shape(const NodeView& node) {
  Dims dims = node.shape(0);
  if (!node.has_input(1)) throw Error("no axis");
  const auto stated = static_cast<std::int64_t>(node.scalar(1, 0));
  dims.insert(dims.begin() + NodeView::axis(stated, dims.size() + 1), 1);
  return {{node.input(0).type, dims}};
}

std::vector<Literal> fold_same(const NodeView& node) { return {node.literal(0)}; }

Lowered lower_identity(const NodeView&) { return free_layer("the same tensor by another name"); }

Lowered lower_view(const NodeView&) { return free_layer("the same elements in the same order"); }

}  // namespace

void register_reshape(OperatorTable& table) {
  table.add("Identity", {.fold = fold_same, .lower = lower_identity});
  table.add("Reshape", {.check = check_reshape,
                        .shapes = {{reshape_shape, 1, 4}},
                        .fold = fold_same,
                        .lower = lower_view});
  table.add("Flatten", {.fold = fold_same, .lower = lower_view});
  table.add("Squeeze", {.shapes = {{squeeze_shape}}, .fold = fold_same, .lower = lower_view});
  table.add("com.microsoft.ExpandDims",
            {.shapes = {{expand_dims_shape}}, .fold = fold_same, .lower = lower_view});
  table.add("Unsqueeze", {.fold = fold_same, .lower = lower_view});
}

}  // namespace benanza::onnx
