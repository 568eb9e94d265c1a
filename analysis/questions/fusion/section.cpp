#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/questions/fusion/report.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

ordered_json bounds_json(const Bounds& bounds) {
  return {{"sequential", bound_json(bounds.sequential)}, {"parallel", bound_json(bounds.parallel)}};
}

ordered_json fusions_json(const FusionReport& report) {
  ordered_json list = ordered_json::array();
  for (std::size_t index = 0; index < report.rows.size(); ++index) {
    const Fusion& fusion = report.graph->fusions[index];
    const LayerTime& time = report.fusions[index];
    ordered_json layers = ordered_json::array();
    for (const std::size_t layer : fusion.layers) {
      layers.push_back(report.graph->layers[layer].name);
    }
    ordered_json call = nullptr;
    if (!time.calls.empty()) call = to_string(time.calls.front()->variant);
    std::string note = time.note;
    for (const Gap& gap : time.gaps) note = gap.reason;
    list.push_back({{"pattern", fusion.pattern},
                    {"layers", layers},
                    {"problem", fmt::format("{}", fmt::join(problems_of(fusion), " + "))},
                    {"verdict", to_string(report.rows[index].verdict)},
                    {"seconds", value_or_null(report.rows[index].seconds)},
                    {"alone_seconds", value_or_null(report.rows[index].alone_seconds)},
                    {"call", call},
                    {"note", note}});
  }
  return list;
}

std::string profit_text(double before, double after) {
  if (before <= 0) return "nothing to save";
  return fmt::format("{:.3f} ms, {:.1f}%", (before - after) * 1e3, 100 * (before - after) / before);
}

std::string note_of(const LayerTime& time) {
  return time.gaps.empty() ? time.note : time.gaps.back().reason;
}

Sheet csv_sheet(const FusionReport& report) {
  Sheet sheet;
  for (const char* name : {"pattern", "layers", "problem", "verdict", "seconds", "alone_seconds",
                           "saves_seconds", "call", "note"}) {
    sheet.columns.push_back({.name = name});
  }
  for (std::size_t index = 0; index < report.rows.size(); ++index) {
    const FusionRow& row = report.rows[index];
    const Fusion& fusion = report.graph->fusions[index];
    const LayerTime& time = report.fusions[index];
    std::string layers;
    for (const std::size_t layer : fusion.layers) {
      layers += (layers.empty() ? "" : " ") + report.graph->layers[layer].name;
    }
    std::optional<double> saves;
    if (row.seconds && row.alone_seconds) saves = *row.alone_seconds - *row.seconds;
    sheet.rows.push_back(
        {text_cell(fusion.pattern), text_cell(layers),
         text_cell(fmt::format("{}", fmt::join(problems_of(fusion), " + "))),
         text_cell(std::string(to_string(row.verdict))), text_cell(number_text(row.seconds)),
         text_cell(number_text(row.alone_seconds)), text_cell(number_text(saves)),
         text_cell(time.calls.empty() ? "" : to_string(time.calls.front()->variant)),
         text_cell(note_of(time))});
  }
  return sheet;
}

Sheet patterns_sheet(const FusionReport& report) {
  Sheet sheet{.name = "patterns",
              .caption = "patterns of fusions",
              .columns = {{"pattern", "pattern"},
                          {"found", "found", true},
                          {"measured", "measured", true},
                          {"unsupported", "unsupported", true},
                          {"missing", "missing", true},
                          {"used", "used", true},
                          {"saves us", "profit_seconds", true},
                          {"saves if alone us", "profit_alone_seconds", true},
                          {"in the bound us", "in_bound_seconds", true}},
              .all_rows = true};
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
    const FusionRow& row = report.rows[index];
    return row.alone_seconds ? std::optional(*row.alone_seconds - *row.seconds) : std::nullopt;
  };
  std::vector<std::size_t> order = report.cover.pieces;
  std::ranges::stable_sort(order, std::ranges::greater{}, saving);
  Sheet sheet{.caption = "fusions that are used, those that save most first",
              .columns = {{"layers", "", false, name_width},
                          {"pattern", ""},
                          {"alone us", "", true},
                          {"fused us", "", true},
                          {"saves us", "", true},
                          {"layout/backend/algorithm", "", false, any_width}}};
  for (const std::size_t index : order) {
    const Fusion& fusion = report.graph->fusions[index];
    const FusionRow& row = report.rows[index];
    sheet.rows.push_back({text_cell(report.graph->layers[fusion.layers.front()].name + " ... " +
                                    report.graph->layers[fusion.layers.back()].name),
                          text_cell(fusion.pattern), us_cell(row.alone_seconds),
                          us_cell(row.seconds), us_cell(saving(index)),
                          text_cell(call_text(report.fusions[index].calls.front()))});
  }
  return sheet;
}

