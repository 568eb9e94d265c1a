#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <vector>

#include "suites/harness/choose/options.h"
#include "suites/harness/report/reporter.h"
#include "suites/harness/report/run_progress.h"
#include "suites/harness/run/due_repetitions.h"
#include "suites/harness/run/guarded_runner.h"
#include "suites/harness/run/ledger.h"
#include "suites/harness/run/queue.h"

namespace benanza::harness {

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
  void run();

 private:
  void run_round(const std::vector<const NamedVariant*>& round,
                 benchmark::BenchmarkReporter& reporter);
  void run_once(benchmark::State& state, const NamedVariant& variant);
  void look_ahead(const NamedVariant& variant);
  /// Of the table's column of names.
  std::size_t name_width() const;

  const SuiteOptions& options_;
  Queue& queue_;
  DueRepetitions& due_;
  GuardedRunner& runner_;
  Ledger& ledger_;
  RunProgress& progress_;
};

}  // namespace benanza::harness
