#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/problem/name.h"
#include "core/results_file/row.h"
#include "core/statistics/repetitions.h"
#include "core/statistics/summary.h"

namespace benanza::regress {

/// What is compared: a call by its full name, or the library's choice for a problem at a precision
/// in a layout, whichever algorithm that is.
enum class Unit { call, choice };
std::string unit_name(const VariantName& variant, Unit unit);

/// One process' result for a unit.
struct Timing {
  Status status = Status::ok;
  std::string reason{};
  /// Seconds of each visit, in order; only if the status is ok.
  std::vector<double> visits{};
  VariantName variant{};

  /// Median of the visits.
  double seconds() const { return median(visits); }
};
/// By unit_name(); the first of several variants of one choice.
using Timings = std::map<std::string, Timing, std::less<>>;
Timings timings_of(std::span<const Row> rows, Unit unit);

/// The results of one process of each side, visited alternately.
struct Pair {
  Timings before{};
  Timings after{};
};
/// Returns the logarithm of after / before: the median over visits that were adjacent in time or,
/// for calls above long_call_seconds, the ratio of the fastest visits. A visit has few samples of
/// such calls, most of them disturbed on busy processors; there, this reduces the error to a third.
inline constexpr double long_call_seconds = 1e-4;
double log_ratio(const Timing& before, const Timing& after);

/// Logarithms of after / before, one for each pair that has both times, less the pair's drift.
using LogRatios = std::map<std::string, std::vector<double>, std::less<>>;
struct PairedRatios {
  LogRatios of_unit{};
  /// What the units of each pair have in common: the median; 0 below least_units_of_drift.
  std::vector<double> drift{};
};
inline constexpr std::size_t least_units_of_drift = 10;
/// `controls` are the units that determine the drift; empty: all of them.
PairedRatios paired_ratios(std::span<const Pair> pairs, std::span<const std::string> controls = {});

/// Returns units whose mean ratio over all pairs differs from 1 by more than `beyond` (a
/// logarithm). A unit missed here raises no alarm; one found here must be confirmed by other pairs.
std::vector<std::string> suspects(const PairedRatios& ratios, double beyond);

/// The result for a suspect, from pairs that were not used to choose the suspects.
enum class Finding { slower, faster, neither, undecided };
/// Tests for each unit of `ratios` whether it is beyond `limit` in either direction: t tests on
/// trimmed means with errors moderated across units (moderate()), with Holm's correction for the
/// number of units, at `level`; `neither` if a unit is shown, at 5%, not to reach `limit`.
std::map<std::string, Finding, std::less<>> findings(const LogRatios& ratios, double limit,
                                                     double level);

}  // namespace benanza::regress
