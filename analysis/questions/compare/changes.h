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

/// How a time changed between two sets of results, the gravest first. `lost`: there is none any
/// more; `gained`: there was none; `unknown`: farther apart than the tolerance, but by
/// repetitions that are too few or differ too much to tell a change from chance.
enum class ChangeKind { lost, slower, gained, faster, unknown, same };
inline constexpr ChangeKind change_kinds[] = {ChangeKind::lost,    ChangeKind::slower,
                                              ChangeKind::gained,  ChangeKind::faster,
                                              ChangeKind::unknown, ChangeKind::same};
std::string_view to_string(ChangeKind kind);

/// One call, or the fastest call of one problem, in both sets of results.
struct Change {
  std::string key{};
  /// Null where no call is ok. They live as long as their sets.
  const Measurement* before = nullptr;
  const Measurement* after = nullptr;
  /// Why one is null.
  std::string reason{};
  ChangeKind kind = ChangeKind::same;
  /// 95% interval of ratio(), for this change by itself; empty where one of the two has fewer than
  /// least_repetitions.
  std::optional<Interval> spread{};

  /// Seconds after over seconds before.
  std::optional<double> ratio() const;
};

/// All changes at one precision, in the order of turns, each by how large it is.
struct Changes {
  /// The fastest call of every problem.
  std::vector<Change> problems{};
  /// Every call by itself, of backends that measured the problem both times. One that is not there
  /// any more is lost, whether the library refuses it or does not name it.
  std::vector<Change> calls{};
  /// Problems that have rows in one of the sets alone: not compared.
  std::size_t only_before = 0;
  std::size_t only_after = 0;
  /// Problems that only different backends measured: not compared.
  std::size_t other_backends = 0;
  /// What all calls have in common, as the median of their ratios: clocks, other work on the
  /// machine, or a change to everything. Verdicts are relative to it. 1 where fewer than
  /// least_calls_of_drift calls have a time in both.
  double drift = 1;
};
inline constexpr std::size_t least_calls_of_drift = 20;
/// Probability of any verdict `slower` or `faster` in a table if nothing has changed.
inline constexpr double false_alarm_level = 0.01;

/// Problems of which no call may add into the residual's own memory: those of fusions whose
/// residual is needed again (Fusion::keeps_residual), in all graphs that have them.
std::set<std::string, std::less<>> keeping_residual(const std::vector<Graph>& graphs);

/// Of what `filter` admits, by the backends that measured a problem both times. A time is `slower`
/// (`faster`) where its ratio, relative to the drift, is shown to be above 1 + tolerance (below 1 /
/// (1 + tolerance)): Welch's test on the logarithms of repetitions, with
/// what all rows of the table say of their spread (moderate()), corrected for their number by Holm,
/// at false_alarm_level.
/// `keep_residual`: problems whose fastest call is one that leaves the residual as it is.
Changes changes(const MeasurementSet& before, const MeasurementSet& after,
                const MeasurementFilter& filter, double tolerance,
                const std::set<std::string, std::less<>>& keep_residual = {});

struct ChangeTotals {
  std::size_t of(ChangeKind kind) const { return counts[static_cast<std::size_t>(kind)]; }
  /// With a time in both.
  std::size_t compared = 0;
  std::size_t counts[std::size(change_kinds)] = {};
  std::optional<double> median_ratio{};
};
ChangeTotals totals(const std::vector<Change>& changes);

}  // namespace benanza::analysis
