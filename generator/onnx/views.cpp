#include "generator/onnx/views.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/base/error.h"
#include "core/problem/ops/copy.h"

namespace benanza::onnx {
namespace {

std::size_t at(std::int64_t axis) { return static_cast<std::size_t>(axis); }

Dims all_axes(std::size_t rank) {
  Dims axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

}  // namespace

std::vector<std::int64_t> positions(const View& view) {
  std::vector<std::int64_t> result;
  const std::int64_t count = element_count(view.dims);
  result.reserve(at(count));
  Dims index(view.dims.size(), 0);
  std::int64_t position = view.offset;
  for (std::int64_t done = 0; done < count; ++done) {
    result.push_back(position);
    for (std::size_t axis = index.size(); axis-- > 0;) {
      position += view.strides[axis];
      if (++index[axis] < view.dims[axis]) break;
      position -= index[axis] * view.strides[axis];
      index[axis] = 0;
    }
  }
  return result;
}

View broadcast_view(const Dims& dims, const Dims& target) {
  if (dims.size() > target.size()) throw Error(join(dims, 'x') + " does not broadcast");
  const std::size_t leading = target.size() - dims.size();
  const Dims dense = dense_strides(dims);
  View view{target, Dims(target.size(), 0), 0};
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == 1) continue;
    if (dims[axis] != target[leading + axis]) {
      throw Error(join(dims, 'x') + " does not broadcast to " + join(target, 'x'));
    }
    view.strides[leading + axis] = dense[axis];
  }
  return view;
}

View slice_view(const Site& slice) {
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
    const std::size_t axis = at(Site::axis(axes[index], dims.size()));
    if (!seen.insert(axis).second) throw Error("axes names an axis twice");
    const std::int64_t extent = dims[axis];
    if (steps[index] == 0) throw Error("a step of 0 never ends");
    // A step beyond the end, however long, is one beyond the end.
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

View transpose_view(const Site& transpose) {
  const Dims& dims = transpose.shape(0);
  Dims order = all_axes(dims.size());
  std::reverse(order.begin(), order.end());
  order = transpose.node().integers("perm").value_or(order);
  if (order.size() != dims.size()) throw Error("perm needs one value per axis");
  const Dims dense = dense_strides(dims);
  View view;
  std::set<std::int64_t> seen;
  for (const std::int64_t from : order) {
    const std::int64_t axis = Site::axis(from, dims.size());
    if (!seen.insert(axis).second) throw Error("perm names an axis twice");
    view.dims.push_back(dims[at(axis)]);
    view.strides.push_back(dense[at(axis)]);
  }
  return view;
}

View split_view(const Site& split, std::size_t index) {
  const Dims& dims = split.shape(0);
  const auto axis = at(Site::axis(split.node().integer("axis", 0), dims.size()));
  const Dims sizes = [&] {
    const auto stated = split.argument("split", 1);
    if (stated) return *stated;
    // Equal parts, the last one smaller where they do not fit (opset 18).
    const auto parts = static_cast<std::int64_t>(split.output_count());
    if (parts == 0) throw Error("has no outputs");
    const std::int64_t part = (dims[axis] + parts - 1) / parts;
    Dims equal(split.output_count(), part);
    equal.back() = dims[axis] - part * (parts - 1);
    return equal;
  }();
  const auto fits = [&](std::int64_t size) { return size >= 0 && size <= dims[axis]; };
  if (sizes.size() != split.output_count() || !std::all_of(sizes.begin(), sizes.end(), fits) ||
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

Dims reduced_axes(const Site& reduce) {
  const std::size_t rank = reduce.shape(0).size();
  const Dims stated = reduce.argument("axes", 1).value_or(Dims{});
  if (stated.empty()) {
    return reduce.node().integer("noop_with_empty_axes", 0) != 0 ? Dims{} : all_axes(rank);
  }
  std::set<std::int64_t> axes;
  for (const std::int64_t axis : stated) axes.insert(Site::axis(axis, rank));
  return {axes.begin(), axes.end()};
}

Dims pads_of_all_axes(const Site& pad) {
  const std::size_t rank = pad.shape(0).size();
  // Before opset 2 the attribute had another name.
  Dims stated = pad.node().integers("paddings").value_or(pad.argument("pads", 1).value_or(Dims{}));
  const Dims axes = pad.has_input(3) ? pad.integers(3) : all_axes(rank);
  if (stated.size() != 2 * axes.size()) {
    throw Error("pads [" + join(stated, ',') + "] need " + std::to_string(2 * axes.size()) +
                " values");
  }
  for (const std::int64_t pad : stated) {
    if (pad < -max_tensor_elements || pad > max_tensor_elements) {
      throw Error("pads [" + join(stated, ',') + "] are more than any tensor has elements");
    }
  }
  Dims pads(2 * rank, 0);
  for (std::size_t index = 0; index < axes.size(); ++index) {
    const std::size_t axis = at(Site::axis(axes[index], rank));
    pads[axis] = stated[index];
    pads[axis + rank] = stated[index + axes.size()];
  }
  return pads;
}

}  // namespace benanza::onnx
