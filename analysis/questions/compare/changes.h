#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/model/selection.h"
#include "core/statistics/statistics.h"

namespace benanza::analysis {

/// How a time changed between two sets of results, the gravest first. `lost`: there is none any
/// more; `gained`: there was none.
enum class ChangeKind { lost, slower, gained, faster, same };
inline constexpr ChangeKind change_kinds[] = {
    ChangeKind::lost, ChangeKind::slower, ChangeKind::gained, ChangeKind::faster, ChangeKind::same};
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
  /// 95% bootstrap interval of ratio(); only where that is beyond the tolerance and both were
  /// sampled more than once.
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
};

/// Of what `filter` admits. A time is `slower` (`faster`) where it is more than 1 + tolerance times
/// as long (short) and the 95% interval of that does not reach 1.
Changes changes(const MeasurementSet& before, const MeasurementSet& after,
                const MeasurementFilter& filter, double tolerance);

struct ChangeTotals {
  std::size_t of(ChangeKind kind) const { return counts[static_cast<std::size_t>(kind)]; }
  /// With a time in both.
  std::size_t compared = 0;
  std::size_t counts[std::size(change_kinds)] = {};
  std::optional<double> median_ratio{};
};
ChangeTotals totals(const std::vector<Change>& changes);

}  // namespace benanza::analysis
