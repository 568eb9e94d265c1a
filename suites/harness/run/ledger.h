#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "suites/harness/choose/variants.h"
#include "suites/harness/keep/result_store.h"
#include "suites/harness/outcome.h"
#include "suites/harness/run/fastest.h"
#include "suites/harness/run/signals.h"

namespace benanza::harness {

/// What searches have tried (AlgorithmSet::search).
struct SearchTally {
  /// Of a problem, precision and layout each.
  std::int64_t searches = 0;
  /// Candidates, and those that were refused, incorrect or failed.
  std::int64_t tried = 0;
  std::map<Status, std::int64_t> without_time{};
  /// The rows of those that are kept included.
  double seconds = 0;
};

/// The number of variants requested, and their outcomes.
struct Tally {
  std::int64_t asked = 0;
  /// Found in the results of an earlier run.
  std::int64_t measured_before = 0;
  /// Rows of this run.
  std::map<Status, std::int64_t> rows{};
  /// The first row that is incorrect or failed; empty if there is none.
  std::string first_bad{};
  /// The row at which the engine was lost, which ended the run; empty if there is none.
  std::string lost_at{};
  /// Number of ok rows whose median had not converged when the budget was spent.
  std::int64_t not_converged = 0;
  /// Number of ok rows marked as disturbed.
  std::int64_t disturbed = 0;
  double timed_seconds = 0;
  PhaseSeconds phases{};
  SearchTally search{};
  /// Repetitions are left for further processes of this run.
  bool is_to_go_on = false;

  std::int64_t count(Status status) const;
  /// Adds a row. `name`: its variant's.
  void add(const Outcome& outcome, const std::string& name);
};

/// Before a process measures anything: what is asked for, and how much of it already has so many
/// repetitions.
Tally tally_at_start(std::span<const NamedVariant> variants, const ResultStore& store,
                     std::int64_t repetitions);
/// What all processes of the run have measured, by their rows.
Tally tally_of_run(std::span<const NamedVariant> variants, const ResultStore& store,
                   std::int64_t repetitions);
/// True if some of so many repetitions of a variant are not finished.
bool is_anything_due(std::span<const NamedVariant> variants, const ResultStore& store,
                     std::int64_t repetitions);

/// Stores and counts the rows of this process, and knows when nothing more is to be measured.
class Ledger {
 public:
  /// `store` and `interrupt` must outlive the ledger.
  Ledger(ResultStore& store, const InterruptGuard& interrupt, Tally tally);

  /// False once a signal has arrived, the engine is lost, or a row could not be stored.
  bool goes_on() const;
  /// Stores the row and counts it. Returns false if it could not be stored.
  bool keep(const Row& row, const Outcome& outcome);
  /// Stores a row that replaces one. It is counted only as far as the time spent and the number of
  /// disturbed rows differ.
  void replace(const Row& row, const Outcome& outcome);
  /// Stores a row that is counted already, or that an earlier process measured. Returns false if it
  /// could not be stored.
  bool store(Row row);
  /// The engine was lost at the variant `name`.
  void lose(const std::string& name) { tally_.lost_at = name; }
  /// Adds seconds spent on preparing the next variants.
  void count_ahead(double seconds) { tally_.phases.ahead += seconds; }

  const ResultStore& rows() const { return store_; }
  /// FastestSoFar::seconds() of all rows but those that replaced others.
  std::optional<double> rival_seconds(const std::string& name) const;
  /// Rethrows what kept a row from being stored.
  Tally tally() const;

 private:
  ResultStore& store_;
  const InterruptGuard& interrupt_;
  FastestSoFar fastest_;
  Tally tally_;
  std::exception_ptr error_;
};

}  // namespace benanza::harness
