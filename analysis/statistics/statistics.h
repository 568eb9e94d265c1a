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

/// Median of `samples.size()` values drawn from `samples` with replacement.
double resampled_median(std::span<const double> samples, std::mt19937_64& random);

/// Smallest interval of order statistics that leaves 2.5% of `values` out at either end.
Interval percentile_interval(std::vector<double> values);

/// 95% bootstrap interval of the median (percentile method, fixed seed). Empty below two samples:
/// one value says nothing about spread.
std::optional<Interval> median_interval(std::span<const double> samples);

/// Draws behind every bootstrap interval, and their seed.
inline constexpr int bootstrap_draws = 400;
inline constexpr std::uint64_t bootstrap_seed = 20200518;

}  // namespace benanza
