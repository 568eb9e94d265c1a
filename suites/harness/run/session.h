#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "suites/harness/result_store.h"
#include "suites/harness/run/crash.h"
#include "suites/harness/run/interrupt.h"
#include "suites/harness/run/options.h"
#include "suites/harness/run/progress.h"
#include "suites/harness/run/progress_file.h"
#include "suites/harness/run/rivals.h"
#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// How many variants a backend is told of beforehand: enough to keep a dozen processes busy while
/// slow ones are compiled.
inline constexpr std::size_t looked_ahead = 256;

/// How many variants were asked for, and their outcomes.
struct Tally {
  std::int64_t asked = 0;
  /// Found in the results of an earlier run.
  std::int64_t measured_before = 0;
  /// Rows of this run.
  std::map<Status, std::int64_t> rows;
  /// The first row that was incorrect or failed; empty if none was.
  std::string first_bad;
  /// The row that took the engine down and ended the run; empty if none did.
  std::string lost_at;
  /// Of the ok rows: those whose median is not known as well as was wanted when time ran out.
  std::int64_t not_converged = 0;
  /// Of the ok rows: those that say that they were disturbed.
  std::int64_t disturbed = 0;
  double timed_seconds = 0;
  PhaseSeconds phases;

  std::int64_t count(Status status) const;
  /// One more row. `name`: of its variant.
  void add(const Outcome& outcome, const std::string& name);
};

/// Runs variants through Google Benchmark: keeps every outcome in the store as soon as it is known,
/// and reports rows under their own names.
class Session {
 public:
  /// Everything outlives the session. Registers the variants that are not finished yet;
  /// Google Benchmark must be initialised.
  Session(std::span<const NamedVariant> variants, const SuiteOptions& options, Backend& backend,
          const Verifier& verifier, ResultStore& store, const InterruptGuard& interrupt);

  /// Once. Throws what the store threw, after the run has ended.
  Tally run();

 private:
  void enlist(const NamedVariant& variant);
  /// Rows of `name` that are there are not alone any more: this run asks for other algorithms, too.
  void forget_first_choice(const std::string& name);
  /// Tells the backend of the variants that come after `variant`.
  void look_ahead(const NamedVariant& variant);
  /// What standard error gets if `name` ends the program.
  std::string last_message(std::string_view what, std::string_view where,
                           std::string_view name) const;
  /// Adds to the rows what the backend's profiler finds, if it was asked for. Of every variant
  /// once.
  void profile_all();
  void profile(const NamedVariant& variant, const std::string& kinds);
  std::vector<Row> rows_to_profile(const NamedVariant& variant, const std::string& kinds) const;
  void run_once(benchmark::State& state, const NamedVariant& variant);
  /// `row`: without its outcome. A crash meanwhile leaves a row that says so.
  Outcome guarded_outcome(const NamedVariant& variant, std::int64_t repetition, const Work& cost);
  /// Returns false if the row could not be kept, and remembers why.
  bool keep(const Row& row, const Outcome& outcome);
  Outcome outcome_of(const NamedVariant& variant) const;
  const Row* row_of(const benchmark::BenchmarkReporter::Run& run) const;

  std::span<const NamedVariant> variants_;
  const SuiteOptions& options_;
  Backend& backend_;
  const Verifier& verifier_;
  ResultStore& store_;
  const InterruptGuard& interrupt_;
  CrashGuard crash_;
  Rivals rivals_;
  Tally tally_;
  std::optional<Progress> progress_;
  std::optional<ProgressFile> progress_file_;
  /// Repetitions to take, and taken.
  std::int64_t due_ = 0;
  std::int64_t done_ = 0;
  /// Repetitions that were not needed after all.
  std::int64_t needless_ = 0;
  std::size_t name_width_ = 0;
  std::exception_ptr error_;
  /// Variants that are due, in the order in which they were enlisted, and how many of them the
  /// backend expects.
  std::vector<const NamedVariant*> queue_;
  std::size_t expected_ = 0;
  /// Of every name that is due: which repetitions this run has taken, in order.
  std::map<std::string, std::vector<std::int64_t>, std::less<>> taken_;
};

}  // namespace benanza::harness
