#include "generator/fusion/region.h"

namespace benanza::fusion {
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

/// The next axes of both that hold equally many elements; axes of 1 go where they come.
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

std::optional<Dims> refitted(const Dims& y, const Dims& layer, const Dims& result) {
  if (y.size() != layer.size()) return std::nullopt;
  if (layer == result) return y;
  Dims fitted(result.size(), 1);
  Axes of_layer;
  Axes of_result;
  while (of_layer.end < layer.size() || of_result.end < result.size()) {
    if (!next_group(layer, of_layer, result, of_result)) return std::nullopt;
    const std::int64_t elements = count(y, of_layer);
    if (elements == 1) continue;
    if (elements != count(layer, of_layer)) return std::nullopt;
    for (std::size_t axis = of_result.begin; axis < of_result.end; ++axis) {
      fitted[axis] = result[axis];
    }
  }
  return fitted;
}

}  // namespace benanza::fusion
