#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/statistics/summary.h"

namespace benanza {

// Samples taken within one repetition share its state (clocks, memory placement, neighbours), so
// they are not independent. Everything here works on one value per repetition: the median of its
// samples. Formulas: J. W. Tukey, D. H. McLaughlin, "Less vulnerable confidence and significance
// procedures for location based on a single sample", Sankhya A 25 (1963); K. K. Yuen, "The
// two-sample trimmed t for unequal population variances", Biometrika 61 (1974).

/// With fewer repetitions, a confidence interval would claim more than the data support.
inline constexpr std::size_t least_repetitions = 5;

/// How many of so many values trimmed_mean() leaves out at each end.
std::size_t trimmed_count(std::size_t count);

/// Mean of the values without the lowest and the highest fifth (at least one of each if there are
/// three or more values), so that one stalled repetition does not affect it. Requires at least one
/// value.
double trimmed_mean(std::span<const double> values);

/// The values in their original order, with those that trimmed_mean() leaves out replaced by the
/// nearest one that it keeps. Sums of winsorized values over layers preserve the correlation
/// between the layers' repetitions.
std::vector<double> winsorized(std::span<const double> values);

/// An estimate with its standard error and degrees of freedom.
struct Uncertain {
  double value = 0;
  double standard_error = 0;
  double degrees = 0;

  /// 95% confidence interval, symmetric about the value.
  Interval interval() const;
  /// The probability of a value at least this far above `limit` if the true value is `limit`
  /// (one-sided t test).
  double probability_above(double limit) const;
};

/// A sum over layers, each measured in the same repetitions. Its value is the sum of the trimmed
/// means; its error is that of the sum of the winsorized repetitions, so that it accounts for the
/// correlation between layers. Degrees of freedom: count - 1 - 2 trimmed rho, where rho =
/// (deviation of the sum / sum of the deviations)^2 measures how far the same repetitions are
/// trimmed in every layer: Yuen's for one layer or layers that vary together, count - 1 for many
/// that do not.
class RepetitionSum {
 public:
  /// One layer's value per repetition; at least one. If layers have different counts, the error is
  /// computed from the first repetitions that all of them have.
  void add(std::span<const double> values);
  double value() const { return value_; }
  /// Empty if nothing was added or a layer has fewer than least_repetitions.
  std::optional<Uncertain> estimate() const;

 private:
  double value_ = 0;
  std::vector<std::vector<double>> layers_;
};

/// The logarithm of the time of one measurement. Empty below least_repetitions.
std::optional<Uncertain> log_time(std::span<const double> repetition_seconds);

/// a - b of independent estimates, with Welch's degrees of freedom.
Uncertain difference(const Uncertain& a, const Uncertain& b);

/// Five repetitions of one call say little about its variance, but a thousand calls measured
/// together say a lot: shrinks each error towards the common one, as far as they agree, and adds
/// the corresponding degrees of freedom. Empirical Bayes: G. K. Smyth, "Linear models and empirical
/// Bayes methods for assessing differential expression in microarray experiments", Stat. Appl.
/// Genet. Mol. Biol. 3 (2004), 6.1. Changes nothing for fewer than least_moderated estimates.
void moderate(std::span<Uncertain> estimates);
inline constexpr std::size_t least_moderated = 20;

/// Holm's correction: for each p-value the smallest family-wise level at which it is rejected. If
/// nothing differs, the probability that any adjusted value is below x is at most x.
std::vector<double> holm_adjusted(std::span<const double> probabilities);

/// Wilcoxon's signed-rank test, one-sided: the probability of differences at least this far above
/// zero if their distribution is symmetric about zero. Exact up to 60 differences without ties;
/// zeros count half for either side. 1 if there are no differences.
double signed_rank_probability(std::span<const double> differences);

}  // namespace benanza
