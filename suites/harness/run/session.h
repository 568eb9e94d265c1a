#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "suites/harness/choose/options.h"
#include "suites/harness/keep/result_store.h"
#include "suites/harness/report/progress.h"
#include "suites/harness/report/progress_file.h"
#include "suites/harness/report/reporter.h"
#include "suites/harness/run/crash.h"
#include "suites/harness/run/fastest_so_far.h"
#include "suites/harness/run/interrupt.h"
#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// How many variants ahead a backend gets its hints: enough to keep a dozen processes busy while
/// slow ones are compiled.
inline constexpr std::size_t looked_ahead = 256;

/// The number of variants requested, and their outcomes.
struct Tally {
  std::int64_t asked = 0;
  /// Found in the results of an earlier run.
  std::int64_t measured_before = 0;
  /// Rows of this run.
  std::map<Status, std::int64_t> rows;
  /// The first row that is incorrect or failed; empty if there is none.
  std::string first_bad;
  /// The row at which the engine was lost, which ended the run; empty if there is none.
  std::string lost_at;
  /// Number of ok rows whose median had not converged when the budget was spent.
  std::int64_t not_converged = 0;
  /// Number of ok rows marked as disturbed.
  std::int64_t disturbed = 0;
  double timed_seconds = 0;
  PhaseSeconds phases;
  /// Repetitions are left for further processes of this run.
  bool is_to_go_on = false;

  std::int64_t count(Status status) const;
  /// Adds a row. `name`: its variant's.
  void add(const Outcome& outcome, const std::string& name);
};

/// What all processes of the run have measured, by their rows.
Tally tally_of_run(std::span<const NamedVariant> variants, const ResultStore& store,
                   std::int64_t repetitions);
/// True if some of so many repetitions of a variant are not finished.
bool is_anything_due(std::span<const NamedVariant> variants, const ResultStore& store,
                     std::int64_t repetitions);

/// Runs variants through Google Benchmark: stores every outcome as soon as it is known, and reports
/// rows under their own names.
class Session {
 public:
  /// Registers the variants that are not finished yet. All arguments must outlive the session;
  /// Google Benchmark must be initialised.
  Session(std::span<const NamedVariant> variants, const SuiteOptions& options, Backend& backend,
          const Verifier& verifier, ResultStore& store, const InterruptGuard& interrupt);

  /// Takes this process' share of the repetitions (RunPlace::until()), and if none are left then,
  /// what follows them. Runs what is ready first: variants for which the backend still prepares
  /// something are postponed until nothing else is left. Must be called only once. Rethrows an
  /// exception of the store after the run has ended.
  Tally run();

 private:
  void enlist(const NamedVariant& variant);
  /// Registers the repetitions of the variant that are left.
  void enroll(const NamedVariant& variant);
  /// Runs what is registered, and registers what was postponed.
  void run_registered(RowReporter& reporter);
  bool is_postponed(const NamedVariant& variant);
  /// Removes the first-choice mark from existing rows of `name`, because this run requests other
  /// algorithms, too.
  void forget_first_choice(const std::string& name);
  /// Hints to the backend which variants come after `variant`.
  void look_ahead(const NamedVariant& variant);
  /// The message on standard error if `name` ends the program.
  std::string last_message(std::string_view what, std::string_view where,
                           std::string_view name) const;
  /// Measures rows of the fastest variants once more that had company, each once, and replaces
  /// those that then have none.
  void retake_crowded();
  void retake(const NamedVariant& variant, std::int64_t repetition);
  bool may_retake(const Row& row) const;
  /// A pass that adds facts to rows after everything is timed.
  struct LaterPass {
    /// The fact with the reason if it fails.
    std::string failure;
    /// For messages: "while profiling".
    std::string_view where;
    /// The variant's rows that lack the facts; empty if none do.
    std::function<std::vector<Row>(const NamedVariant&)> rows_due;
    /// Takes one of these rows. Throws only EngineLost.
    std::function<Facts(const Variant&, const Row&)> measure;
    /// Returns the row with the facts.
    std::function<Row(const Row&, const Facts&)> completed;
  };
  void add_facts(const LaterPass& pass);
  void add_facts(const LaterPass& pass, const NamedVariant& variant);
  /// Profiles every variant once, if a profile was requested.
  void profile_all();
  /// Measures the energy of the fastest variants, if requested.
  void energy_all();
  std::vector<Row> ok_rows(const std::string& name) const;
  void run_once(benchmark::State& state, const NamedVariant& variant);
  /// Measures the variant. If it crashes, a row that says so is left in the store's journal.
  Outcome guarded_outcome(const NamedVariant& variant, std::int64_t repetition, const Work& cost);
  Row row_of(const NamedVariant& variant, std::int64_t repetition, const Work& cost,
             const Outcome& outcome) const;
  /// Stores the row. Returns false and remembers the error if that failed.
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
  FastestSoFar fastest_so_far_;
  Tally tally_;
  std::optional<Progress> progress_;
  std::optional<ProgressFile> progress_file_;
  /// How many repetitions of a variant are taken when this process ends.
  std::int64_t until_;
  /// Number of repetitions to take, by this process and by all, and of those started.
  std::int64_t due_ = 0;
  std::int64_t due_of_all_ = 0;
  std::int64_t done_ = 0;
  /// Number of repetitions that turned out to be unnecessary.
  std::int64_t needless_ = 0;
  std::size_t name_width_ = 0;
  std::exception_ptr error_;
  /// Variants that are due, in the order of registration, and for how many of them the backend had
  /// a hint.
  std::vector<const NamedVariant*> queue_;
  std::size_t expected_ = 0;
  std::vector<const NamedVariant*> postponed_;
  /// True if the next variant that is not ready has to be waited for.
  bool is_patient_ = false;
  /// For every name that is due, the repetitions taken by this run, in order.
  std::map<std::string, std::vector<std::int64_t>, std::less<>> taken_;
};

}  // namespace benanza::harness
