#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/statistics/summary.h"

namespace benanza {

/// Samples that were taken in groups: repetitions of a measurement, at different times. `sizes`
/// adds up to the number of samples; empty: one group.
struct Groups {
  std::span<const double> samples{};
  std::span<const std::size_t> sizes{};
};

/// Random numbers that are the same everywhere for one seed (SplitMix64): the standard library's
/// distributions are not, and its generators cost more than a draw does.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t value = state_ += 0x9e3779b97f4a7c15U;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
    value = (value ^ value >> 27) * 0x94d049bb133111ebU;
    return value ^ value >> 31;
  }

 private:
  std::uint64_t state_;
};

/// Bootstrap draws of one median: as many groups as there are, drawn with replacement, and of each
/// as many samples as it has, drawn with replacement. Samples of one group vary less than groups
/// do: drawing from all of them alike would call a median better known than it is.
/// The samples are sorted once; a draw counts how often it has each of them.
class MedianResampler {
 public:
  /// There must be samples.
  explicit MedianResampler(const Groups& groups);

  /// Median of one draw.
  double draw(Random& random);

 private:
  std::vector<double> sorted_;
  /// Of the samples in the order of their groups: their places in `sorted_`.
  std::vector<std::uint32_t> places_;
  /// Where each group begins in `places_`, and the end of the last.
  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> counts_;
};

/// Smallest interval of order statistics that leaves 2.5% of `values` out at either end.
Interval percentile_interval(std::vector<double> values);

/// 95% bootstrap interval of the median (percentile method, fixed seed). Empty below two samples:
/// one value says nothing about spread.
std::optional<Interval> median_interval(const Groups& groups);
inline std::optional<Interval> median_interval(std::span<const double> samples) {
  return median_interval(Groups{.samples = samples, .sizes = {}});
}

/// 95% bootstrap interval of median(numerator) / median(denominator), both drawn. Empty where one
/// of them has fewer than two samples.
std::optional<Interval> ratio_interval(const Groups& numerator, const Groups& denominator);

/// Draws behind every bootstrap interval, and their seed.
inline constexpr int bootstrap_draws = 400;
inline constexpr std::uint64_t bootstrap_seed = 20200518;

}  // namespace benanza
