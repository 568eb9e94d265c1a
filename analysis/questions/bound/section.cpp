// The bound as text and tables.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "analysis/questions/bound/report.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

constexpr std::size_t names_listed = 6;

std::string arithmetic(const std::optional<double>& flops) {
  if (!flops) return "FLOPs unknown";
  if (*flops >= 1e8) return fmt::format("{:.3f} GFLOP", *flops * 1e-9);
  if (*flops >= 1e5) return fmt::format("{:.3f} MFLOP", *flops * 1e-6);
  return fmt::format("{:.0f} FLOP", *flops);
}

std::string partial_mark(const BoundReport& report) {
  return report.is_partial() ? "  PARTIAL" : "";
}

Sheet coverage_sheet(const BoundReport& report) {
  Sheet sheet{.caption = "coverage",
              .columns = {{"layers that are", ""},
                          {"layers", "", true},
                          {"arithmetic", "", true},
                          {"", "", false, any_width}},
              .all_rows = true};
  for (const LayerStatus status : layer_statuses) {
    const Tally& tally = report.coverage.of(status);
    const bool is_rare = status == LayerStatus::missing || status == LayerStatus::part;
    if (is_rare && tally.layers == 0) continue;
    std::string remark;
    if (status == LayerStatus::part) remark = "of an operator that one call of another layer does";
    if (status == LayerStatus::measured && report.coverage.at_fallback > 0) {
      remark = fmt::format("{} of them at {}", report.coverage.at_fallback,
                           to_string(*report.filter.fallback));
    }
    if (status == LayerStatus::movement && tally.layers > 0) {
      remark = (report.movement == Movement::include ? "in the " : "not in the ") +
               std::string(sum_names(report.filter).sum);
    }
    if ((status == LayerStatus::missing || status == LayerStatus::unsupported) &&
        tally.layers > 0) {
      remark = fmt::format("not in the {}: it is PARTIAL", sum_names(report.filter).sum);
    }
    sheet.rows.push_back({text_cell(std::string(to_string(status))), count_cell(tally.layers),
                          text_cell(tally.layers > 0 ? arithmetic(tally.flops) : "-"),
                          text_cell(remark)});
  }
  return sheet;
}

void add_movement(Section& section, const BoundReport& report) {
  if (report.coverage.of(LayerStatus::movement).layers == 0) {
    section.add(Entry{"with movement", "the same: no layer in it only moves bytes"});
    return;
  }
  const Bounds& moved = report.with_movement;
  section.add(Entry{"with movement",
                    fmt::format("sequential {}, parallel {}{}", with_spread(moved.sequential),
                                with_spread(moved.parallel), partial_mark(report))});
  if (report.movement_without_time > 0) {
    section.add(
        Entry{"", fmt::format("without {} that have no time", report.movement_without_time)});
  }
}

void add_assumed(Section& section, const BoundReport& report) {
  const Assumed& assumed = report.assumed;
  if (assumed.layers == 0) return;
  section.add(Entry{
      "assumed",
      fmt::format("{:.1f}% of sequential, {} {}, may rest on extents that the data decide, taken "
                  "at their largest",
                  assumed.seconds / report.bounds.sequential.seconds * 100, assumed.layers,
                  assumed.layers == 1 ? "layer" : "layers")});
  section.add(Entry{
      "", "first " + assumed.first + ": state them with benanza-generate --dim TENSOR:AXIS=N"});
}

Sheet exceptions_sheet(const BoundReport& report) {
  Sheet sheet{
      .caption = fmt::format("layers without a time, not in the {}", sum_names(report.filter).sum),
      .columns = {{"layer", "", false, name_width},
                  {"op", ""},
                  {"arithmetic", "", true},
                  {"MB", "", true},
                  {"why", "", false, any_width}},
      .all_rows = true};
  for (std::size_t index = 0; index < report.times.size(); ++index) {
    const LayerTime& time = report.times[index];
    if (!lacks_time(time, Movement::include)) continue;
    const Layer& layer = report.graph->layers[index];
    std::vector<std::string> why;
    for (const Gap& gap : time.gaps) why.push_back(gap.key + " " + gap.reason);
    Cell megabytes = megabytes_cell(layer.bytes);
    if (!layer.bytes) megabytes.shown = "unknown";
    sheet.rows.push_back({text_cell(layer.name), text_cell(layer.op),
                          text_cell(arithmetic(layer.flops)), std::move(megabytes),
                          text_cell(why.empty() ? time.note : enumerated(why, names_listed))});
  }
  return sheet;
}

