#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

namespace benanza::analysis {

/// 0 to `count` - 1, those of the largest `value` first.
template <class Value>
std::vector<std::size_t> largest_first(std::size_t count, const Value& value) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, value);
  return order;
}

}  // namespace benanza::analysis
