#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/model/selection.h"
#include "core/graph_file/graph.h"
#include "core/statistics/repetitions.h"

namespace benanza::analysis {

/// How a time changed between two sets of results, most serious first. `lost`: it no longer exists;
/// `gained`: it did not exist before; `unknown`: the times differ by more than the tolerance, but
/// the processes or repetitions are too few or too noisy to rule out chance.
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

  /// Seconds after over seconds before.
  std::optional<double> ratio() const;
};

/// All changes at one precision, sorted by ChangeKind, then by size, largest first.
struct Changes {
  /// The fastest call of every problem.
  std::vector<Change> problems{};
  /// Every call, of backends that measured the problem both times. A call without a time in the
  /// second set is `lost`, whether the library refuses it or no longer offers it.
  std::vector<Change> calls{};
  /// Problems with rows in only one of the sets: not compared.
  std::size_t only_before = 0;
  std::size_t only_after = 0;
  /// Problems that different backends measured in the two sets: not compared.
  std::size_t other_backends = 0;
  /// The median ratio of all calls, their common change: clocks, other work on the machine, or a
  /// change to everything. Verdicts are relative to it. 1 if fewer than least_calls_of_drift calls
  /// have a time in both.
  double drift = 1;
  /// The least ratio that can be told from what another process does to a call, where one of two
  /// times is of one process; empty if all are of several.
  std::optional<double> told_from{};
};
inline constexpr std::size_t least_calls_of_drift = 20;
/// Probability of at least one verdict `slower` or `faster` in a table if nothing has changed.
inline constexpr double false_alarm_level = 0.01;

/// Problems whose calls must not add into the residual's own memory, because the residual is needed
/// again (Fusion::keeps_residual) in every fusion with that problem, in all graphs.
std::set<std::string, std::less<>> keeping_residual(const std::vector<Graph>& graphs);

/// Compares the rows that `filter` admits, of backends that measured a problem both times. A time
/// is `slower` (`faster`) if its ratio, relative to the drift, is significantly above 1 + tolerance
/// (below 1 / (1 + tolerance)): Welch's test on the logarithms of the processes' times
/// (log_time_of()), with variances moderated over all rows of the table (moderate()) and Holm's
/// correction for their number, at false_alarm_level. `keep_residual`: problems whose fastest call
/// must leave the residual unchanged.
Changes changes(const MeasurementSet& before, const MeasurementSet& after,
                const MeasurementFilter& filter, double tolerance,
                const std::set<std::string, std::less<>>& keep_residual = {});

struct ChangeTotals {
  std::size_t of(ChangeKind kind) const { return counts[static_cast<std::size_t>(kind)]; }
  /// Number of changes with a time in both.
  std::size_t compared = 0;
  std::size_t counts[std::size(change_kinds)] = {};
  std::optional<double> median_ratio{};
};
ChangeTotals totals(const std::vector<Change>& changes);

}  // namespace benanza::analysis
