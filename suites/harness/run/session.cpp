#include "suites/harness/run/session.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <variant>

#include "core/statistics/summary.h"
#include "suites/harness/report/reporter.h"

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

bool is_anything_due(std::span<const NamedVariant> variants, const ResultStore& store,
                     std::int64_t repetitions) {
  return std::ranges::any_of(variants, [&](const NamedVariant& variant) {
    return store.finished(variant.name, repetitions) < repetitions;
  });
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
      const bool bad = row->status == Status::incorrect || row->status == Status::failed;
      if (bad && tally.first_bad.empty()) tally.first_bad = variant.name;
      if (row->is_disturbed()) ++tally.disturbed;
      if (row->stopped_by == stopped_by_budget) ++tally.not_converged;
      tally.timed_seconds += row->timed_seconds.value_or(0);
    }
    if (!any) ++tally.measured_before;
  }
  return tally;
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
      crash_(store.journal_descriptor()),
      until_(options.place.until(options.repetitions)) {
  for (const Row& row : store.rows()) fastest_so_far_.add(row);
  benchmark::ClearRegisteredBenchmarks();
  for (const NamedVariant& variant : variants) enlist(variant);
  progress_.emplace(due_of_all_);
  const std::int64_t rows = tally_.asked * options.repetitions;
  progress_file_.emplace(options.progress, rows, rows - due_of_all_);
}

void Session::enlist(const NamedVariant& variant) {
  ++tally_.asked;
  if (!variant.first_choice) forget_first_choice(variant.name);
  due_of_all_ += options_.repetitions - store_.finished(variant.name, options_.repetitions);
  const std::int64_t left = until_ - store_.finished(variant.name, until_);
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
  const std::int64_t left = until_ - store_.finished(variant.name, until_);
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
    if (row == nullptr || !row->first_choice) continue;
    Row other = *row;
    other.first_choice = false;
    store_.add(std::move(other));
  }
}

void Session::look_ahead(const NamedVariant& variant) {
  const auto place = std::ranges::find(queue_, &variant);
  if (place == queue_.end()) return;
  const auto end =
      std::min(queue_.size(), static_cast<std::size_t>(place - queue_.begin()) + looked_ahead);
  for (; expected_ < end; ++expected_) backend_.prefetch(queue_[expected_]->variant);
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
    if (until_ > 1) name_width_ += aggregate_width;
    benchmark::BenchmarkReporter* const inner =
        options_.display == Display::json ? nullptr : benchmark::CreateDefaultDisplayReporter();
    RowReporter reporter(
        inner, name_width_, [this](const RowReporter::Run& run) { return row_of(run); }, *progress_,
        !options_.place.first);
    do {
      run_registered(reporter);
    } while (!postponed_.empty());
    progress_->clear();
  }
  retake_crowded();
  progress_file_->finish(done_ + needless_);
  tally_.is_to_go_on = options_.place.number < options_.place.count &&
                       is_anything_due(variants_, store_, options_.repetitions);
  if (tally_.is_to_go_on) {
    if (error_) std::rethrow_exception(error_);
    return tally_;
  }
  // A profiler changes the state of the device, so everything is timed first.
  profile_all();
  energy_all();
  if (error_) std::rethrow_exception(error_);
  return tally_;
}

Outcome Session::outcome_of(const NamedVariant& variant) const {
  if (variant.status == Status::ok) {
    MeasureOptions options = options_.measure;
    options.rival_seconds = fastest_so_far_.seconds(variant.name);
    Outcome outcome = run_variant(backend_, variant.variant, verifier_, options);
    if (variant.first_choice) outcome.first_choice = true;
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
    return CrashGuard::Words{row_text(row_of(variant, repetition, cost, lost(reason))),
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
      taken.empty() ? store_.finished(variant.name, until_) : taken.back() + 1;
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
  const Row row = row_of(variant, repetition, cost, outcome);
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

Row Session::row_of(const NamedVariant& variant, std::int64_t repetition, const Work& cost,
                    const Outcome& outcome) const {
  Row row = make_row(variant.name, repetition, cost, outcome);
  row.process = store_.process();
  return row;
}

bool Session::keep(const Row& row, const Outcome& outcome) {
  try {
    store_.add(row);
  } catch (...) {
    error_ = std::current_exception();
    return false;
  }
  fastest_so_far_.add(row);
  tally_.add(outcome, to_string(row.variant));
  if (row.is_disturbed()) ++tally_.disturbed;
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
