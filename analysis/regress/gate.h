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
  /// Variants to measure; empty: everything that was requested.
  std::vector<VariantName> only{};
  int number = 0;

  /// Which side is visited first in this round: A B, B A, A B, ... or B A, A B, ...
  bool before_first() const { return number % 2 == 0; }
};
struct RowsOfRound {
  std::vector<Row> before{};
  std::vector<Row> after{};
};
/// Runs the two processes of a round.
using RunRound = std::function<RowsOfRound(const Round&)>;

struct GateOptions {
  Unit unit = Unit::choice;
  /// Ratios up to 1 + tolerance count as equal.
  double tolerance = 0.03;
  /// Rounds that select suspects: the first of everything, the rest of what still looks different.
  int screening_rounds = 5;
  /// Cumulative numbers of confirming rounds after which suspects are judged; the last judgement is
  /// final. Each round is another pair of processes: their memory placement may make them differ,
  /// which more visits to the same two would never average out.
  std::vector<int> looks{8, 16, 32};
  /// From this look on, an undecided unit whose estimate lies within the tolerance counts as equal:
  /// more rounds would hardly show the opposite.
  int hopeless_from = 32;
  /// Units that are measured beside the suspects to estimate what all have in common.
  std::size_t controls = 16;
  /// Probability of any `kernel` or `heuristic` in a run if nothing has changed.
  double level = 0.01;
};

/// Why a unit is in the report, from most to least severe.
enum class Verdict {
  /// It has no time any more: refused, wrong or failed.
  lost,
  /// The same algorithm is slower, or the algorithm is gone.
  kernel,
  /// The library now picks another algorithm that is slower, although it still has the old one.
  heuristic,
  /// Still looks different, but the rounds do not settle it.
  unknown,
  faster,
  /// Looked different in the screening but not in the confirming rounds.
  noise,
};
inline constexpr Verdict verdicts[] = {Verdict::lost,    Verdict::kernel, Verdict::heuristic,
                                       Verdict::unknown, Verdict::faster, Verdict::noise};
std::string_view to_string(Verdict verdict);
/// Returns true if the verdict makes the gate fail.
inline bool is_regression(Verdict verdict) {
  return verdict == Verdict::lost || verdict == Verdict::kernel || verdict == Verdict::heuristic;
}

struct Judged {
  std::string unit{};
  Verdict verdict = Verdict::noise;
  /// After / before without drift, and its 95% interval, from the confirming rounds.
  std::optional<double> ratio{};
  std::optional<Interval> interval{};
  /// As measured in the first round.
  Timing before{};
  Timing after{};
  std::size_t rounds = 0;
};

struct GateAnswer {
  /// Most severe first.
  std::vector<Judged> judged{};
  /// Units with a time on both sides.
  std::size_t compared = 0;
  /// After / before of what all units have in common, over all rounds, and its interval.
  double drift = 1;
  std::optional<Interval> drift_interval{};
  /// All units together are slower than the tolerance allows: as severe as a single regression.
  bool all_slower = false;

  bool closes() const;
};

/// Screens everything, measures again what looks different, and classifies it.
GateAnswer judge(const GateOptions& options, const RunRound& run);

}  // namespace benanza::regress
