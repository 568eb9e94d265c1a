#include "suites/harness/report/reporter.h"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <map>
#include <ostream>
#include <sstream>
#include <utility>

#include "core/statistics/summary.h"
#include "suites/harness/outcome.h"

namespace benanza::harness {
namespace {

void keep_name_only(benchmark::BenchmarkName& name) {
  benchmark::BenchmarkName bare;
  bare.function_name = std::move(name.function_name);
  name = std::move(bare);
}

void show_row(RowReporter::Run& run, const Row& row) {
  run.repetition_index = row.repetition;
  if (row.status == Status::ok) {
    // Accumulated times are in seconds; reporters divide them by the iterations.
    run.iterations = static_cast<benchmark::IterationCount>(row.samples.size()) *
                     row.calls_per_sample.value_or(1);
    run.real_accumulated_time = median(row.samples) * static_cast<double>(run.iterations);
    return;
  }
  // A row with an error prints no counters, but tables take their columns from it.
  for (const Counter& counter : counters(
           make_row(to_string(row.variant), 0, Work{}, {.status = Status::ok, .samples = {1}}))) {
    run.counters[std::string(counter.name)] = 0;
  }
}

/// Google Benchmark prints this warning if it was built with assertions, as in Debian. It concerns
/// loops that the library times itself; there are none here.
void print_without_build_warning(std::istream& text, std::ostream& out) {
  for (std::string line; std::getline(text, line);) {
    if (line.find("Library was built as DEBUG") == std::string::npos) out << line << '\n';
  }
}

}  // namespace

const std::string& registered_name(const RowReporter::Run& run) {
  return run.run_name.function_name;
}

RowReporter::RowReporter(benchmark::BenchmarkReporter* inner, std::size_t name_width, RowOf row_of,
                         Progress& progress, bool shows_machine)
    : inner_(inner),
      name_width_(name_width),
      row_of_(std::move(row_of)),
      progress_(progress),
      shows_machine_(shows_machine) {}

bool RowReporter::ReportContext(const Context& context) {
  if (inner_ == nullptr || std::exchange(has_context_, true)) return true;
  Context shown = context;
  shown.name_field_width = name_width_;
  std::ostream& stream = inner_->GetErrorStream();
  std::stringstream text;
  inner_->SetErrorStream(&text);
  const bool go_on = inner_->ReportContext(shown);
  inner_->SetErrorStream(&stream);
  if (shows_machine_) print_without_build_warning(text, stream);
  return go_on;
}

void RowReporter::ReportRuns(const std::vector<Run>& runs) {
  if (inner_ == nullptr) return;
  std::vector<Run> shown;
  for (Run run : runs) {
    if (run.run_type == Run::RT_Iteration) {
      const Row* row = row_of_(run);
      if (row == nullptr) continue;
      show_row(run, *row);
    }
    run.cpu_accumulated_time = run.real_accumulated_time;
    keep_name_only(run.run_name);
    shown.push_back(std::move(run));
  }
  if (shown.empty()) return;
  progress_.clear();
  inner_->ReportRuns(shown);
}

void RowReporter::Finalize() {
  if (inner_ != nullptr) inner_->Finalize();
}

namespace {

struct ProblemLine {
  std::string problem{};
  /// Without a time, infinite and empty.
  double seconds = std::numeric_limits<double>::infinity();
  std::string fastest{};
  std::size_t variants = 0;
  std::map<Status, std::size_t> without_time{};
};

/// The median over the repetitions; infinite if none is ok.
double seconds_of(const std::string& name, const ResultStore& store, std::int64_t repetitions) {
  std::vector<double> medians;
  for (const Row& row : store.ok_rows(name, repetitions)) medians.push_back(median(row.samples));
  return medians.empty() ? std::numeric_limits<double>::infinity() : median(medians);
}

void add(ProblemLine& line, const NamedVariant& variant, const ResultStore& store,
         std::int64_t repetitions) {
  ++line.variants;
  const double seconds = seconds_of(variant.name, store, repetitions);
  if (seconds < line.seconds) {
    line.seconds = seconds;
    line.fastest = std::string(to_string(variant.variant.layout)) + '/' + variant.variant.algorithm;
  }
  // A variant without any row was not reached.
  const Row* const row = store.find(variant.name, 0);
  if (row != nullptr && row->status != Status::ok) ++line.without_time[row->status];
}

std::string count_text(const ProblemLine& line) {
  std::ostringstream text;
  text << line.variants << (line.variants == 1 ? " variant" : " variants");
  for (const auto& [status, count] : line.without_time) {
    text << ", " << count << ' ' << to_string(status);
  }
  return text.str();
}

}  // namespace

std::string problem_lines(std::span<const NamedVariant> variants, const ResultStore& store,
                          std::int64_t repetitions) {
  std::vector<ProblemLine> lines;
  std::map<std::string, std::size_t> known;
  for (const NamedVariant& variant : variants) {
    const std::string problem =
        key(variant.variant.problem) + "  " + std::string(to_string(variant.variant.precision));
    const auto [at, is_new] = known.try_emplace(problem, lines.size());
    if (is_new) lines.push_back({.problem = problem});
    add(lines[at->second], variant, store, repetitions);
  }
  std::size_t width = 0;
  for (const ProblemLine& line : lines) width = std::max(width, line.problem.size());
  std::ostringstream text;
  text << std::fixed << std::setprecision(1);
  for (const ProblemLine& line : lines) {
    text << std::left << std::setw(static_cast<int>(width)) << line.problem << std::right
         << std::setw(11);
    if (line.fastest.empty()) {
      text << '-' << "     ";
    } else {
      text << line.seconds * 1e6 << " us  " << line.fastest;
    }
    text << "  (" << count_text(line) << ")\n";
  }
  return text.str();
}

}  // namespace benanza::harness
