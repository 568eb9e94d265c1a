#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/problem/ops/copy.h"
#include "generator/onnx/operators/shared/calls.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

View slice_view(const NodeView& slice) {
  const Dims& dims = slice.shape(0);
  const auto starts = slice.argument("starts", 1);
  const auto ends = slice.argument("ends", 2);
  if (!starts || !ends || starts->size() != ends->size()) {
    throw Error("needs as many ends as starts");
  }
  Dims axes = slice.argument("axes", 3).value_or(all_axes(starts->size()));
  const Dims steps = slice.argument("steps", 4).value_or(Dims(starts->size(), 1));
  if (axes.size() != starts->size() || steps.size() != starts->size()) {
    throw Error("needs an axis and a step for each start");
  }
  View view{dims, dense_strides(dims), 0};
  std::set<std::size_t> seen;
  for (std::size_t index = 0; index < axes.size(); ++index) {
    const std::size_t axis = at(NodeView::axis(axes[index], dims.size()));
    if (!seen.insert(axis).second) throw Error("axes names an axis twice");
    const std::int64_t extent = dims[axis];
    if (steps[index] == 0) throw Error("a step of 0 never ends");
    // All steps beyond the extent are equivalent.
    const std::int64_t step = std::clamp(steps[index], -extent - 1, extent + 1);
    const std::int64_t lowest = step > 0 ? 0 : -1;
    const std::int64_t highest = step > 0 ? extent : extent - 1;
    const auto clamp = [&](std::int64_t value, std::int64_t least) {
      return std::clamp(value < 0 ? value + extent : value, least, std::max(least, highest));
    };
    const std::int64_t start = clamp((*starts)[index], 0);
    const std::int64_t end = clamp((*ends)[index], lowest);
    const std::int64_t room = step > 0 ? end - start : start - end;
    const std::int64_t stride = step > 0 ? step : -step;
    view.offset += start * view.strides[axis];
    view.dims[axis] = room <= 0 ? 0 : (room - 1) / stride + 1;
    view.strides[axis] *= step;
  }
  return view;
}

std::vector<TensorFacts> slice_shape(const NodeView& node) {
  return {{node.input(0).type, slice_view(node).dims}};
}

/// Values of input `index`, if known.
std::optional<Dims> known_values(const NodeView& node, std::size_t index) {
  if (!node.has_input(index) || !node.input(index).literal) return std::nullopt;
  return node.integers(index);
}

/// The largest number of elements between two positions, each of which may be unknown.
std::int64_t between(std::int64_t extent, std::optional<std::int64_t> first,
                     std::optional<std::int64_t> last, std::int64_t step) {
  if (step == 0) throw Error("a step of 0");
  if (step == std::numeric_limits<std::int64_t>::min()) return std::min<std::int64_t>(extent, 1);
  std::int64_t length = extent;
  if (step > 0) {
    const auto place = [&](std::int64_t stated) {
      return stated < 0 ? std::max<std::int64_t>(stated + extent, 0) : std::min(stated, extent);
    };
    length =
        std::max<std::int64_t>(0, (last ? place(*last) : extent) - (first ? place(*first) : 0));
  }
  const std::int64_t stride = std::abs(step);
  return length / stride + (length % stride > 0 ? 1 : 0);
}

std::vector<std::optional<MaxShape>> slice_max_shapes(const NodeView& node) {
  if (node.opset() < 10) throw NotExpressible("attributes tell everything");
  Dims dims = node.shape(0);
  if (node.has_input(3) && !node.input(3).literal) throw NotExpressible("axes are not known");
  const auto starts = known_values(node, 1);
  const auto ends = known_values(node, 2);
  const auto stated = known_values(node, 3);
  const auto steps = known_values(node, 4);
  const auto count = static_cast<std::size_t>(element_count(node.shape(1)));
  if (stated ? stated->size() != count : count > dims.size()) {
    throw Error("starts are not one per axis");
  }
  MaxShape result{node.input(0).type, {}, {}};
  for (std::size_t index = 0; index < count; ++index) {
    const auto of = [&](const std::optional<Dims>& values) {
      return values && index < values->size() ? std::optional((*values)[index]) : std::nullopt;
    };
    const auto axis = static_cast<std::size_t>(
        stated ? NodeView::axis((*stated)[index], dims.size()) : static_cast<std::int64_t>(index));
    const bool any_step = node.has_input(4) && !steps;
    dims[axis] =
        any_step ? dims[axis] : between(dims[axis], of(starts), of(ends), of(steps).value_or(1));
    result.open.push_back(axis);
  }
  result.shape = std::move(dims);
  return {result};
}

std::vector<Literal> fold_slice(const NodeView& node) {
  return {pick(node.literal(0), positions(slice_view(node)))};
}

/// Turns axes with negative strides round. Returns whether that changes the order of the elements.
bool turn_round(View& view) {
  bool changed = false;
  for (std::size_t axis = 0; axis < view.dims.size(); ++axis) {
    std::int64_t& stride = view.strides[axis];
    if (stride >= 0) continue;
    if (view.dims[axis] > 0) view.offset += (view.dims[axis] - 1) * stride;
    stride = -stride;
    changed = changed || view.dims[axis] > 1;
  }
  return changed;
}

/// No library here copies backwards: where steps are negative, the same elements in their order in
/// memory stand for it.
Lowered lower_slice(const NodeView& node) {
  View view = slice_view(node);
  const bool backwards = turn_round(view);
  if (!backwards && view.dims == node.shape(0)) return free_layer("keeps everything");
  Call copy = copy_call(view, dense_view(view.dims));
  copy.is_proxy = backwards;
  return movement({std::move(copy)});
}

/// The same, of as many steps of every sequence as it has.
Lowered lower_reverse_sequence(const NodeView& node) {
  return movement({proxy_copy(node, node.elements(0))});
}

}  // namespace

void register_slice(OperatorTable& table) {
  // Before opset 10 the schemas do not handle negative positions.
  table.add("Slice", {.shapes = {{slice_shape, 1, 9}},
                      .max_shapes = slice_max_shapes,
                      .fold = fold_slice,
                      .lower = lower_slice});
  table.add("ReverseSequence", {.shapes = {{like_first}},
                                .lower = lower_reverse_sequence,
                                .idle_attributes = {"batch_axis", "time_axis"},
                                .idle_inputs = {1}});
}

}  // namespace benanza::onnx
