#include "core/problem/ops/copy.h"

namespace benanza {
namespace {

/// Elements from the first to the last one of a view, inclusive.
std::int64_t span(const Dims& dims, const Dims& strides) {
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    last = saturated_sum(last, saturated_product(saturated_sum(dims[axis], -1), strides[axis]));
  }
  return last + 1;
}

}  // namespace

Dims dense_strides(const Dims& dims) {
  Dims strides(dims.size());
  std::int64_t stride = 1;
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= dims[axis];
  }
  return strides;
}

std::optional<Copy> transposition(std::int64_t batch, std::int64_t rows, std::int64_t columns) {
  if (rows == 1 || columns == 1) return std::nullopt;
  const Copy copy{.dims = {batch, columns, rows},
                  .from = {rows * columns, 1, columns},
                  .to = {rows * columns, rows, 1}};
  return copy.canonical();
}

void Copy::map(KeyFields& fields) {
  fields.dims("", dims).dims("f", from, '.').dims("t", to, '.');
  if (fields.reader() == nullptr) return;
  fields.require(from.size() == dims.size() && to.size() == dims.size(),
                 "one stride of each view per axis");
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    fields.require(dims[axis] >= 1 && from[axis] >= 0 && to[axis] >= 1,
                   "positive extents and strides");
  }
}

std::int64_t Copy::read_elements() const {
  std::int64_t count = 1;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (from[axis] != 0) count = saturated_product(count, dims[axis]);
  }
  return count;
}

Copy Copy::canonical() const {
  Copy merged;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] == 1) continue;
    if (!merged.dims.empty() && merged.from.back() == from[axis] * dims[axis] &&
        merged.to.back() == to[axis] * dims[axis]) {
      merged.dims.back() *= dims[axis];
      merged.from.back() = from[axis];
      merged.to.back() = to[axis];
    } else {
      merged.dims.push_back(dims[axis]);
      merged.from.push_back(from[axis]);
      merged.to.push_back(to[axis]);
    }
  }
  if (merged.dims.empty()) return {{1}, {1}, {1}};
  return merged;
}

std::vector<Operand> Copy::inputs() const {
  return {{.name = "input", .dims = {span(dims, from)}}};
}

Dims Copy::output() const { return {span(dims, to)}; }

}  // namespace benanza
