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

/// What is compared: a call by its whole name, or, by the library's own choice, what it picks for a
/// problem at a precision in a layout, whatever that is.
enum class Unit { call, choice };
std::string unit_name(const VariantName& variant, Unit unit);

/// What one process says of a unit.
struct Timing {
  Status status = Status::ok;
  std::string reason{};
  /// Of each visit, in their order; only where the status is ok.
  std::vector<double> visits{};
  VariantName variant{};

  /// Their median.
  double seconds() const { return median(visits); }
};
/// By unit_name(); the first of several variants of one choice.
using Timings = std::map<std::string, Timing, std::less<>>;
Timings timings_of(std::span<const Row> rows, Unit unit);

/// One process of each side, visited in turns.
struct Pair {
  Timings before{};
  Timings after{};
};
/// The logarithm of after / before: of visits that were neighbours in time, the median. Calls of
/// more than long_call_seconds: of either side's fastest visits. A visit holds few samples of them,
/// and what kept the processors busy has hit most: the error beside a busy program is a third.
inline constexpr double long_call_seconds = 1e-4;
double log_ratio(const Timing& before, const Timing& after);

/// Logarithms of after / before, one for each pair that has both times; each without what all units
/// of that pair have in common, if they are enough to tell.
using LogRatios = std::map<std::string, std::vector<double>, std::less<>>;
struct PairedRatios {
  LogRatios of_unit{};
  /// What the units of each pair have in common: the median; 0 below least_units_of_drift.
  std::vector<double> drift{};
};
inline constexpr std::size_t least_units_of_drift = 10;
/// `controls`: the units that show what all have in common; empty: all of them.
PairedRatios paired_ratios(std::span<const Pair> pairs, std::span<const std::string> controls = {});

/// Units that all pairs together put apart by more than `beyond` (a logarithm). What is missed here
/// is no alarm; what is found has to be confirmed by other pairs.
std::vector<std::string> suspects(const PairedRatios& ratios, double beyond);

/// What pairs that had no part in choosing the suspects say of one of them.
enum class Finding { slower, faster, neither, undecided };
/// For each unit of `ratios`: is it beyond `limit` either way? t tests on trimmed means, whose
/// errors many units together tell better (moderate()), Holm's correction for the number of units,
/// at `level`; `neither` where a unit is shown, at 5%, not to
/// reach `limit`.
std::map<std::string, Finding, std::less<>> findings(const LogRatios& ratios, double limit,
                                                     double level);

}  // namespace benanza::regress
