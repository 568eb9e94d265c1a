#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/model/spread.h"
#include "analysis/questions/compare/common_change.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {

/// How a time changed between two sets of results, most serious first. `lost`: it no longer exists;
/// `gained`: it did not exist before; `unknown`: the times differ by more than the tolerance, but
/// the processes or repetitions are too few or too noisy to rule out chance, or other programs ran
/// beside a fifth of them.
enum class ChangeKind { lost, slower, gained, faster, unknown, same };
inline constexpr ChangeKind change_kinds[] = {ChangeKind::lost,    ChangeKind::slower,
                                              ChangeKind::gained,  ChangeKind::faster,
                                              ChangeKind::unknown, ChangeKind::same};
std::string_view to_string(ChangeKind kind);

/// One call, or the fastest call of one problem, in both sets of results.
struct Change {
  std::string key{};
  /// Null if no call succeeded. They point into the sets of results.
  const Measurement* before = nullptr;
  const Measurement* after = nullptr;
  /// Why one of them is null.
  std::string reason{};
  ChangeKind kind = ChangeKind::same;
  /// 95% interval of ratio() for this change alone; empty if one of the two has fewer than
  /// least_repetitions.
  std::optional<Interval> spread{};
  /// ratio() over the common change of its backend's calls; empty if they have none.
  std::optional<double> beside_common{};
  /// If its backend has a listed common change: it changed as all do, or it differs from that.
  bool with_common = false;
  bool apart = false;

  /// Seconds after over seconds before.
  std::optional<double> ratio() const;
};

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

/// How far processes are apart, from the calls that both sets have.
ProcessSpread process_spread_in(const std::vector<Change>& calls);

/// True if one of the two times is of one process.
bool is_of_one_process(const Change& change);

/// The least ratio that a table of so many rows, each of one process, tells from chance.
double told_from(const ProcessSpread& usual, std::size_t rows, double tolerance, double level);

/// Whether other programs ran beside so much of one side that a change cannot be told from theirs.
bool is_crowded(const Change& change);

/// The logarithm of ratio(), with its error by the processes (log_time_of()); empty without a time
/// on both sides or below least_repetitions.
std::optional<Uncertain> log_ratio(const Change& change, const ProcessSpread& usual);

/// What the calls of each backend have in common, with verdicts.
std::vector<CommonChange> common_changes(const std::vector<Change>& calls, double tolerance,
                                         const Circumstances& circumstances);

/// Sets the verdicts of all rows of one table (changes()).
void judge(std::vector<Change>& table, const std::vector<CommonChange>& common,
           const ProcessSpread& usual, double tolerance, const Circumstances& circumstances);

}  // namespace benanza::analysis
