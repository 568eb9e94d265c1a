#include "statistics/statistics.h"

#include <algorithm>
#include <cmath>

namespace benanza {
namespace {

double median_in_place(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

double median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return median_in_place(copy);
}

double resampled_median(const Groups& groups, std::mt19937_64& random) {
  // Not uniform_int_distribution: its values differ between standard libraries.
  const auto below = [&](std::size_t count) {
    return static_cast<std::size_t>((random() >> 32) * count >> 32);
  };
  std::vector<double> draw;
  draw.reserve(groups.samples.size());
  const auto draw_from = [&](std::span<const double> samples) {
    for (std::size_t i = 0; i < samples.size(); ++i) draw.push_back(samples[below(samples.size())]);
  };
  if (groups.sizes.size() < 2) {
    draw_from(groups.samples);
    return median_in_place(draw);
  }
  for (std::size_t i = 0; i < groups.sizes.size(); ++i) {
    const std::size_t group = below(groups.sizes.size());
    std::size_t begin = 0;
    for (std::size_t before = 0; before < group; ++before) begin += groups.sizes[before];
    draw_from(groups.samples.subspan(begin, groups.sizes[group]));
  }
  return median_in_place(draw);
}

Interval percentile_interval(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto left_out =
      static_cast<std::size_t>(std::floor(0.025 * static_cast<double>(values.size())));
  return {values[left_out], values[values.size() - 1 - left_out]};
}

std::optional<Interval> median_interval(const Groups& groups) {
  if (groups.samples.size() < 2) return std::nullopt;
  std::mt19937_64 random(bootstrap_seed);
  std::vector<double> medians(bootstrap_draws);
  for (double& value : medians) value = resampled_median(groups, random);
  return percentile_interval(std::move(medians));
}

}  // namespace benanza
