#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "analysis/questions/fusion/report.h"
#include "analysis/render/table.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

ordered_json bounds_json(const Bounds& bounds) {
  return {{"sequential", bound_json(bounds.sequential)}, {"parallel", bound_json(bounds.parallel)}};
}

std::string profit_text(double before, double after) {
  if (before <= 0) return "nothing to save";
  return fmt::format("{:.3f} ms, {:.1f}%", (before - after) * 1e3, 100 * (before - after) / before);
}

/// One fusion of the report.
struct Found {
  const FusionReport* report = nullptr;
  std::size_t index = 0;

  const Fusion& fusion() const { return report->graph->fusions[index]; }
  const LayerTime& time() const { return report->fusions[index]; }
  const FusionRow& row() const { return report->rows[index]; }
  const std::string& pattern() const { return fusion().pattern; }
  std::vector<std::string> layers() const { return names_of(*report->graph, fusion().layers); }
  std::string problem() const { return fmt::format("{}", fmt::join(problems_of(fusion()), " + ")); }
  Verdict verdict() const { return row().verdict; }
  std::optional<double> seconds() const { return row().seconds; }
  std::optional<double> alone_seconds() const { return row().alone_seconds; }
  std::optional<double> saved_seconds() const {
    if (!row().seconds || !row().alone_seconds) return std::nullopt;
    return *row().alone_seconds - *row().seconds;
  }
  std::optional<std::string> call() const {
    if (time().calls.empty()) return std::nullopt;
    return to_string(time().calls.front()->variant);
  }
  /// Empty without a profile.
  std::optional<bool> framework_fuses() const {
    if (!report->framework) return std::nullopt;
    return report->framework->fused[index];
  }
  std::string note() const { return time().gaps.empty() ? time().note : time().gaps.back().reason; }
};

std::vector<Found> found_in(const FusionReport& report) {
  std::vector<Found> all;
  for (std::size_t index = 0; index < report.rows.size(); ++index) all.push_back({&report, index});
  return all;
}

/// `is_csv`: lists and numbers as CSV has them.
Table<Found> fusions_table(const FusionReport& report, bool is_csv) {
  const auto number = [&](std::optional<double> (Found::*member)() const) {
    return [=](const Found& one) {
      const auto value = (one.*member)();
      return is_csv ? cell(number_text(value)) : cell(value, micro);
    };
  };
  Table<Found> table{{"", "pattern", &Found::pattern},
                     {"", "layers",
                      [=](const Found& one) {
                        const auto names = one.layers();
                        if (is_csv) return cell(fmt::format("{}", fmt::join(names, " ")));
                        return Cell{.value = names};
                      }},
                     {"", "problem", &Found::problem},
                     {"", "verdict", &Found::verdict},
                     {"", "seconds", number(&Found::seconds)},
                     {"", "alone_seconds", number(&Found::alone_seconds)}};
  table.add_if(report.framework.has_value(), {{"", "framework_fuses", &Found::framework_fuses}});
  table.add_if(is_csv, {{"", "saves_seconds", number(&Found::saved_seconds)}});
  table.add({"", "call", &Found::call});
  table.add({"", "note", &Found::note});
  return table;
}

Sheet patterns_sheet(const FusionReport& report) {
  using Row = PatternRow;
  const Table<Row> table{
      {"pattern", "pattern", &Row::pattern},
      {"found", "found", &Row::found},
      {"measured", "measured", &Row::measured},
      {"unsupported", "unsupported", &Row::unsupported},
      {"missing", "missing", &Row::missing},
      {"used", "used", &Row::used},
      {"saves us", "profit_seconds", micro, &Row::profit_seconds},
      {"saves if alone us", "profit_alone_seconds", micro, &Row::profit_alone_seconds},
      {"in the bound us", "in_bound_seconds", micro, &Row::in_bound_seconds}};
  return table.sheet(report.patterns,
                     {.name = "patterns", .caption = "patterns of fusions", .all_rows = true});
}

