#pragma once

#include <optional>
#include <span>
#include <vector>

namespace benanza {

/// 95% confidence interval, in the unit of the values it was computed from.
struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

/// The values in ascending order.
std::vector<double> sorted(std::span<const double> values);

/// Median of at least one value, in any order; the mean of the two middle ones for an even count.
double median(std::span<const double> values);
/// The same, but reorders the values instead of copying them.
double median_in_place(std::span<double> values);

/// Whether the median of times exceeds the least by more than a third: then other programs have
/// interrupted most runs. Requires at least one value.
bool are_interrupted(std::span<const double> seconds);
/// The median of times of whole runs; the least if they are interrupted.
double typical(std::span<const double> seconds);

/// The p-quantile of at least one value, by nearest rank: 0 < p <= 1.
double quantile(std::span<const double> values, double p);

/// Requires at least one value.
double mean(std::span<const double> values);

/// Sample standard deviation (n - 1) over mean; 0 for a single value.
double coefficient_of_variation(std::span<const double> values);

/// 95% confidence interval of the median of independent values, for any distribution: the k-th
/// smallest and k-th largest value, with the largest k for which P(Binomial(n, 1/2) < k) <= 2.5%.
/// The whole real line for fewer than six values, for which there is no such k.
Interval order_statistic_interval(std::span<const double> values);

/// Values in two groups with a gap between them, each in ascending order.
struct TwoGroups {
  std::vector<double> low{};
  std::vector<double> high{};

  /// Whether each group has at least two values. A single value apart from all others may as well
  /// be a disturbance.
  bool are_modes() const { return low.size() >= 2 && high.size() >= 2; }
};

/// Splits positive values at their widest gap. Empty unless the gap is more than twice as wide as
/// the wider group and more than a tenth of the value below it, and for fewer than four values. Of
/// five values from one normal distribution with a deviation of 5%, fewer than 1% fall into two
/// modes.
std::optional<TwoGroups> two_groups(std::span<const double> values);

}  // namespace benanza
