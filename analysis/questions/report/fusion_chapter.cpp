#include <fmt/format.h>

#include <algorithm>

#include "analysis/questions/report/model_chapter.h"
#include "analysis/render/svg.h"

namespace benanza::analysis {
namespace {

std::string before_and_after(std::string_view name, const Bound& before, const Bound& after) {
  const double gain = before.seconds > 0 ? 1 - after.seconds / before.seconds : 0;
  return fmt::format("{} {:.3f} ms, with fusion {:.3f} ms: {:.1f}% less", name,
                     before.seconds * 1e3, after.seconds * 1e3, gain * 100);
}

Sheet patterns_sheet(const FusionReport& report) {
  Sheet sheet{.name = "patterns",
              .caption = "patterns",
              .columns = {{"pattern", "pattern"},
                          {"found", "found", true},
                          {"measured", "measured", true},
                          {"unsupported", "unsupported", true},
                          {"missing", "missing", true},
                          {"used", "used", true},
                          {"saves us", "profit_seconds", true},
                          {"if alone us", "profit_alone_seconds", true},
                          {"in LBL us", "in_bound_seconds", true}},
              .rows = {}};
  for (const PatternRow& row : report.patterns) {
    sheet.rows.push_back({text_cell(row.pattern), count_cell(row.found), count_cell(row.measured),
                          count_cell(row.unsupported), count_cell(row.missing),
                          count_cell(row.used), us_cell(row.profit_seconds),
                          us_cell(row.profit_alone_seconds), us_cell(row.in_bound_seconds)});
  }
  return sheet;
}

Sheet used_sheet(const FusionReport& report) {
  const auto saving = [&](std::size_t index) {
    return *report.rows[index].alone_seconds - *report.rows[index].seconds;
  };
  std::vector<std::size_t> order = report.cover.pieces;
  std::ranges::stable_sort(order, std::ranges::greater{}, saving);
  Sheet sheet{.name = "fusions",
              .caption = "fusions of the cheapest cover, those that save most first",
              .columns = {{"first layer", "first"},
                          {"last layer", "last"},
                          {"pattern", "pattern"},
                          {"alone us", "alone_seconds", true},
                          {"fused us", "seconds", true},
                          {"saves us", "profit_seconds", true},
                          {"call", "call"}},
              .rows = {}};
  for (const std::size_t index : order) {
    const Fusion& fusion = report.graph->fusions[index];
    const FusionRow& row = report.rows[index];
    sheet.rows.push_back({text_cell(report.graph->layers[fusion.layers.front()].name),
                          text_cell(report.graph->layers[fusion.layers.back()].name),
                          text_cell(fusion.pattern), us_cell(row.alone_seconds),
                          us_cell(row.seconds), us_cell(saving(index)),
                          text_cell(call_text(report.fusions[index].calls.front()))});
  }
  return sheet;
}

std::string patterns_plot(const FusionReport& report) {
  std::vector<std::string> names;
  svg::Series series{.name = "us", .values = {}};
  for (const PatternRow& row : report.patterns) {
    if (row.profit_seconds <= 0) continue;
    names.push_back(row.pattern);
    series.values.emplace_back(row.profit_seconds * 1e6);
  }
  return names.empty() ? "" : svg::bars("What each pattern saves", names, {series}, "us", 1);
}

}  // namespace

Chapter fusion_chapter(const std::string& name, const FusionReport& report) {
  Chapter chapter{.title = name + ": fusion", .plots = {}, .section = {}};
  auto& lines = chapter.section.lines;
  const std::string partial = report.is_partial() ? " (partial: not all is measured)" : "";
  lines.push_back(
      before_and_after("LBL sequential", report.unfused.sequential, report.fused.sequential) +
      partial);
  lines.push_back(before_and_after("LBL parallel", report.unfused.parallel, report.fused.parallel) +
                  partial);
  lines.push_back(fmt::format(
      "{} of {} fusions are used; {}", report.cover.pieces.size(), report.fusions.size(),
      report.cover.optimal ? "no other choice gives a lower sequential bound"
                           : "the search was cut short: another choice may be better"));
  if (report.has_other_fusions_in_parallel()) lines.push_back(parallel_fusions_text(report));
  chapter.plots.push_back(patterns_plot(report));
  chapter.section.sheets = {patterns_sheet(report), used_sheet(report)};
  return chapter;
}

}  // namespace benanza::analysis
