#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/input/measurement.h"
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

}  // namespace benanza::analysis
