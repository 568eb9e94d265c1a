// benanza-analyze collectives: measured collectives as time and bandwidth.

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "analysis/model/collective_curves.h"
#include "analysis/questions/common/question.h"
#include "analysis/render/table.h"
#include "analysis/render/text.h"
#include "core/base/error.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

struct CollectivesOptions {
  CommonFlags common;
  std::vector<std::string> paths;
  std::string backend;
};

Section collectives_section_of(CollectiveKind kind, std::int64_t ranks,
                               const CollectiveCurve& curve, const std::string& backend,
                               Precision precision) {
  Section section{.heading = fmt::format("{}, {} ranks, {}, {}", to_string(kind), ranks,
                                         to_string(precision), backend),
                  .csv_facts = {"kind", "ranks", "precision", "backend"}};
  section.facts["kind"] = to_string(kind);
  section.facts["ranks"] = ranks;
  section.facts["precision"] = to_string(precision);
  section.facts["backend"] = backend;
  const auto ratios = leave_one_out(curve);
  const auto error_at = [&](double bytes) {
    const auto ratio = ratios.find(bytes);
    return ratio == ratios.end() ? std::nullopt : std::optional(ratio->second - 1);
  };
  std::vector<double> errors;
  for (const auto& [bytes, seconds] : curve.points()) {
    if (const auto error = error_at(bytes)) errors.push_back(std::abs(*error));
  }
  using Point = std::pair<const double, double>;
  const auto bandwidth = [](const Point& one) {
    return algorithm_bandwidth(one.first, one.second);
  };
  constexpr Unit giga{1e-9, 2};
  const Table<Point> table{
      {"bytes", "bytes", [](const Point& one) { return static_cast<std::size_t>(one.first); }},
      {"us", "seconds", micro, &Point::second},
      {"algorithm GB/s", "algorithm_bandwidth", giga, bandwidth},
      {"bus GB/s", "bus_bandwidth", giga,
       [&](const Point& one) { return bandwidth(one) * bus_factor(kind, ranks); }},
      {"left out", "left_out_error", percent,
       [&](const Point& one) { return error_at(one.first); }}};
  section.add(table.sheet(curve.points(),
                          {.name = "sizes",
                           .note = "left out: by how much an estimate from the other sizes is off",
                           .all_rows = true}));
  if (!errors.empty()) section.facts["left_out_error_median"] = median(errors);
  return section;
}

void collectives_answer(const CollectivesOptions& options) {
  const std::size_t rows = rows_of(options.common);
  const Results results = read_results({options.paths.begin(), options.paths.end()});
  Page page{.command = "collectives", .systems = results.systems, .note = results.doubled};
  for (const std::string& text : options.common.precisions) {
    const Precision precision = precision_of(text, "--precision");
    const CollectiveCurves found =
        collective_curves(results.measurements, precision, options.backend);
    for (const auto& [kind, curve] : found.curves) {
      page.sections.push_back(
          collectives_section_of(kind.first, kind.second, curve, found.backend, precision));
    }
  }
  if (page.sections.empty()) {
    throw Error(options.paths.front() +
                ": no collective at this precision; bench_nccl and bench_mpi measure them");
  }
  print(page_text(page, options.common.format, rows));
}

Action ask_collectives(Flags& flags) {
  const auto options = std::make_shared<CollectivesOptions>();
  options->common.precisions = {"fp32"};
  flags.add("results", options->paths, "Results of bench_nccl or bench_mpi", "FILE|DIR|DB");
  flags.add("--precision", options->common.precisions, "Types of the elements", "P,...", ',');
  flags.add("--backend", options->backend, "Which one to use if the results hold both: nccl or mpi",
            "NAME");
  add_output_flags(flags, options->common);
  return [options] { collectives_answer(*options); };
}

}  // namespace

Question collectives_question() {
  return {.name = "collectives",
          .help = "Time and bandwidth of collectives between devices or processes",
          .ask = ask_collectives};
}

}  // namespace benanza::analysis