Sheet used_sheet(const FusionReport& report) {
  std::vector<Found> used;
  for (const std::size_t index : report.cover.pieces) used.push_back({&report, index});
  std::ranges::stable_sort(used, std::ranges::greater{}, &Found::saved_seconds);
  Table<Found> table{{"layers", "",
                      [](const Found& one) {
                        const auto names = one.layers();
                        return names.front() + " ... " + names.back();
                      },
                      name_width},
                     {"pattern", "", &Found::pattern},
                     {"alone us", "", micro, &Found::alone_seconds},
                     {"fused us", "", micro, &Found::seconds},
                     {"saves us", "", micro, &Found::saved_seconds}};
  if (report.framework) {
    table.add({report.framework->framework + " too", "", &Found::framework_fuses});
  }
  table.add({"layout/backend/algorithm", "",
             [](const Found& one) { return call_text(one.time().calls.front()); }, any_width});
  return table.sheet(used, {.caption = "fusions that are used, those that save most first"});
}

Bars patterns_plot(const FusionReport& report) {
  std::vector<PatternRow> saving;
  std::ranges::copy_if(report.patterns, std::back_inserter(saving),
                       [](const PatternRow& row) { return row.profit_seconds > 0; });
  return bars(
      {.title = "What each pattern saves", .series = {{.name = "us"}}, .unit = "us", .decimals = 1},
      saving, &PatternRow::pattern, [](const PatternRow& row) { return row.profit_seconds * 1e6; });
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

/// What is left to gain beside a framework that fuses layers itself.
void add_framework(Section& section, const FusionReport& report) {
  if (!report.framework) return;
  const double has = report.profit_of_framework_seconds();
  const double left = std::max(0.0, report.profit_seconds() - has);
  section.facts["framework"] = report.framework->framework;
  section.facts["fused_by_framework"] = report.fused_by_framework();
  section.facts["left_seconds"] = left;
  section.add(Entry{"left beside " + report.framework->framework,
                    fmt::format("{:.3f} ms: it has {} of these fusions, {:.3f} ms", left * 1e3,
                                report.fused_by_framework(), has * 1e3)});
}

void add_bounds(Section& section, const FusionReport& report) {
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
  add_framework(section, report);
  if (report.has_other_fusions_in_parallel()) {
    section.add(Entry{"", parallel_fusions_text(report)});
  }
}

/// Of the sequential bound with fusion.
ReferenceCode reference_code(const FusionReport& report) {
  std::vector<LayerTime> alone = report.layers;
  ReferenceCode fused;
  for (const std::size_t piece : report.cover.pieces) {
    const std::vector<std::size_t>& layers = report.graph->fusions[piece].layers;
    for (const std::size_t layer : layers) alone[layer] = {};
    fused.add(report.fusions[piece], report.graph->layers[layers.front()].name);
  }
  ReferenceCode code = reference_code(*report.graph, alone, report.movement);
  code.all_calls += fused.all_calls;
  code.calls += fused.calls;
  code.seconds += fused.seconds;
  code.unpacked_calls += fused.unpacked_calls;
  code.unpacked_seconds += fused.unpacked_seconds;
  if (fused.worst_seconds > code.worst_seconds) {
    code.worst_layer = fused.worst_layer;
    code.worst_seconds = fused.worst_seconds;
  }
  return code;
}

}  // namespace

Section fusion_section(const FusionReport& report) {
  Section section = model_section(*report.graph, report.filter, report.movement);
  section.facts["partial"] = report.is_partial();
  section.facts["partial_without_fusion"] = report.is_partial_unfused();
  section.facts["partial_with_fusion"] = report.is_partial_fused();
  section.facts["only_fused_layers"] = names_of(*report.graph, report.only_fused);
  section.facts["unfused"] = bounds_json(report.unfused);
  section.facts["fused"] = bounds_json(report.fused);
  section.facts["profit_seconds"] = report.profit_seconds();
  section.facts["optimal"] = report.cover.optimal;
  section.facts["fusions_used"] = report.cover.pieces.size();
  section.facts["fusions_used_in_parallel"] = report.in_parallel.size();
  section.facts["fusions"] = fusions_table(report, false).json(found_in(report));
  section.csv = fusions_table(report, true).sheet(found_in(report));

  add_bounds(section, report);
  add_reference_code(section, reference_code(report));
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
