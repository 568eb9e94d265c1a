#include "suites/harness/report/problem_lines.h"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "core/statistics/summary.h"

namespace benanza::harness {
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
