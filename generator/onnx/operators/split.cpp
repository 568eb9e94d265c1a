#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/problem/ops/copy.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

View split_view(const NodeView& split, std::size_t index) {
  const Dims& dims = split.shape(0);
  const auto axis = at(NodeView::axis(split.integer("axis", 0), dims.size()));
  const Dims sizes = [&] {
    const auto stated = split.argument("split", 1);
    if (stated) return *stated;
    // Equal parts; the last one is smaller if they do not divide the extent (opset 18).
    const auto parts = static_cast<std::int64_t>(split.output_count());
    if (parts == 0) throw Error("has no outputs");
    const std::int64_t part = (dims[axis] + parts - 1) / parts;
    Dims equal(split.output_count(), part);
    equal.back() = dims[axis] - part * (parts - 1);
    return equal;
  }();
  const auto fits = [&](std::int64_t size) { return size >= 0 && size <= dims[axis]; };
  if (sizes.size() != split.output_count() || !std::ranges::all_of(sizes, fits) ||
      std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) != dims[axis]) {
    throw Error("the parts do not add up to the input's extent of " + std::to_string(dims[axis]));
  }
  View view{dims, dense_strides(dims), 0};
  view.dims[axis] = sizes[index];
  view.offset = view.strides[axis] *
                std::accumulate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(index),
                                std::int64_t{0});
  return view;
}

/// The number of equal parts is an attribute from opset 18.
std::vector<TensorFacts> split_shape(const NodeView& node) {
  std::vector<TensorFacts> parts;
  for (std::size_t index = 0; index < node.output_count(); ++index) {
    parts.push_back({node.input(0).type, split_view(node, index).dims});
  }
  return parts;
}

std::vector<Literal> fold_split(const NodeView& node) {
  std::vector<Literal> parts;
  for (std::size_t index = 0; index < node.output_count(); ++index) {
    parts.push_back(pick(node.literal(0), positions(split_view(node, index))));
  }
  return parts;
}

/// A copy for every part that is read.
Lowered lower_split(const NodeView& node) {
  std::vector<Call> calls;
  for (std::size_t index = 0; index < node.output_count(); ++index) {
    if (!node.has_output(index)) continue;
    const View part = split_view(node, index);
    if (part.dims == node.shape(0)) return free_layer("its only part is the whole input");
    if (element_count(part.dims) == 0) continue;
    calls.push_back(copy_call(part, dense_view(part.dims), static_cast<int>(index)));
  }
  return movement(std::move(calls));
}

}  // namespace

void register_split(OperatorTable& table) {
  // The first schema infers nothing; from opset 18 the number of equal parts is an attribute.
  table.add("Split", {.shapes = {{split_shape, 1, 1}, {split_shape, 18}},
                      .fold = fold_split,
                      .lower = lower_split,
                      .idle_attributes = {"num_outputs"}});
}

}  // namespace benanza::onnx
