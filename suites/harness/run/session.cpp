#include "suites/harness/run/session.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/statistics/summary.h"

namespace benanza::harness {
namespace {

/// Reports an error from inside the loop, so that the run counts one iteration like all others:
/// Google Benchmark requires this for the repetitions of one name.
void skip(benchmark::State& state, const std::string& message) {
  for ([[maybe_unused]] auto _ : state) {
    state.SkipWithError(message.c_str());
    break;
  }
}

void report(benchmark::State& state, const Row& row) {
  if (row.status != Status::ok) {
    return skip(state, std::string(to_string(row.status)) + ": " + row.reason);
  }
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(median(row.samples));
  for (const Counter& counter : counters(row)) {
    state.counters[std::string(counter.name)] = counter.value;
  }
}

}  // namespace

void Session::run() {
  benchmark::ClearRegisteredBenchmarks();
  benchmark::BenchmarkReporter* const inner =
      options_.display == Display::json || options_.display == Display::problems
          ? nullptr
          : benchmark::CreateDefaultDisplayReporter();
  RowReporter reporter(
      inner, name_width(),
      [this](const RowReporter::Run& run) {
        return due_.row(registered_name(run), run.repetition_index);
      },
      progress_.line(), !options_.place.first);
  for (auto round = queue_.next_round(); !round.empty(); round = queue_.next_round()) {
    run_round(round, reporter);
  }
  progress_.line().clear();
}

void Session::run_round(const std::vector<const NamedVariant*>& round,
                        benchmark::BenchmarkReporter& reporter) {
  for (const NamedVariant* const variant : round) {
    // One iteration for Google Benchmark; the suite itself decides how many calls a measurement
    // needs.
    benchmark::RegisterBenchmark(
        variant->name.c_str(),
        [this, variant](benchmark::State& state) { run_once(state, *variant); })
        ->Iterations(1)
        ->Repetitions(static_cast<int>(due_.left(variant->name)))
        ->UseManualTime();
  }
  benchmark::RunSpecifiedBenchmarks(&reporter, ".");
  benchmark::ClearRegisteredBenchmarks();
}

void Session::run_once(benchmark::State& state, const NamedVariant& variant) {
  const std::optional<std::int64_t> repetition = due_.next(variant.name);
  if (!repetition) progress_.leave_out();
  if (!repetition || !ledger_.goes_on()) return skip(state, "not run");
  look_ahead(variant);
  if (queue_.is_postponed(variant)) return skip(state, "not ready");
  progress_.begin(variant.name);
  const auto& [row, outcome] = runner_.take(variant, *repetition);
  if (!ledger_.keep(row, outcome)) return skip(state, "not kept");
  due_.take(variant.name, *repetition);
  report(state, row);
}

void Session::look_ahead(const NamedVariant& variant) {
  const auto start = std::chrono::steady_clock::now();
  queue_.look_ahead(variant);
  ledger_.count_ahead(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

std::size_t Session::name_width() const {
  const std::size_t of_aggregates = due_.until() > 1 ? std::string_view("_median").size() : 0;
  std::size_t longest = 0;
  for (const NamedVariant* const variant : due_.variants()) {
    longest = std::max(longest, variant->name.size());
  }
  return longest + of_aggregates;
}

}  // namespace benanza::harness
