#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace benanza {

/// 95% interval, in the unit of what it was made of.
struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

/// Middle value; the mean of the two middle ones for an even count. `values` must not be empty.
double median(std::span<const double> values);

/// Samples that were taken in groups: repetitions of a measurement, at different times. `sizes`
/// adds up to the number of samples; empty: one group.
struct Groups {
  std::span<const double> samples{};
  std::span<const std::size_t> sizes{};
};

/// Median of a bootstrap draw: as many groups as there are, drawn with replacement, and of each as
/// many samples as it has, drawn with replacement. Samples of one group vary less than groups do:
/// drawing from all of them alike would call a median better known than it is.
double resampled_median(const Groups& groups, std::mt19937_64& random);

/// Smallest interval of order statistics that leaves 2.5% of `values` out at either end.
Interval percentile_interval(std::vector<double> values);

/// 95% bootstrap interval of the median (percentile method, fixed seed). Empty below two samples:
/// one value says nothing about spread.
std::optional<Interval> median_interval(const Groups& groups);
inline std::optional<Interval> median_interval(std::span<const double> samples) {
  return median_interval(Groups{.samples = samples, .sizes = {}});
}

/// Draws behind every bootstrap interval, and their seed.
inline constexpr int bootstrap_draws = 400;
inline constexpr std::uint64_t bootstrap_seed = 20200518;

}  // namespace benanza
