#include "suites/harness/run/guarded_runner.h"

#include <utility>

#include "suites/harness/run/row_guard.h"

namespace benanza::harness {

Taken GuardedRunner::take(const NamedVariant& variant, std::int64_t repetition) {
  const Work cost = work(variant.variant.problem, variant.variant.precision);
  const auto row_of = [&](const Outcome& outcome) {
    Row row = make_row(variant.name, repetition, cost, outcome);
    row.process = ledger_.rows().process();
    return row;
  };
  const RowGuard guard(crash_, backend_.name(), "at " + variant.name,
                       [&](std::string_view reason) { return row_of(lost(reason)); });
  Outcome outcome = outcome_of(variant);
  Row row = row_of(outcome);
  return {std::move(row), std::move(outcome)};
}

Outcome GuardedRunner::outcome_of(const NamedVariant& variant) const {
  if (variant.status != Status::ok) return {.status = variant.status, .reason = variant.reason};
  MeasureOptions options = options_;
  options.rival_seconds = ledger_.rival_seconds(variant.name);
  Outcome outcome = run_variant(backend_, variant.variant, verifier_, options);
  if (variant.first_choice) outcome.first_choice = true;
  return outcome;
}

}  // namespace benanza::harness
