#include "suites/harness/run/guarded_runner.h"

#include <chrono>
#include <utility>

#include "core/problem/name.h"

namespace benanza::harness {

RowGuard::RowGuard(CrashGuard& crash, std::string_view backend, const std::string& place,
                   const std::function<Row(Loss loss)>& row_of)
    : crash_(crash) {
  const auto words = [&](const std::string& what, Loss loss) {
    return CrashGuard::Words{row_text(row_of(loss)),
                             "bench_" + std::string(backend) + ": " + what + ' ' + place +
                                 "; start again with the same flags to go on without it"};
  };
  crash.expect(words("crashed", Loss::crashed), words("hung", Loss::hung));
}

namespace {

using Clock = std::chrono::steady_clock;

std::string limit_text(double seconds) {
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return "the problem has taken more than " + text + " s (--problem-limit)";
}

}  // namespace

Taken GuardedRunner::take(const NamedVariant& variant, std::int64_t repetition) {
  const Work cost = work(variant.variant.problem, variant.variant.precision);
  const auto row_of = [&](const Outcome& outcome) {
    Row row = make_row(variant.name, repetition, cost, outcome);
    row.process = ledger_.rows().process();
    return row;
  };
  const RowGuard guard(crash_, backend_.name(), "at " + variant.name,
                       [&](Loss loss) { return row_of(lost(loss)); });
  Outcome outcome = outcome_of(variant);
  Row row = row_of(outcome);
  return {std::move(row), std::move(outcome)};
}

Outcome GuardedRunner::outcome_of(const NamedVariant& variant) {
  if (variant.status != Status::ok) return {.status = variant.status, .reason = variant.reason};
  MeasureOptions options = options_;
  options.rival_seconds = ledger_.rival_seconds(variant.name);
  double& spent = spent_seconds_[key(variant.variant.problem) + ' ' +
                                 std::string(to_string(variant.variant.precision))];
  if (options.problem_seconds && spent > *options.problem_seconds) {
    return {.status = Status::unsupported,
            .reason = limit_text(*options.problem_seconds),
            .over_limit = true};
  }
  const Clock::time_point start = Clock::now();
  Outcome outcome = run_variant(backend_, variant.variant, verifier_, options);
  spent += std::chrono::duration<double>(Clock::now() - start).count();
  if (variant.first_choice) outcome.first_choice = true;
  return outcome;
}

}  // namespace benanza::harness
