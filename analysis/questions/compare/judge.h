#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/questions/compare/change.h"
#include "analysis/questions/compare/common_change.h"

namespace benanza::analysis {

/// Probability of at least one verdict `slower` or `faster` in a table if nothing has changed.
inline constexpr double false_alarm_level = 0.01;

/// Standard deviation of the logarithm of a ratio between two runs, from a series of runs.
struct Scatter {
  double deviation = 0;
  double degrees = 0;
};
/// By problem.
using Scatters = std::map<std::string, Scatter, std::less<>>;

/// What is known beside the two sets of measurements.
struct Circumstances {
  Witnesses witnesses{};
  /// The level of each table.
  double level = false_alarm_level;
  /// Used for problems whose repetitions claim less.
  Scatters scatters{};
  /// False: verdicts of problems, without their spreads, and none of single calls.
  bool in_detail = true;
};

/// The logarithm of ratio(), with its error by the repetitions; empty without a time on both sides
/// or below least_repetitions.
std::optional<Uncertain> log_ratio(const Change& change);

/// What the calls of each backend have in common, with verdicts.
std::vector<CommonChange> common_changes(const std::vector<Change>& calls, double tolerance,
                                         const Circumstances& circumstances);

/// Sets the verdicts of all rows of one table (changes()).
void judge(std::vector<Change>& table, const std::vector<CommonChange>& common, double tolerance,
           const Circumstances& circumstances);

}  // namespace benanza::analysis
