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

double resampled_median(std::span<const double> samples, std::mt19937_64& random) {
  std::vector<double> draw(samples.size());
  // Not uniform_int_distribution: its values differ between standard libraries.
  for (double& value : draw) value = samples[random() % samples.size()];
  return median_in_place(draw);
}

Interval percentile_interval(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto left_out =
      static_cast<std::size_t>(std::floor(0.025 * static_cast<double>(values.size())));
  return {values[left_out], values[values.size() - 1 - left_out]};
}

std::optional<Interval> median_interval(std::span<const double> samples) {
  if (samples.size() < 2) return std::nullopt;
  std::mt19937_64 random(bootstrap_seed);
  std::vector<double> medians(bootstrap_draws);
  for (double& value : medians) value = resampled_median(samples, random);
  return percentile_interval(std::move(medians));
}

}  // namespace benanza
