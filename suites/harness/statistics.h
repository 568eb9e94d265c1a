#pragma once

#include <span>

namespace benanza {

/// Middle value of `values`, in any order; mean of the two middle ones for an even count. At least
/// one value.
double median(std::span<const double> values);

double mean(std::span<const double> values);

/// Sample standard deviation (n - 1) over mean; 0 for a single value.
double coefficient_of_variation(std::span<const double> values);

struct Interval {
  double low = 0;
  double high = 0;
};

/// Confidence interval of the median, at least 95%, free of assumptions about the distribution: the
/// k-th smallest and k-th largest value, with the largest k such that P(Binomial(n, 1/2) < k) is at
/// most 2.5%. Below six values no such k exists and the interval is the whole line.
Interval median_interval(std::span<const double> values);

}  // namespace benanza
