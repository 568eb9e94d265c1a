#pragma once

#include <exception>
#include <optional>
#include <string>

#include "suites/harness/keep/result_store.h"
#include "suites/harness/outcome.h"
#include "suites/harness/run/fastest_so_far.h"
#include "suites/harness/run/interrupt.h"
#include "suites/harness/run/tally.h"

namespace benanza::harness {

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
