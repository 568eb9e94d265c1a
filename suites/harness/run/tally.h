#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "suites/harness/choose/variants.h"
#include "suites/harness/keep/result_store.h"
#include "suites/harness/outcome.h"

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

}  // namespace benanza::harness
