#include "generator/onnx/operators/shared/views.h"

#include <numeric>

#include "core/base/error.h"
#include "core/problem/ops/copy.h"

namespace benanza::onnx {

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

View dense_view(const Dims& dims) { return {dims, dense_strides(dims), 0}; }

Literal pick(const Literal& literal, const std::vector<std::int64_t>& from) {
  return std::visit(
      [&](const auto& values) -> Literal {
        std::decay_t<decltype(values)> picked;
        picked.reserve(from.size());
        for (const std::int64_t position : from) picked.push_back(values.at(at(position)));
        return picked;
      },
      literal);
}

Dims all_axes(std::size_t rank) {
  Dims axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

}  // namespace benanza::onnx
