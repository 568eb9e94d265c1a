#pragma once

#include <span>
#include <vector>

namespace benanza {

/// 95% interval, in the unit of the values that it was computed from.
struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

/// A copy in ascending order.
std::vector<double> sorted(std::span<const double> values);

/// Middle value of at least one, in any order; the mean of the two middle ones for an even count.
double median(std::span<const double> values);

/// Of at least one value.
double mean(std::span<const double> values);

/// Sample standard deviation (n - 1) over mean; 0 for a single value.
double coefficient_of_variation(std::span<const double> values);

/// 95% interval of the median of independent values, whatever their distribution: the k-th smallest
/// and k-th largest, with the largest k for which P(Binomial(n, 1/2) < k) <= 2.5%. The whole line
/// below six values, where there is no such k.
Interval order_statistic_interval(std::span<const double> values);

}  // namespace benanza
