#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/regress/pairs.h"

namespace benanza::regress {

/// One process for each side.
struct Round {
  /// Names of variants; empty: everything that was asked for.
  std::vector<VariantName> only{};
  /// Of every variant on either side.
  int visits = 10;
  int number = 0;

  /// Which side is visited first: A B, B A, A B, ... in this round, or B A, A B, ...
  bool before_first() const { return number % 2 == 0; }
};
struct RowsOfRound {
  std::vector<Row> before{};
  std::vector<Row> after{};
};
/// Runs a round's two processes.
using RunRound = std::function<RowsOfRound(const Round&)>;

struct GateOptions {
  Unit unit = Unit::choice;
  /// Ratios up to 1 + tolerance are the same.
  double tolerance = 0.03;
  /// Rounds from which suspects are chosen: one of everything, then of what still looks apart.
  int screening_rounds = 5;
  /// Rounds of the suspects after which they are judged, added up; the last judges them finally.
  /// Each is another pair of processes: where their memory lies may make them differ, and more
  /// visits to the same two would never average that out.
  std::vector<int> looks{8, 16, 32};
  /// Units beside the suspects that show what all have in common.
  std::size_t controls = 16;
  /// Probability of any `kernel` or `heuristic` in a run if nothing has changed.
  double level = 0.01;
};

/// Why a unit is in the report, the gravest first.
enum class Verdict {
  /// No time any more: refused, wrong or failed.
  lost,
  /// The same algorithm is slower, or the algorithm is gone.
  kernel,
  /// The library now picks another algorithm that is slower, though it still has the old one.
  heuristic,
  /// Still looks apart, but the rounds do not settle it.
  unknown,
  faster,
  /// Looked apart in the screening, and did not when it was measured again.
  noise,
};
inline constexpr Verdict verdicts[] = {Verdict::lost,    Verdict::kernel, Verdict::heuristic,
                                       Verdict::unknown, Verdict::faster, Verdict::noise};
std::string_view to_string(Verdict verdict);
/// Does the gate close?
inline bool is_regression(Verdict verdict) {
  return verdict == Verdict::lost || verdict == Verdict::kernel || verdict == Verdict::heuristic;
}

struct Judged {
  std::string unit{};
  Verdict verdict = Verdict::noise;
  /// After over before, without drift; its 95% interval, of the confirming rounds.
  std::optional<double> ratio{};
  std::optional<Interval> interval{};
  /// As the first round measured it.
  Timing before{};
  Timing after{};
  std::size_t rounds = 0;
};

struct GateAnswer {
  /// Gravest first.
  std::vector<Judged> judged{};
  /// Units with a time on both sides.
  std::size_t compared = 0;
  /// After over before of what all units have in common, by all rounds, and its interval.
  double drift = 1;
  std::optional<Interval> drift_interval{};
  /// All units together are slower than the tolerance allows: as grave as one that is.
  bool all_slower = false;

  bool closes() const;
};

/// Screens everything, measures what looks apart again, and says why.
GateAnswer judge(const GateOptions& options, const RunRound& run);

}  // namespace benanza::regress