Sheet layers_sheet(const BoundReport& report) {
  Sheet sheet{.caption = "layers",
              .columns = {{"layer", "", false, name_width},
                          {"op", ""},
                          {"us", "", true},
                          {"share", "", true},
                          {"GFLOP/s", "", true},
                          {"critical path", ""},
                          {"layout/backend/algorithm", "", false, any_width}},
              .largest_by = 2,
              .share = Sheet::Share{
                  .column = 3,
                  .whole = report.filter.cold ? "the sum of cold calls" : "the sequential bound"}};
  const std::vector<LayerRow> rows = layer_rows(report);
  for (std::size_t index = 0; index < rows.size(); ++index) {
    if (report.times[index].calls.empty()) continue;
    const LayerRow& row = rows[index];
    const Layer& layer = report.graph->layers[index];
    const auto rate = row.flops_per_second;
    sheet.rows.push_back({text_cell(layer.name), text_cell(layer.op), us_cell(row.seconds),
                          percent_cell(row.share),
                          text_cell(rate ? fmt::format("{:.1f}", *rate * 1e-9) : "-"),
                          text_cell(row.on_critical_path ? "yes" : ""),
                          text_cell(calls_text(report.times[index], report.filter.precision))});
  }
  return sheet;
}

void add_path(Section& section, const BoundReport& report) {
  const std::vector<double> counted = counted_seconds(report.times, report.movement);
  const std::vector<LayerRow> rows = layer_rows(report);
  Names on_path{.title = ""};
  Names off_path{.title = "layers off the critical path"};
  for (const std::size_t layer : report.bounds.path) {
    if (counted[layer] > 0) on_path.names.push_back(report.graph->layers[layer].name);
  }
  for (std::size_t layer = 0; layer < counted.size(); ++layer) {
    if (counted[layer] > 0 && !rows[layer].on_critical_path) {
      off_path.names.push_back(report.graph->layers[layer].name);
    }
  }
  if (on_path.names.empty()) return;
  on_path.title =
      fmt::format("critical path, {} of {} layers in the {}", on_path.names.size(),
                  on_path.names.size() + off_path.names.size(), sum_names(report.filter).sum);
  if (off_path.names.empty()) {
    section.add(on_path.title + ": no two of them can run at the same time");
    return;
  }
  section.add(std::move(on_path));
  section.add(std::move(off_path));
}

}  // namespace

Section bound_section(const BoundReport& report, const std::map<std::string, PeakValues>& peaks) {
  Section section = model_section(*report.graph, report.filter, report.movement);
  section.more_facts = [kept = std::make_shared<const BoundReport>(report)](auto& facts) {
    facts.update(bound_facts(*kept));
  };
  section.csv = bound_csv(report);
  const SumNames names = sum_names(report.filter);
  section.add(Entry{std::string(names.sequential),
                    with_spread(report.bounds.sequential) + partial_mark(report)});
  section.add(Entry{std::string(names.parallel),
                    with_spread(report.bounds.parallel) + partial_mark(report)});
  if (report.filter.cold) {
    section.add(Entry{"",
                      "no bounds: each call was timed by itself, from memory. One after the other "
                      "they find in the caches what those before them wrote (`calls`, then bench_* "
                      "--sequence)"});
  }
  add_sequences(section, report);
  add_ladder(section, report);
  add_movement(section, report);
  add_assumed(section, report);
  for (const Comparison& comparison : report.comparisons) {
    add_latencies(section, report, comparison);
  }
  for (Block& plot : bound_plots(report, peaks)) section.add(std::move(plot));
  section.add(coverage_sheet(report));
  section.add(exceptions_sheet(report));
  section.add(layers_sheet(report));
  section.add(head_room_sheet(report));
  add_seen(section, report);
  add_wholes(section, report);
  add_path(section, report);
  for (const Comparison& comparison : report.comparisons) {
    add_losses(section, report, comparison);
  }
  return section;
}

}  // namespace benanza::analysis
