#pragma once

#include <chrono>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "suites/harness/choose/options.h"
#include "suites/harness/measure/race.h"
#include "suites/harness/run/ledger.h"
#include "suites/harness/run/queue.h"
#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// Seconds without a limit.
inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// Facts of the rows of a search: the number of candidates, and how many rows have these facts.
inline constexpr const char* search_tried_fact = "search_tried";
inline constexpr const char* search_kept_fact = "search_kept";

/// Candidates of one problem, precision and layout.
using Candidates = std::vector<const NamedVariant*>;

/// `like` with another algorithm.
NamedVariant with_algorithm(const NamedVariant& like, const Algorithm& algorithm);

/// What a search works with.
struct SearchTools {
  Backend& backend;
  const Verifier& verifier;
  const SuiteOptions& options;
  CrashGuard& crash;
  Ledger& ledger;
  GuardedRunner& runner;
  SearchTally& count;
};

/// The search among the candidates of one problem, precision and layout, step by step, so that
/// others go on while this one waits for what the backend prepares.
class GroupSearch {
 public:
  /// The candidates must outlive this object; the first is the library's choice.
  GroupSearch(SearchTools tools, Candidates candidates);

  std::optional<double> best_seconds() const { return race_.best_seconds(); }
  /// Candidates wait to be tried.
  bool is_waiting() const { return !waiting_.empty(); }
  /// Tries a candidate that is ready; with patience, the first, whether it is or not. Returns
  /// whether one was tried.
  bool step(bool has_patience);
  /// Adds neighbours of the best, if they are close to the best of all layouts. Returns false if
  /// there are none, or no more.
  bool explore(double best_of_layouts);
  /// Measures and stores what is to be kept. Empty if the run ends before.
  std::vector<NamedVariant> keep();

 private:
  class Lap;

  const NamedVariant& first() const { return *candidates_.front(); }
  bool is_over() const;
  void add(const Candidates& candidates);
  Candidates::iterator first_ready();
  /// Whether neighbours are worth their time.
  bool is_promising(double best_of_layouts) const;
  Candidates neighbours(const std::vector<std::string>& parents);
  void enter(const NamedVariant& candidate);
  /// Times one candidate as long as the race wants it to.
  Outcome heats(const NamedVariant& candidate);
  /// Of two calls if the first is too slow: it may have had something to load.
  double first_seconds(Primitive& primitive, Stopwatch& stopwatch) const;
  /// Measures the first repetition, unless there is one; adds the variant to `kept` if it is ok.
  /// Returns whether it is.
  bool take(const NamedVariant& variant, std::vector<NamedVariant>& kept);
  /// Where nothing has a time: the first candidates, whose rows say why.
  std::vector<NamedVariant> reasons();
  void note(const std::vector<NamedVariant>& kept);

  SearchTools tools_;
  Candidates candidates_;
  Race race_;
  LookAhead look_ahead_;
  Candidates waiting_;
  bool explores_ = false;
  double spent_seconds_ = 0;
  std::chrono::steady_clock::time_point start_{};
  /// A deque, because the pointers to its elements must stay valid.
  std::deque<NamedVariant> proposed_;
  std::set<std::string> proposed_names_;
  std::map<std::string, const NamedVariant*> known_;
  /// Those that are correct.
  std::set<std::string> works_;
};

}  // namespace benanza::harness
