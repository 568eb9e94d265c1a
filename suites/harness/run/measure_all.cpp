#include "suites/harness/run/measure_all.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/statistics/summary.h"
#include "suites/harness/choose/variants.h"
#include "suites/harness/report/progress.h"
#include "suites/harness/report/reporter.h"
#include "suites/harness/run/fastest.h"
#include "suites/harness/run/later_passes.h"
#include "suites/harness/run/queue.h"
#include "suites/harness/run/runner.h"
#include "suites/harness/run/search.h"

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

/// Makes due repetitions of variants benchmarks of Google Benchmark, which runs them in its order
/// and reports them in its tables. What a benchmark does is up to the other parts of a run: the
/// queue and the due repetitions say whether and which, the runner takes it, the ledger keeps it.
class Session {
 public:
  /// All arguments must outlive the session; Google Benchmark must be initialised.
  Session(const SuiteOptions& options, Queue& queue, DueRepetitions& due, GuardedRunner& runner,
          Ledger& ledger, RunProgress& progress)
      : options_(options),
        queue_(queue),
        due_(due),
        runner_(runner),
        ledger_(ledger),
        progress_(progress) {}

  /// Runs the variants of the queue until all their repetitions are taken or the ledger does not go
  /// on.
  void run() {
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

 private:
  void run_round(const std::vector<const NamedVariant*>& round,
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

  void run_once(benchmark::State& state, const NamedVariant& variant) {
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

  void look_ahead(const NamedVariant& variant) {
    const auto start = std::chrono::steady_clock::now();
    queue_.look_ahead(variant);
    ledger_.count_ahead(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }

  /// Of the table's column of names.
  std::size_t name_width() const {
    const std::size_t of_aggregates = due_.until() > 1 ? std::string_view("_median").size() : 0;
    std::size_t longest = 0;
    for (const NamedVariant* const variant : due_.variants()) {
      longest = std::max(longest, variant->name.size());
    }
    return longest + of_aggregates;
  }

  const SuiteOptions& options_;
  Queue& queue_;
  DueRepetitions& due_;
  GuardedRunner& runner_;
  Ledger& ledger_;
  RunProgress& progress_;
};

using Repetition = std::pair<const NamedVariant*, std::int64_t>;

/// A process leaves what other processes of its run took: they would not be of different ones any
/// more.
bool may_retake(const ResultStore& store, const Row& row) {
  if (row.process_number() == store.process()) return true;
  return store.process() == store.first_process() && !store.is_of_this_run(row);
}

/// Empty where most had company: there is little hope for better.
std::vector<Repetition> crowded_of_the_fastest(std::span<const NamedVariant> variants,
                                               std::int64_t repetitions, const ResultStore& store) {
  std::vector<Repetition> crowded;
  std::size_t rows = 0;
  const std::set<std::string> fastest = fastest_variants(store.rows());
  for (const NamedVariant& variant : variants) {
    if (!fastest.contains(variant.name)) continue;
    for (const Row& row : store.ok_rows(variant.name, repetitions)) {
      if (!may_retake(store, row)) continue;
      ++rows;
      if (row.had_company()) crowded.emplace_back(&variant, row.repetition);
    }
  }
  if (2 * crowded.size() > rows) crowded.clear();
  return crowded;
}

void retake(const Repetition& repetition, GuardedRunner& runner, Ledger& ledger) {
  const auto& [row, outcome] = runner.take(*repetition.first, repetition.second);
  const bool is_better = row.status == Status::ok && !row.had_company();
  // A lost engine is stored: the next run must not try the row again.
  if (is_better || outcome.engine_lost) ledger.replace(row, outcome);
}

/// Measures rows of the fastest variants once more that had company, each once, and replaces those
/// that then have none. Does nothing where most had company.
void retake_crowded(std::span<const NamedVariant> variants, std::int64_t repetitions,
                    GuardedRunner& runner, Ledger& ledger) {
  // A row that is replaced can make another variant the fastest.
  std::set<Repetition> tried;
  for (;;) {
    auto crowded = crowded_of_the_fastest(variants, repetitions, ledger.rows());
    std::erase_if(crowded, [&](const Repetition& row) { return !tried.insert(row).second; });
    if (crowded.empty()) return;
    Progress progress(static_cast<std::int64_t>(crowded.size()));
    std::int64_t done = 0;
    for (const Repetition& repetition : crowded) {
      if (!ledger.goes_on()) return;
      progress.show(done++, repetition.first->name);
      retake(repetition, runner, ledger);
    }
  }
}

/// Removes the first-choice mark from existing rows of the variant, because this run requests other
/// algorithms, too.
void forget_first_choice(const NamedVariant& variant, ResultStore& store,
                         std::int64_t repetitions) {
  for (std::int64_t repetition = 0; repetition < repetitions; ++repetition) {
    const Row* const row = store.find(variant.name, repetition);
    if (row == nullptr || !row->first_choice) continue;
    Row other = *row;
    other.first_choice = false;
    store.add(std::move(other));
  }
}

RunProgress progress_of(std::span<const NamedVariant> variants, const SuiteOptions& options,
                        const ResultStore& store) {
  std::int64_t before = 0;
  for (const NamedVariant& variant : variants) {
    before += store.finished(variant.name, options.repetitions);
  }
  return {options.progress, std::ssize(variants) * options.repetitions, before};
}

}  // namespace

Tally measure_all(std::vector<NamedVariant>& variants, const SuiteOptions& options,
                  Backend& backend, const Verifier& verifier, ResultStore& store,
                  const InterruptGuard& interrupt) {
  const std::int64_t until = options.place.until(options.repetitions);
  Tally start;
  if (options.selection.algorithms == AlgorithmSet::search) {
    Found found = search(variants, options, backend, verifier, store, interrupt);
    variants = std::move(found.variants);
    start = std::move(found.tally);
  } else {
    start = tally_at_start(variants, store, until);
  }
  for (const NamedVariant& variant : variants) {
    if (!variant.first_choice) forget_first_choice(variant, store, options.repetitions);
  }
  CrashGuard crash(store.journal_descriptor());
  Ledger ledger(store, interrupt, std::move(start));
  DueRepetitions due(variants, store, until);
  Queue queue(backend, due.variants());
  GuardedRunner runner(backend, verifier, options.measure, crash, ledger);
  RunProgress progress = progress_of(variants, options, store);
  Session(options, queue, due, runner, ledger, progress).run();
  retake_crowded(variants, options.repetitions, runner, ledger);
  progress.finish();
  const bool is_to_go_on = options.place.number < options.place.count &&
                           is_anything_due(variants, store, options.repetitions);
  // In the first process already: the run may end before the last.
  if (options.rotates_weights && !options.measure.cold) {
    add_facts(rotation_pass(backend, verifier, store, options.repetitions, options.measure),
              variants, backend.name(), crash, ledger);
  }
  // A profiler changes the state of the device, so everything is timed first.
  if (!is_to_go_on) {
    add_facts(profile_pass(backend, verifier, store, options.repetitions, options.measure.cold),
              variants, backend.name(), crash, ledger);
  }
  if (!is_to_go_on && options.energy_seconds) {
    add_facts(energy_pass(backend, verifier, store, options.repetitions, *options.energy_seconds),
              variants, backend.name(), crash, ledger);
  }
  Tally tally = ledger.tally();
  tally.is_to_go_on = is_to_go_on;
  return tally;
}

}  // namespace benanza::harness
