#include <cmath>

#include "suites/tests/random/definition_call.h"

namespace benanza::definitions {
namespace {

Tensor transpose(const NodeCall& call) {
  const Tensor& x = call.input(0);
  Dims perm;
  for (std::size_t axis = x.dims.size(); axis-- > 0;) {
    perm.push_back(static_cast<std::int64_t>(axis));
  }
  perm = call.integers("perm", 1).value_or(perm);
  Dims dims;
  for (const std::int64_t axis : perm) dims.push_back(x.dims[static_cast<std::size_t>(axis)]);
  return made(dims, [&](const Dims& at) {
    Dims from(at.size());
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      from[static_cast<std::size_t>(perm[axis])] = at[axis];
    }
    return x.at(from);
  });
}

Tensor reshape(const NodeCall& call) {
  Tensor x = call.input(0);
  Dims target = *call.integers("shape", 1);
  std::int64_t known = 1;
  for (std::size_t axis = 0; axis < target.size(); ++axis) {
    if (target[axis] == 0 && call.integer("allowzero", 0) == 0) target[axis] = x.dims.at(axis);
    if (target[axis] != -1) known *= target[axis];
  }
  for (std::int64_t& extent : target) {
    if (extent == -1) extent = count(x.dims) / known;
  }
  x.dims = target;
  return x;
}

Tensor unsqueeze(const NodeCall& call) {
  Tensor x = call.input(0);
  Dims axes = *call.integers("axes", 1);
  const std::size_t rank = x.dims.size() + axes.size();
  for (std::int64_t& axis : axes) axis = from_front(axis, rank);
  std::sort(axes.begin(), axes.end());
  for (const std::int64_t axis : axes) x.dims.insert(x.dims.begin() + axis, 1);
  return x;
}

Tensor expand(const NodeCall& call) {
  const Tensor& x = call.input(0);
  const Dims target(call.input(1).values.begin(), call.input(1).values.end());
  return made(joined(x.dims, target),
              [&](const Dims& at) { return x.at(broadcast_index(at, x.dims)); });
}

Tensor trilu(const NodeCall& call) {
  const Tensor& x = call.input(0);
  const double diagonal = call.has(1) ? call.input(1).values.at(0) : 0;
  const bool upper = call.integer("upper", 1) != 0;
  return made(x.dims, [&](const Dims& at) {
    const double offset = static_cast<double>(at.back() - at.end()[-2]);
    return (upper ? offset >= diagonal : offset <= diagonal) ? x.at(at) : 0;
  });
}

Tensor range(const NodeCall& call) {
  const double start = call.input(0).values.at(0);
  const double step = call.input(2).values.at(0);
  const auto length = std::max(0.0, std::ceil((call.input(1).values.at(0) - start) / step));
  return made({static_cast<std::int64_t>(length)},
              [&](const Dims& at) { return start + step * static_cast<double>(at[0]); });
}

}  // namespace

void add_moves(Functions& table) {
  table["Transpose"] = transpose;
  table["Reshape"] = reshape;
  table["Unsqueeze"] = unsqueeze;
  table["Expand"] = expand;
  table["Trilu"] = trilu;
  table["Range"] = range;
}

}  // namespace benanza::definitions