Bars patterns_plot(const FusionReport& report) {
  Bars bars{
      .title = "What each pattern saves", .series = {{.name = "us"}}, .unit = "us", .decimals = 1};
  for (const PatternRow& row : report.patterns) {
    if (row.profit_seconds <= 0) continue;
    bars.categories.push_back(row.pattern);
    bars.series[0].values.emplace_back(row.profit_seconds * 1e6);
  }
  return bars;
}

std::vector<std::string> names_of(const FusionReport& report,
                                  const std::vector<std::size_t>& layers) {
  std::vector<std::string> names;
  for (const std::size_t layer : layers) names.push_back(report.graph->layers[layer].name);
  return names;
}

std::vector<std::string> missing_names(const FusionReport& report) {
  std::vector<std::string> names;
  for (const auto* times : {&report.operators.layers, &report.fusions}) {
    for (const LayerTime& time : *times) {
      for (const Gap& gap : time.gaps) {
        const std::string name = gap.key + " (" + gap.reason + ")";
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
      }
    }
  }
  return names;
}

}  // namespace

Section fusion_section(const FusionReport& report) {
  Section section = model_section(*report.graph, report.filter, report.movement);
  section.facts["partial"] = report.is_partial();
  section.facts["partial_without_fusion"] = report.is_partial_unfused();
  section.facts["partial_with_fusion"] = report.is_partial_fused();
  section.facts["only_fused_layers"] = names_of(report, report.only_fused);
  section.facts["unfused"] = bounds_json(report.unfused);
  section.facts["fused"] = bounds_json(report.fused);
  section.facts["profit_seconds"] = report.profit_seconds();
  section.facts["optimal"] = report.cover.optimal;
  section.facts["fusions_used"] = report.cover.pieces.size();
  section.facts["fusions_used_in_parallel"] = report.in_parallel.size();
  section.facts["fusions"] = fusions_json(report);
  section.csv = csv_sheet(report);

  const auto mark = [](bool partial) { return partial ? "  PARTIAL" : ""; };
  const std::string unfused_mark = mark(report.is_partial_unfused() || report.lacks_fusions());
  const std::string fused_mark = mark(report.is_partial_fused());
  const Bounds& before = report.unfused;
  const Bounds& after = report.fused;
  const SumNames names = sum_names(report.filter);
  section.add(Entry{std::string(names.sequential), with_spread(before.sequential) + unfused_mark});
  section.add(Entry{"  with fusion", with_spread(after.sequential) + fused_mark});
  section.add(Entry{"  profit", profit_text(before.sequential.seconds, after.sequential.seconds)});
  section.add(Entry{std::string(names.parallel), with_spread(before.parallel) + unfused_mark});
  section.add(Entry{"  with fusion", with_spread(after.parallel) + fused_mark});
  section.add(Entry{"  profit", profit_text(before.parallel.seconds, after.parallel.seconds)});
  if (!report.only_fused.empty()) {
    section.add(Entry{"", fmt::format("with fusion {} more layers have a time, as {}: no call does "
                                      "them alone, so the profit is not of the same layers",
                                      report.only_fused.size(),
                                      report.graph->layers[report.only_fused.front()].name)});
  }
  section.add(Entry{"fusions used",
                    fmt::format("{} of {}; {}", report.cover.pieces.size(), report.fusions.size(),
                                report.cover.optimal
                                    ? "no other choice gives a lower sequential bound"
                                    : "the search was cut short: another choice may be better")});
  if (report.has_other_fusions_in_parallel()) {
    section.add(Entry{"", parallel_fusions_text(report)});
  }
  section.add(patterns_plot(report));
  if (report.patterns.empty()) section.add("no layers that a library could fuse");
  section.add(patterns_sheet(report));
  section.add(used_sheet(report));
  if (auto names = missing_names(report); !names.empty()) {
    section.add(Names{.title = "missing", .names = std::move(names), .most = 3});
  }
  return section;
}

}  // namespace benanza::analysis
