// benanza-analyze collectives: measured collectives as time and bandwidth.

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "analysis/questions/common/collective_curves.h"
#include "analysis/questions/question.h"
#include "analysis/render/text.h"
#include "core/base/error.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

struct Options {
  CommonFlags common;
  std::vector<std::string> paths;
  std::string backend;
};

Cell gigabytes_cell(double bytes_per_second) {
  return {fmt::format("{:.2f}", bytes_per_second / 1e9), bytes_per_second};
}

Section section_of(CollectiveKind kind, std::int64_t ranks, const CollectiveCurve& curve,
                   const std::string& backend, Precision precision) {
  Section section{.heading = fmt::format("{}, {} ranks, {}, {}", to_string(kind), ranks,
                                         to_string(precision), backend),
                  .csv_facts = {"kind", "ranks", "precision", "backend"}};
  section.facts["kind"] = to_string(kind);
  section.facts["ranks"] = ranks;
  section.facts["precision"] = to_string(precision);
  section.facts["backend"] = backend;
  const auto ratios = leave_one_out(curve);
  std::vector<double> errors;
  Sheet sheet{.name = "sizes",
              .columns = {{"bytes", "bytes", true},
                          {"us", "seconds", true},
                          {"algorithm GB/s", "algorithm_bandwidth", true},
                          {"bus GB/s", "bus_bandwidth", true},
                          {"left out", "left_out_error", true}},
              .note = "left out: by how much an estimate from the other sizes is off",
              .all_rows = true};
  for (const auto& [bytes, seconds] : curve.points()) {
    const double bandwidth = algorithm_bandwidth(bytes, seconds);
    std::optional<double> error;
    if (const auto ratio = ratios.find(bytes); ratio != ratios.end()) {
      error = ratio->second - 1;
      errors.push_back(std::abs(*error));
    }
    sheet.rows.push_back(
        {count_cell(static_cast<std::size_t>(bytes)), us_cell(seconds), gigabytes_cell(bandwidth),
         gigabytes_cell(bandwidth * bus_factor(kind, ranks)), percent_cell(error)});
  }
  section.add(std::move(sheet));
  if (!errors.empty()) section.facts["left_out_error_median"] = median(errors);
  return section;
}

void answer(const Options& options) {
  const std::size_t rows = rows_of(options.common);
  const Results results = read_results({options.paths.begin(), options.paths.end()});
  Page page{.command = "collectives", .systems = results.systems, .note = results.doubled};
  for (const std::string& text : options.common.precisions) {
    const Precision precision = precision_of(text, "--precision");
    const CollectiveCurves found =
        collective_curves(results.measurements, precision, options.backend);
    for (const auto& [kind, curve] : found.curves) {
      page.sections.push_back(section_of(kind.first, kind.second, curve, found.backend, precision));
    }
  }
  if (page.sections.empty()) {
    throw Error(options.paths.front() +
                ": no collective at this precision; bench_nccl and bench_mpi measure them");
  }
  print(page_text(page, options.common.format, rows));
}

Action ask(Flags& flags) {
  const auto options = std::make_shared<Options>();
  options->common.precisions = {"fp32"};
  flags.add("results", options->paths, "Results of bench_nccl or bench_mpi", "FILE|DIR|DB");
  flags.add("--precision", options->common.precisions, "Types of the elements", "P,...", ',');
  flags.add("--backend", options->backend, "Which one to use if the results hold both: nccl or mpi",
            "NAME");
  add_output_flags(flags, options->common);
  return [options] { answer(*options); };
}

}  // namespace

Question collectives_question() {
  return {.name = "collectives",
          .help = "Time and bandwidth of collectives between devices or processes",
          .ask = ask};
}

}  // namespace benanza::analysis
