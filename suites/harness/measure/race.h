#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "suites/harness/measure/measure.h"

namespace benanza::harness {

/// A round of a race.
struct Heat {
  /// For how long a candidate is timed.
  double seconds = 0;
  /// How many times as long as the best a candidate may take to be in the next heat.
  double margin = 1;
};

/// How to find the fastest of many calls (AlgorithmSet::search): successive halving. Every
/// candidate is timed briefly, and longer only while it stays close to the best so far. The
/// library's own choices come first, so that most others are dropped at once.
struct RaceRules {
  /// Lasting ever longer, with ever smaller margins.
  std::vector<Heat> heats = {{1e-3, 1.3}, {4e-3, 1.1}, {16e-3, 1.04}};
  /// A first call is slow, and between events it takes longer than one of many in a graph: more
  /// than so many times as long as the best, and so many seconds, means that a candidate is
  /// hopeless.
  double first_call_margin = 3;
  double first_call_seconds = 10e-6;
  /// How many are measured like all other calls in the end, as far as they are within the last
  /// heat's margin.
  std::size_t finalists = 3;
  /// The neighbours of so many of the best are tried, too, and then those of the best of them, so
  /// many times.
  std::size_t parents = 3;
  std::size_t generations = 4;
  /// Neighbours are tried only if the best is this close to that of other layouts.
  double promising_by = 1.3;
  /// After so many candidates, no neighbours are added.
  std::size_t most_candidates = 1000;
  /// After so many seconds of trying, no candidates are tried any more. What the library lists may
  /// take only this share of them, so that neighbours have some.
  double most_seconds = 2;
  double listed_share = 0.6;

  /// Every margin at least `margin`, and the last one equal to it; infinite: nothing is dropped,
  /// and time is not limited.
  void set_margin(double margin);
};

/// The options to measure a candidate with in a heat, where the best so far takes `best_seconds`.
MeasureOptions options_of(const Heat& heat, MeasureOptions options,
                          std::optional<double> best_seconds);

/// Which of the candidates are timed further. Knows names and seconds only.
class Race {
 public:
  explicit Race(RaceRules rules) : rules_(std::move(rules)) {}

  const RaceRules& rules() const { return rules_; }
  /// Of a call; empty as long as no candidate was timed.
  std::optional<double> best_seconds() const;
  /// Whether to time a candidate whose first calls took at least this long.
  bool may_start(double first_call_seconds) const;
  /// Notes what a candidate took in a heat, numbered from 0; the fastest of several counts. Returns
  /// whether it takes part in the next heat.
  bool goes_on(const std::string& candidate, std::size_t heat, double seconds);
  /// The candidate is wrong after all.
  void withdraw(const std::string& candidate) { seconds_.erase(candidate); }
  /// All candidates that were timed, fastest first.
  std::vector<std::string> ranking() const;
  /// Whether so fast a candidate is as good as the best.
  bool is_close(const std::string& candidate) const;
  /// Those of the best whose neighbours are to be tried next, each once; empty when that is done.
  std::vector<std::string> take_parents();

 private:
  RaceRules rules_;
  std::map<std::string, double> seconds_;
  std::set<std::string> parents_;
  std::size_t generation_ = 0;
};

}  // namespace benanza::harness
