#include "suites/harness/run/session.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "core/statistics/summary.h"
#include "suites/harness/run/contenders.h"
#include "suites/harness/run/energy_pass.h"
#include "suites/harness/run/profile.h"
#include "suites/harness/run/reporter.h"

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

/// 1 if the row does not say it.
std::int64_t calls_per_sample(const Row& row) {
  const Facts facts = facts_of(row);
  const auto found = facts.find("calls_per_sample");
  const double* const calls = found == facts.end() ? nullptr : std::get_if<double>(&found->second);
  return calls == nullptr ? 1 : static_cast<std::int64_t>(*calls);
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
  const bool bad = outcome.status == Status::incorrect || outcome.status == Status::failed;
  if (bad && first_bad.empty()) first_bad = name;
  if (outcome.engine_lost) lost_at = name;
}

Session::Session(std::span<const NamedVariant> variants, const SuiteOptions& options,
                 Backend& backend, const Verifier& verifier, ResultStore& store,
                 const InterruptGuard& interrupt)
    : variants_(variants),
      options_(options),
      backend_(backend),
      verifier_(verifier),
      store_(store),
      interrupt_(interrupt),
      crash_(store.journal_descriptor()) {
  for (const Row& row : store.rows()) rivals_.add(row);
  benchmark::ClearRegisteredBenchmarks();
  for (const NamedVariant& variant : variants) enlist(variant);
  progress_.emplace(due_);
  const std::int64_t rows = tally_.asked * options.repetitions;
  progress_file_.emplace(options.progress, rows, rows - due_);
}

void Session::enlist(const NamedVariant& variant) {
  ++tally_.asked;
  if (!variant.first_choice) forget_first_choice(variant.name);
  const std::int64_t left =
      options_.repetitions - store_.finished(variant.name, options_.repetitions);
  if (left == 0) {
    ++tally_.measured_before;
    return;
  }
  due_ += left;
  name_width_ = std::max(name_width_, variant.name.size());
  taken_[variant.name];
  if (variant.status == Status::ok) queue_.push_back(&variant);
  enroll(variant);
}

void Session::enroll(const NamedVariant& variant) {
  const std::int64_t left =
      options_.repetitions - store_.finished(variant.name, options_.repetitions);
  // One iteration for Google Benchmark; the suite itself decides how many calls a measurement
  // needs.
  benchmark::RegisterBenchmark(
      variant.name.c_str(), [this, &variant](benchmark::State& state) { run_once(state, variant); })
      ->Iterations(1)
      ->Repetitions(static_cast<int>(left))
      ->UseManualTime();
}

void Session::forget_first_choice(const std::string& name) {
  for (std::int64_t repetition = 0; repetition < options_.repetitions; ++repetition) {
    const Row* const row = store_.find(name, repetition);
    if (row != nullptr && is_first_choice(*row)) store_.add(without_first_choice(*row));
  }
}

void Session::look_ahead(const NamedVariant& variant) {
  const auto place = std::ranges::find(queue_, &variant);
  if (place == queue_.end()) return;
  const auto end =
      std::min(queue_.size(), static_cast<std::size_t>(place - queue_.begin()) + looked_ahead);
  for (; expected_ < end; ++expected_) backend_.expect(queue_[expected_]->variant);
}

bool Session::is_postponed(const NamedVariant& variant) {
  if (std::ranges::find(postponed_, &variant) != postponed_.end()) return true;
  if (backend_.is_ready(variant.variant) || std::exchange(is_patient_, false)) return false;
  postponed_.push_back(&variant);
  return true;
}

void Session::run_registered(RowReporter& reporter) {
  const std::int64_t done_before = done_;
  postponed_.clear();
  benchmark::RunSpecifiedBenchmarks(&reporter, ".");
  is_patient_ = done_ == done_before;
  benchmark::ClearRegisteredBenchmarks();
  for (const NamedVariant* const variant : postponed_) enroll(*variant);
}

Tally Session::run() {
  if (due_ > 0) {
    constexpr std::size_t aggregate_width = std::string_view("_median").size();
    if (options_.repetitions > 1) name_width_ += aggregate_width;
    benchmark::BenchmarkReporter* const inner =
        options_.display == Display::json ? nullptr : benchmark::CreateDefaultDisplayReporter();
    RowReporter reporter(
        inner, name_width_, [this](const RowReporter::Run& run) { return row_of(run); },
        *progress_);
    do {
      run_registered(reporter);
    } while (!postponed_.empty());
    progress_->clear();
  }
  retake_crowded();
  progress_file_->finish(done_ + needless_);
  // A profiler changes the state of the device, so everything is timed first.
  profile_all();
  energy_all();
  if (error_) std::rethrow_exception(error_);
  return tally_;
}

