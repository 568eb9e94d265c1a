#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/model/selection.h"
#include "analysis/questions/compare/judge.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// All changes at one precision: those that go with a common change last, then sorted by
/// ChangeKind, then by size, largest first.
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
  /// What the calls of each backend have in common, of backends with at least least_calls_of_drift
  /// of them.
  std::vector<CommonChange> common{};
  /// The least ratio that can be told from what another process does to a call, where one of two
  /// times is of one process; empty if all are of several.
  std::optional<double> told_from{};

  /// What the machine did to the backend with the most calls, by its reference; 1 if it has none.
  double drift() const;
};
/// Problems whose calls must not add into the residual's own memory, because the residual is needed
/// again (Fusion::keeps_residual) in every fusion with that problem, in all graphs.
std::set<std::string, std::less<>> keeping_residual(const std::vector<Graph>& graphs);

/// Compares the rows that `filter` admits, of backends that measured a problem both times. A time
/// is `slower` (`faster`) if its ratio, relative to the machine's drift, is significantly above 1 +
/// tolerance (below 1 / (1 + tolerance)): Welch's test on the logarithms of the processes' times
/// (log_time_of()), with variances moderated over all rows of the table (moderate()) and Holm's
/// correction for their number. The drift is what a reference tells (common_change.h), 1 without
/// one. Where the calls have a change in common, a time is also `slower` if it is beyond the
/// tolerance relative to that and beyond half of it relative to the drift: nothing is faster only
/// because everything else is slower. `keep_residual`: problems whose fastest call must leave the
/// residual unchanged.
Changes changes(const MeasurementSet& before, const MeasurementSet& after,
                const MeasurementFilter& filter, double tolerance,
                const std::set<std::string, std::less<>>& keep_residual = {},
                const Circumstances& circumstances = {});

struct ChangeTotals {
  std::size_t of(ChangeKind kind) const { return counts[static_cast<std::size_t>(kind)]; }
  /// Number of changes with a time in both.
  std::size_t compared = 0;
  /// Of those slower or faster: changed as all do (Change::with_common).
  std::size_t with_common = 0;
  std::size_t counts[std::size(change_kinds)] = {};
  std::optional<double> median_ratio{};
};
ChangeTotals totals(const std::vector<Change>& changes);

}  // namespace benanza::analysis
