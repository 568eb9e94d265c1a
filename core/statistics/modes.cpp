#include "core/statistics/modes.h"

#include <algorithm>

#include "core/statistics/summary.h"

namespace benanza {
namespace {

constexpr std::size_t least_values = 4;
/// Of the gap to the width of a group, and to the value below it.
constexpr double least_over_width = 2;
constexpr double least_over_value = 0.1;

}  // namespace

std::optional<TwoGroups> two_groups(std::span<const double> values) {
  if (values.size() < least_values) return std::nullopt;
  const std::vector<double> ordered = sorted(values);
  std::size_t first = 1;  // of the upper group
  for (std::size_t i = 2; i < ordered.size(); ++i) {
    if (ordered[i] - ordered[i - 1] > ordered[first] - ordered[first - 1]) first = i;
  }
  const double gap = ordered[first] - ordered[first - 1];
  const double width =
      std::max(ordered[first - 1] - ordered.front(), ordered.back() - ordered[first]);
  if (gap <= least_over_width * width || gap <= least_over_value * ordered[first - 1]) {
    return std::nullopt;
  }
  const auto middle = ordered.begin() + static_cast<std::ptrdiff_t>(first);
  return TwoGroups{.low = {ordered.begin(), middle}, .high = {middle, ordered.end()}};
}

}  // namespace benanza
