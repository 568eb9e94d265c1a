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
      remark = report.movement == Movement::include ? "in the bound" : "not in the bound";
    }
    if ((status == LayerStatus::missing || status == LayerStatus::unsupported) &&
        tally.layers > 0) {
      remark = "not in the bound: it is PARTIAL";
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

/// A framework's latencies compared with the bounds.
void add_latencies(Section& section, const BoundReport& report, const Comparison& comparison) {
  const Profile& profile = *comparison.profile;
  const auto add_ratios = [&](const std::string& name, const Latency& latency) {
    section.add(
        Entry{name, fmt::format("{:.3f} sequential, {:.3f} parallel{}", latency.sequential_ratio,
                                latency.parallel_ratio, partial_mark(report))});
  };
  const auto add_runs = [&](const std::string& name, const Latency& latency, std::size_t runs) {
    section.add(Entry{
        name, fmt::format("{}, {} runs", with_spread(latency.seconds, latency.spread), runs)});
  };
  if (const auto& latency = comparison.latency) {
    add_runs(profile.framework, *latency, profile.latency_seconds.size());
    add_ratios("BR", *latency);
    add_sequence_ratios(section, report, latency->seconds);
  } else {
    section.add(Entry{profile.framework, "latency not known: a trace alone does not tell it"});
  }
  if (const auto& latency = comparison.graph_latency) {
    add_runs("  CUDA graph", *latency, profile.graph_latency_seconds.size());
    add_ratios("  BR", *latency);
  }
  if (comparison.busy) {
    section.add(
        Entry{"  GPU busy", milliseconds(comparison.busy->seconds) + " with the profiler on"});
    add_ratios("  LBL / busy", *comparison.busy);
  }
  const auto& best = comparison.graph_latency ? comparison.graph_latency : comparison.latency;
  if (best && best->sequential_ratio > 1) {
    section.add(Entry{
        "", "above 1: faster than the measured calls, by fusing them, or these results are noisy"});
  }
  for (const std::string& remark : profile.remarks) section.add(Entry{"  note", remark});
  for (const std::string& warning : comparison.warnings) {
    section.add(Entry{"  differs in", warning});
  }
}

Sheet exceptions_sheet(const BoundReport& report) {
  Sheet sheet{.caption = "layers without a time, not in the bound",
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
              .share = Sheet::Share{.column = 3, .whole = "the sequential bound"}};
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
  on_path.title = fmt::format("critical path, {} of {} layers in the bound", on_path.names.size(),
                              on_path.names.size() + off_path.names.size());
  if (off_path.names.empty()) {
    section.add(on_path.title + ": no two of them can run at the same time");
    return;
  }
  section.add(std::move(on_path));
  section.add(std::move(off_path));
}

void add_names(Section& section, const std::string& title, std::vector<std::string> names) {
  if (names.empty()) return;
  section.add(Names{.title = title, .names = std::move(names), .most = names_listed});
}

/// A framework's operators compared with the layers that they do.
void add_comparison(Section& section, const BoundReport& report, const Comparison& comparison) {
  const Profile& profile = *comparison.profile;
  const std::vector<Layer>& layers = report.graph->layers;
  section.add(
      fmt::format("{} {} ({}{}), {}: operators {} in all", profile.framework, profile.version,
                  profile.precision,
                  profile.threads ? fmt::format(", {} threads", *profile.threads) : std::string(),
                  profile.device.empty() ? "device not stated" : profile.device,
                  milliseconds(comparison.operator_seconds)));
  Sheet sheet{.caption = "operators that take longer than the bound of their layers",
              .columns = {{"operator", "", false, name_width},
                          {"op", ""},
                          {"us", "", true},
                          {"bound us", "", true},
                          {"lost us", "", true},
                          {"layers it does", "", false, any_width}}};
  const auto layers_of = [&](std::size_t node) {
    std::vector<std::string> names;
    for (const std::size_t layer : comparison.mapping.layers_of_node[node]) {
      names.push_back(shortened(layers[layer].name, name_width));
    }
    return names.empty() ? "none of the model" : enumerated(names, 3);
  };
  std::vector<std::string> faster;
  for (const Loss& loss : comparison.losses) {
    const ProfiledNode& node = profile.nodes[loss.node];
    if (loss.lost_seconds < 0) {
      faster.push_back(node.name + ' ' + microseconds(loss.lost_seconds) + " us");
      continue;
    }
    sheet.rows.push_back({text_cell(node.name), text_cell(node.op), us_cell(node.seconds),
                          us_cell(loss.bound_seconds), us_cell(loss.lost_seconds),
                          text_cell(layers_of(loss.node))});
  }
  section.add(std::move(sheet));
  std::vector<std::string> extra;
  for (const std::size_t node : comparison.extra_nodes) {
    extra.push_back(profile.nodes[node].name + ' ' + microseconds(profile.nodes[node].seconds) +
                    " us");
  }
  add_names(section, "extra, not in the model", std::move(extra));
  std::ranges::reverse(faster);  // largest difference first
  add_names(section, "faster than the calls for their layers", std::move(faster));
  std::vector<std::string> unknown;
  for (const std::size_t node : comparison.unknown_nodes) {
    unknown.push_back(profile.nodes[node].name);
  }
  add_names(section, "their layers have no bound", std::move(unknown));
  std::vector<std::string> absent;
  for (const std::size_t layer : comparison.absent_layers) absent.push_back(layers[layer].name);
  const std::string title =
      fmt::format("layers without an operator of their own, folded or gone ({})", absent.size());
  add_names(section, title, std::move(absent));
}

}  // namespace

Section bound_section(const BoundReport& report, const std::map<std::string, PeakValues>& peaks) {
  Section section = model_section(*report.graph, report.filter, report.movement);
  section.more_facts = [kept = std::make_shared<const BoundReport>(report)](auto& facts) {
    facts.update(bound_facts(*kept));
  };
  section.csv = bound_csv(report);
  section.add(
      Entry{"LBL sequential", with_spread(report.bounds.sequential) + partial_mark(report)});
  section.add(Entry{"LBL parallel", with_spread(report.bounds.parallel) + partial_mark(report)});
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
    add_comparison(section, report, comparison);
  }
  return section;
}

}  // namespace benanza::analysis
