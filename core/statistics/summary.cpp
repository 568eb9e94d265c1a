#include "core/statistics/summary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace benanza {
namespace {

/// Largest k with P(Binomial(n, 1/2) <= k - 1) <= 2.5%; 0 if there is none.
std::size_t interval_rank(std::size_t n) {
  constexpr double tail = 0.025;
  constexpr std::size_t exact_limit = 1000;  // 2^-n is still a normal double
  const auto count = static_cast<double>(n);
  if (n > exact_limit) {
    constexpr double normal_quantile = 1.959964;
    return static_cast<std::size_t>(count / 2 - normal_quantile * std::sqrt(count) / 2);
  }
  double probability = std::exp2(-count);  // of exactly `rank` successes
  double cumulative = probability;
  std::size_t rank = 0;
  while (cumulative <= tail && rank < n) {
    probability *= (count - static_cast<double>(rank)) / (static_cast<double>(rank) + 1);
    cumulative += probability;
    ++rank;
  }
  return rank;
}

constexpr std::size_t least_values = 4;
/// Of the gap to the width of a group, and to the value below it.
constexpr double least_over_width = 2;
constexpr double least_over_value = 0.1;

}  // namespace

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  std::ranges::sort(result);
  return result;
}

double median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return median_in_place(copy);
}

double median_in_place(std::span<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

bool are_interrupted(std::span<const double> seconds) {
  constexpr double beyond = 4.0 / 3;
  return median(seconds) > beyond * *std::ranges::min_element(seconds);
}

double typical(std::span<const double> seconds) {
  return are_interrupted(seconds) ? *std::ranges::min_element(seconds) : median(seconds);
}

double quantile(std::span<const double> values, double p) {
  const std::vector<double> ascending = sorted(values);
  const auto rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(ascending.size())));
  return ascending[std::clamp<std::size_t>(rank, 1, ascending.size()) - 1];
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double coefficient_of_variation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double center = mean(values);
  if (center == 0) return 0;
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / center;
}

Interval order_statistic_interval(std::span<const double> values) {
  const std::size_t rank = interval_rank(values.size());
  if (rank == 0) {
    const double infinity = std::numeric_limits<double>::infinity();
    return {-infinity, infinity};
  }
  const std::vector<double> ordered = sorted(values);
  return {ordered[rank - 1], ordered[ordered.size() - rank]};
}

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