void Session::retake_crowded() {
  std::vector<std::pair<const NamedVariant*, std::int64_t>> crowded;
  std::size_t rows = 0;
  const std::set<std::string> fastest = fastest_variants(store_.rows());
  for (const NamedVariant& variant : variants_) {
    if (!fastest.contains(variant.name)) continue;
    for (const Row& row : ok_rows(variant.name)) {
      ++rows;
      if (had_company(row)) crowded.emplace_back(&variant, row.repetition);
    }
  }
  // Where most had company, there is little hope for better.
  if (2 * crowded.size() > rows) return;
  Progress progress(static_cast<std::int64_t>(crowded.size()));
  std::int64_t done = 0;
  for (const auto& [variant, repetition] : crowded) {
    if (interrupt_.signal() != 0 || error_ || !tally_.lost_at.empty()) return;
    progress.show(done++, variant->name);
    retake(*variant, repetition);
  }
}

void Session::retake(const NamedVariant& variant, std::int64_t repetition) {
  const Work cost = work(variant.variant.problem, variant.variant.precision);
  const Outcome outcome = guarded_outcome(variant, repetition, cost);
  if (outcome.engine_lost) tally_.lost_at = variant.name;
  const Row row = make_row(variant.name, repetition, cost, outcome);
  if (row.status != Status::ok || had_company(row)) return;
  try {
    store_.add(row);
  } catch (...) {
    error_ = std::current_exception();
    return;
  }
  tally_.timed_seconds += outcome.timed_seconds;
  tally_.phases += outcome.phases;
  const auto taken = taken_.find(variant.name);
  const bool is_of_this_run =
      taken != taken_.end() && std::ranges::find(taken->second, repetition) != taken->second.end();
  if (is_of_this_run && !is_disturbed(row)) --tally_.disturbed;
}

void Session::add_facts(const LaterPass& pass) {
  std::vector<const NamedVariant*> due;
  for (const NamedVariant& variant : variants_) {
    if (!pass.rows_due(variant).empty()) due.push_back(&variant);
  }
  Progress progress(static_cast<std::int64_t>(due.size()));
  std::int64_t done = 0;
  for (const NamedVariant* const variant : due) {
    if (interrupt_.signal() != 0 || error_ || !tally_.lost_at.empty()) return;
    progress.show(done++, variant->name);
    add_facts(pass, *variant);
  }
}

void Session::add_facts(const LaterPass& pass, const NamedVariant& variant) {
  const std::vector<Row> rows = pass.rows_due(variant);
  const auto failed = [&](std::string_view reason) {
    return Facts{{pass.failure, one_line(reason)}};
  };
  const auto words = [&](std::string_view what, std::string_view reason) {
    return CrashGuard::Words{row_text(pass.completed(rows.front(), failed(reason))),
                             last_message(what, pass.where, variant.name)};
  };
  crash_.expect(words("crashed", crashed_reason), words("hung", hung_reason));
  Facts found;
  try {
    found = pass.measure(variant.variant, rows.front());
  } catch (const EngineLost& loss) {
    found = failed(loss.what());
    tally_.lost_at = variant.name;
  }
  crash_.forget();
  try {
    for (const Row& row : rows) store_.add(pass.completed(row, found));
  } catch (...) {
    error_ = std::current_exception();
  }
}

void Session::profile_all() {
  const std::string kinds = backend_.profile_kinds();
  if (kinds.empty()) return;
  const auto rows_due = [&](const NamedVariant& variant) {
    std::vector<Row> rows = ok_rows(variant.name);
    // One that crashed the profiler would do it again.
    const bool is_hopeless = std::ranges::any_of(rows, [&](const Row& row) {
      return is_profiled(row, kinds) && facts_of(row).contains("profile_failed");
    });
    std::erase_if(rows, [&](const Row& row) { return is_hopeless || is_profiled(row, kinds); });
    return rows;
  };
  add_facts({.failure = "profile_failed",
             .where = "while profiling",
             .rows_due = rows_due,
             .measure =
                 [&](const Variant& variant, const Row& row) {
                   return profile_variant(backend_, variant, verifier_, calls_per_sample(row),
                                          options_.measure.cold);
                 },
             .completed = [&](const Row& row,
                              const Facts& facts) { return with_profile(row, facts, kinds); }});
}

