#include "suites/harness/run/ledger.h"

#include <utility>

namespace benanza::harness {

Ledger::Ledger(ResultStore& store, const InterruptGuard& interrupt, Tally tally)
    : store_(store), interrupt_(interrupt), tally_(std::move(tally)) {
  for (const Row& row : store.rows()) fastest_.add(row);
}

bool Ledger::goes_on() const {
  return interrupt_.signal() == 0 && !error_ && tally_.lost_at.empty();
}

bool Ledger::keep(const Row& row, const Outcome& outcome) {
  if (!store(row)) return false;
  fastest_.add(row);
  tally_.add(outcome, to_string(row.variant));
  if (row.is_disturbed()) ++tally_.disturbed;
  return true;
}

void Ledger::replace(const Row& row, const Outcome& outcome) {
  const std::string name = to_string(row.variant);
  if (outcome.engine_lost) lose(name);
  const Row* const before = store_.find(name, row.repetition);
  const bool was_counted = before != nullptr && before->process_number() == store_.process();
  if (!store(row)) return;
  tally_.timed_seconds += outcome.timed_seconds;
  tally_.phases += outcome.phases;
  if (was_counted && !row.is_disturbed()) --tally_.disturbed;
}

bool Ledger::store(Row row) {
  try {
    store_.add(std::move(row));
    return true;
  } catch (...) {
    error_ = std::current_exception();
    return false;
  }
}

std::optional<double> Ledger::rival_seconds(const std::string& name) const {
  return fastest_.seconds(name);
}

Tally Ledger::tally() const {
  if (error_) std::rethrow_exception(error_);
  return tally_;
}

}  // namespace benanza::harness
