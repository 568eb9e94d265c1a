#include "suites/harness/run/ledger.h"

#include <algorithm>
#include <utility>

namespace benanza::harness {
namespace {

bool is_bad(Status status) { return status == Status::incorrect || status == Status::failed; }

bool is_due(const NamedVariant& variant, const ResultStore& store, std::int64_t repetitions) {
  return store.finished(variant.name, repetitions) < repetitions;
}

}  // namespace

std::int64_t Tally::count(Status status) const {
  const auto entry = rows.find(status);
  return entry == rows.end() ? 0 : entry->second;
}

void Tally::add(const Outcome& outcome, const std::string& name) {
  ++rows[outcome.status];
  timed_seconds += outcome.timed_seconds;
  phases += outcome.phases;
  if (outcome.stopped_by == stopped_by_budget) ++not_converged;
  if (is_bad(outcome.status) && first_bad.empty()) first_bad = name;
  if (outcome.engine_lost) lost_at = name;
}

Tally tally_at_start(std::span<const NamedVariant> variants, const ResultStore& store,
                     std::int64_t repetitions) {
  Tally tally;
  for (const NamedVariant& variant : variants) {
    ++tally.asked;
    if (!is_due(variant, store, repetitions)) ++tally.measured_before;
  }
  return tally;
}

Tally tally_of_run(std::span<const NamedVariant> variants, const ResultStore& store,
                   std::int64_t repetitions) {
  Tally tally;
  for (const NamedVariant& variant : variants) {
    ++tally.asked;
    bool any = false;
    for (std::int64_t repetition = 0; repetition < repetitions; ++repetition) {
      const Row* const row = store.find(variant.name, repetition);
      if (row == nullptr || !store.is_of_this_run(*row)) continue;
      any = true;
      ++tally.rows[row->status];
      if (is_bad(row->status) && tally.first_bad.empty()) tally.first_bad = variant.name;
      if (row->is_disturbed()) ++tally.disturbed;
      if (row->stopped_by == stopped_by_budget) ++tally.not_converged;
      tally.timed_seconds += row->timed_seconds.value_or(0);
    }
    if (!any) ++tally.measured_before;
  }
  return tally;
}

bool is_anything_due(std::span<const NamedVariant> variants, const ResultStore& store,
                     std::int64_t repetitions) {
  return std::ranges::any_of(
      variants, [&](const NamedVariant& variant) { return is_due(variant, store, repetitions); });
}

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