void Session::energy_all() {
  if (!options_.energy_seconds) return;
  const std::set<std::string> fastest = fastest_variants(store_.rows());
  const auto rows_due = [&](const NamedVariant& variant) {
    std::vector<Row> rows;
    if (fastest.contains(variant.name)) rows = ok_rows(variant.name);
    if (std::ranges::any_of(rows, has_energy)) rows.clear();
    return rows;
  };
  add_facts({.failure = "energy_failed",
             .where = "while measuring the energy of",
             .rows_due = rows_due,
             .measure =
                 [&](const Variant& variant, const Row&) {
                   return energy_of_variant(backend_, variant, verifier_, *options_.energy_seconds);
                 },
             .completed = with_facts});
}

std::vector<Row> Session::ok_rows(const std::string& name) const {
  std::vector<Row> rows;
  for (std::int64_t repetition = 0; repetition < options_.repetitions; ++repetition) {
    const Row* const row = store_.find(name, repetition);
    if (row != nullptr && row->status == Status::ok) rows.push_back(*row);
  }
  return rows;
}

Outcome Session::outcome_of(const NamedVariant& variant) const {
  if (variant.status == Status::ok) {
    MeasureOptions options = options_.measure;
    options.rival_seconds = rivals_.seconds(variant.name);
    Outcome outcome = run_variant(backend_, variant.variant, verifier_, options);
    if (variant.first_choice) outcome.facts["first_choice"] = true;
    return outcome;
  }
  Outcome known;
  known.status = variant.status;
  known.reason = variant.reason;
  return known;
}

Outcome Session::guarded_outcome(const NamedVariant& variant, std::int64_t repetition,
                                 const Work& cost) {
  const auto words = [&](std::string_view what, std::string_view reason) {
    return CrashGuard::Words{row_text(make_row(variant.name, repetition, cost, lost(reason))),
                             last_message(what, "at", variant.name)};
  };
  crash_.expect(words("crashed", crashed_reason), words("hung", hung_reason));
  Outcome outcome = outcome_of(variant);
  crash_.forget();
  return outcome;
}

void Session::run_once(benchmark::State& state, const NamedVariant& variant) {
  std::vector<std::int64_t>& taken = taken_.at(variant.name);
  const std::int64_t repetition =
      taken.empty() ? store_.finished(variant.name, options_.repetitions) : taken.back() + 1;
  const Row* const before = taken.empty() ? nullptr : store_.find(variant.name, taken.back());
  const bool enough =
      before != nullptr &&
      (before->status != Status::ok || store_.finished(variant.name, repetition + 1) > repetition);
  if (interrupt_.signal() != 0 || error_ || !tally_.lost_at.empty() || enough) {
    if (enough) ++needless_;
    skip(state, "not run");
    return;
  }

  const auto start = std::chrono::steady_clock::now();
  look_ahead(variant);
  tally_.phases.ahead +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (is_postponed(variant)) {
    skip(state, "not ready");
    return;
  }
  progress_file_->show(done_ + needless_);
  progress_->show(done_++, variant.name);
  const Work cost = work(variant.variant.problem, variant.variant.precision);
  const Outcome outcome = guarded_outcome(variant, repetition, cost);
  const Row row = make_row(variant.name, repetition, cost, outcome);
  if (!keep(row, outcome)) {
    skip(state, "not kept");
    return;
  }
  taken.push_back(repetition);

  if (row.status != Status::ok) {
    skip(state, std::string(to_string(row.status)) + ": " + row.reason);
    return;
  }
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(median(row.samples));
  for (const Counter& counter : counters(row)) {
    state.counters[std::string(counter.name)] = counter.value;
  }
}

bool Session::keep(const Row& row, const Outcome& outcome) {
  try {
    store_.add(row);
  } catch (...) {
    error_ = std::current_exception();
    return false;
  }
  rivals_.add(row);
  tally_.add(outcome, to_string(row.variant));
  if (is_disturbed(row)) ++tally_.disturbed;
  return true;
}

std::string Session::last_message(std::string_view what, std::string_view where,
                                  std::string_view name) const {
  std::string text = "bench_" + std::string(backend_.name()) + ": ";
  for (const std::string_view word : {what, where, name}) text.append(word).append(" ");
  text.back() = ';';
  return text + " start again with the same flags to go on without it";
}

const Row* Session::row_of(const benchmark::BenchmarkReporter::Run& run) const {
  const auto taken = taken_.find(registered_name(run));
  if (taken == taken_.end()) return nullptr;
  const auto index = static_cast<std::size_t>(run.repetition_index);
  return index < taken->second.size() ? store_.find(taken->first, taken->second[index]) : nullptr;
}

}  // namespace benanza::harness
