#include "core/problem/step.h"

namespace benanza {
namespace {

/// Axes [begin, end) of a tensor.
struct Axes {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::int64_t count(const Dims& dims, Axes axes) {
  std::int64_t product = 1;
  for (std::size_t axis = axes.begin; axis < axes.end; ++axis) product *= dims[axis];
  return product;
}

/// Advances to the next groups of axes with equal element counts; false if there are none.
bool next_group(const Dims& a, Axes& of_a, const Dims& b, Axes& of_b) {
  of_a = {of_a.end, of_a.end};
  of_b = {of_b.end, of_b.end};
  if (of_a.end < a.size()) ++of_a.end;
  if (of_b.end < b.size()) ++of_b.end;
  while (count(a, of_a) != count(b, of_b)) {
    const bool a_is_behind = count(a, of_a) < count(b, of_b);
    Axes& behind = a_is_behind ? of_a : of_b;
    if (behind.end == (a_is_behind ? a : b).size()) return false;
    ++behind.end;
  }
  return true;
}

}  // namespace

std::optional<Dims> refitted(const Dims& y, const Dims& from, const Dims& to) {
  if (y.size() != from.size()) return std::nullopt;
  if (from == to) return y;
  Dims fitted(to.size(), 1);
  Axes of_from;
  Axes of_to;
  while (of_from.end < from.size() || of_to.end < to.size()) {
    if (!next_group(from, of_from, to, of_to)) return std::nullopt;
    const std::int64_t elements = count(y, of_from);
    if (elements == 1) continue;
    if (elements != count(from, of_from)) return std::nullopt;
    for (std::size_t axis = of_to.begin; axis < of_to.end; ++axis) {
      fitted[axis] = to[axis];
    }
  }
  return fitted;
}

}  // namespace benanza
