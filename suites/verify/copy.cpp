#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "suites/verify/operators.h"

namespace benanza::verify {
namespace {

/// Source offset of the element that is written to destination offset `rest`, searching the axes
/// from order[next] on; -1 if there is none.
std::int64_t source_offset(const Copy& shape, const std::vector<std::size_t>& order,
                           std::size_t next, std::int64_t rest) {
  if (next == order.size()) return rest == 0 ? 0 : -1;
  std::int64_t reach = 0;
  for (std::size_t i = next + 1; i < order.size(); ++i) {
    reach += (shape.dims[order[i]] - 1) * shape.to[order[i]];
  }
  const std::size_t axis = order[next];
  std::int64_t i = std::min(shape.dims[axis] - 1, rest / shape.to[axis]);
  for (; i >= 0 && rest - i * shape.to[axis] <= reach; --i) {
    const std::int64_t offset = source_offset(shape, order, next + 1, rest - i * shape.to[axis]);
    if (offset >= 0) return offset + i * shape.from[axis];
  }
  return -1;
}

}  // namespace

Element element(const Copy& shape, Operands operands, const Dims& at) {
  std::vector<std::size_t> order(shape.dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t x, std::size_t y) { return shape.to[x] > shape.to[y]; });
  const std::int64_t offset = source_offset(shape, order, 0, at[0]);
  if (offset < 0) throw std::out_of_range("a copy does not write there");
  const double value = operands[0][static_cast<std::size_t>(offset)];
  return {value, std::abs(value)};
}

}  // namespace benanza::verify
