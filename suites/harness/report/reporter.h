#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/results_file/row.h"
#include "suites/harness/choose/variants.h"
#include "suites/harness/keep/result_store.h"
#include "suites/harness/report/progress.h"

namespace benanza::harness {

/// Wraps the reporter chosen by the user: names lose the suffixes that Google Benchmark adds
/// ("/iterations:1/manual_time"), iterations and times are those of the row, and runs without a row
/// (not reached before an interruption) are not shown. Several runs of Google Benchmark make one
/// table.
class RowReporter : public benchmark::BenchmarkReporter {
 public:
  using Run = benchmark::BenchmarkReporter::Run;
  /// Returns the row of a run that is not an aggregate; null if there is none.
  using RowOf = std::function<const Row*(const Run&)>;

  /// `inner` may be null, to show nothing; `inner` and `progress` must outlive the reporter.
  /// `shows_machine`: whether to print the machine's description before the table.
  RowReporter(benchmark::BenchmarkReporter* inner, std::size_t name_width, RowOf row_of,
              Progress& progress, bool shows_machine = true);

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  benchmark::BenchmarkReporter* inner_;
  std::size_t name_width_;
  RowOf row_of_;
  Progress& progress_;
  bool shows_machine_;
  bool has_context_ = false;
};

/// The name under which the run's benchmark was registered.
const std::string& registered_name(const RowReporter::Run& run);

/// A line for each problem and precision, in the order of `variants`: key, precision, the time of
/// the fastest variant and which it is, how many there are, and how many have no time for which
/// reason. Of the first `repetitions` rows of each.
std::string problem_lines(std::span<const NamedVariant> variants, const ResultStore& store,
                          std::int64_t repetitions);

}  // namespace benanza::harness
