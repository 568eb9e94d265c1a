// The bound as text and tables.

#include <fmt/format.h>

#include <memory>

#include "analysis/model/bounds.h"
#include "analysis/questions/bound/report.h"
#include "analysis/render/table.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t names_listed = 6;

ordered_json bounds_json(const Bounds& bounds, const Graph& graph) {
  ordered_json json{{"sequential", bound_json(bounds.sequential)},
                    {"parallel", bound_json(bounds.parallel)}};
  json["parallel"]["critical_path"] = names_of(graph, bounds.path);
  return json;
}

ordered_json coverage_json(const Coverage& coverage) {
  ordered_json out = ordered_json::object();
  for (const LayerStatus status : layer_statuses) {
    const LayerCount& tally = coverage.of(status);
    out[std::string(to_string(status))] = {{"layers", tally.layers}, {"flops", tally.flops}};
  }
  out["at_fallback_layers"] = coverage.at_fallback;
  return out;
}

void add_bounds_facts(Section& section, const BoundReport& report) {
  const Assumed& assumed = report.assumed;
  section.facts.update(
      {{"is_bound", !report.filter.cold},
       {"partial", report.is_partial()},
       {"bounds", bounds_json(report.bounds, *report.graph)},
       {"bounds_with_movement", bounds_json(report.with_movement, *report.graph)},
       {"coverage", coverage_json(report.coverage)},
       {"assumed",
        {{"layers", assumed.layers},
         {"seconds", assumed.seconds},
         {"first", assumed.first.empty() ? ordered_json() : ordered_json(assumed.first)}}}});
}

std::string arithmetic(const std::optional<double>& flops) {
  if (!flops) return "FLOPs unknown";
  if (*flops >= 1e8) return fmt::format("{:.3f} GFLOP", *flops * 1e-9);
  if (*flops >= 1e5) return fmt::format("{:.3f} MFLOP", *flops * 1e-6);
  return fmt::format("{:.0f} FLOP", *flops);
}

std::string partial_mark(const BoundReport& report) {
  return report.is_partial() ? "  PARTIAL" : "";
}

std::string coverage_remark(const BoundReport& report, LayerStatus status) {
  const std::string_view sum = sum_names(report.filter).sum;
  if (status == LayerStatus::part) return "of an operator that one call of another layer does";
  if (status == LayerStatus::measured && report.coverage.at_fallback > 0) {
    return fmt::format("{} of them at {}", report.coverage.at_fallback,
                       to_string(*report.filter.fallback));
  }
  if (report.coverage.of(status).layers == 0) return "";
  if (status == LayerStatus::movement) {
    return fmt::format("{} the {}", report.movement == Movement::include ? "in" : "not in", sum);
  }
  if (status == LayerStatus::missing || status == LayerStatus::unsupported) {
    return fmt::format("not in the {}: it is PARTIAL", sum);
  }
  return "";
}

Sheet coverage_sheet(const BoundReport& report) {
  const auto count = [&](LayerStatus status) -> const LayerCount& {
    return report.coverage.of(status);
  };
  std::vector<LayerStatus> shown;
  for (const LayerStatus status : layer_statuses) {
    const bool is_rare = status == LayerStatus::missing || status == LayerStatus::part;
    if (!is_rare || count(status).layers > 0) shown.push_back(status);
  }
  const Table<LayerStatus> table{
      {"layers that are", "", [](LayerStatus status) { return status; }},
      {"layers", "", [&](LayerStatus status) { return count(status).layers; }},
      {"arithmetic", "", whole,
       [&](LayerStatus status) {
         return cell(count(status).layers > 0 ? arithmetic(count(status).flops) : "-");
       }},
      {"", "", [&](LayerStatus status) { return coverage_remark(report, status); }, any_width}};
  return table.sheet(shown, {.caption = "coverage", .all_rows = true});
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
      "assumed", fmt::format("{:.1f}% of sequential, {} {}: data-dependent sizes, maximum assumed",
                             assumed.seconds / report.bounds.sequential.seconds * 100,
                             assumed.layers, assumed.layers == 1 ? "layer" : "layers")});
  section.add(Entry{
      "", "first " + assumed.first + ": state them with benanza-generate --dim TENSOR:AXIS=N"});
}

void add_conversions(Section& section, const BoundReport& report) {
  const Conversions found = conversions(*report.graph, report.times);
  section.facts["conversions"] = {{"tensors", found.tensors}, {"bytes", found.bytes}};
  if (found.tensors == 0) return;
  section.add(
      Entry{"conversions",
            fmt::format("not in the bound: {} tensor{} between layers of different precisions{}",
                        found.tensors, found.tensors == 1 ? "" : "s",
                        found.bytes ? fmt::format(", {:.3f} MB", *found.bytes * 1e-6) : "")});
}

Sheet exceptions_sheet(const BoundReport& report) {
  std::vector<std::size_t> lacking;
  for (std::size_t layer = 0; layer < report.times.size(); ++layer) {
    if (lacks_time(report.times[layer], Movement::include)) lacking.push_back(layer);
  }
  const auto& layers = report.graph->layers;
  const auto why = [&](std::size_t layer) {
    const LayerTime& time = report.times[layer];
    std::vector<std::string> reasons;
    for (const Gap& gap : time.gaps) reasons.push_back(gap.key + " " + gap.reason);
    return reasons.empty() ? time.note : enumerated(reasons, names_listed);
  };
  const Table<std::size_t> table{
      {"layer", "", [&](std::size_t layer) { return layers[layer].name; }, name_width},
      {"op", "", [&](std::size_t layer) { return layers[layer].op; }},
      {"arithmetic", "", whole,
       [&](std::size_t layer) { return cell(arithmetic(layers[layer].flops)); }},
      {"MB", "", mega,
       [&](std::size_t layer) {
         return layers[layer].bytes ? cell(layers[layer].bytes, mega) : cell("unknown");
       }},
      {"why", "", why, any_width}};
  return table.sheet(lacking, {.caption = fmt::format("layers without a time, not in the {}",
                                                      sum_names(report.filter).sum),
                               .all_rows = true});
}

Sheet layers_sheet(const std::shared_ptr<const BoundReport>& kept) {
  const BoundReport& report = *kept;
  const std::vector<LayerRow> rows = layer_rows(report);
  std::vector<std::size_t> called;
  for (std::size_t layer = 0; layer < rows.size(); ++layer) {
    if (!report.times[layer].calls.empty()) called.push_back(layer);
  }
  const auto& layers = report.graph->layers;
  const Table<std::size_t> table{
      {"layer", "", [&](std::size_t layer) { return layers[layer].name; }, name_width},
      {"op", "", [&](std::size_t layer) { return layers[layer].op; }},
      {"us", "", micro, [&](std::size_t layer) { return rows[layer].seconds; }},
      {"share", "", percent, [&](std::size_t layer) { return rows[layer].share; }},
      {"GFLOP/s", "", Unit{1e-9, 1},
       [&](std::size_t layer) { return rows[layer].flops_per_second; }},
      {"critical path", "",
       [&](std::size_t layer) { return rows[layer].on_critical_path ? "yes" : ""; }},
      {"layout/backend/algorithm", "",
       [&](std::size_t layer) { return calls_text(report.times[layer], report.filter.precision); },
       any_width}};
  return table.sheet(
      called,
      {.caption = "layers",
       .largest_by = 2,
       .share = Sheet::Share{.column = 3,
                             .whole = report.filter.cold ? "the sum of cold calls"
                                                         : "the sequential bound"},
       .equal_ones = "layers",
       .opens = [kept, called](std::size_t row) { return layer_details(*kept, called[row]); }});
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
  const auto kept = std::make_shared<const BoundReport>(report);
  section.more_facts = [kept](auto& facts) { facts["layers"] = bound_layers(*kept); };
  add_bounds_facts(section, report);
  section.csv = bound_csv(report);
  const SumNames names = sum_names(report.filter);
  section.add(Entry{std::string(names.sequential),
                    with_spread(report.bounds.sequential) + partial_mark(report)});
  section.add(Entry{std::string(names.parallel),
                    with_spread(report.bounds.parallel) + partial_mark(report)});
  if (report.filter.cold) {
    section.add(
        Entry{"",
              "not a bound: each call was timed alone, with cold caches. In sequence, calls find "
              "in cache what earlier ones wrote (`calls`, then bench_* --sequence)"});
  }
  add_weights(section, report.weights);
  add_sequences(section, report);
  add_ladder(section, report);
  add_plans(section, report);
  add_movement(section, report);
  add_assumed(section, report);
  add_conversions(section, report);
  add_reference_code(section, reference_code(*report.graph, report.times, report.movement));
  add_latencies(section, report);
  for (Block& plot : bound_plots(report, peaks)) section.add(std::move(plot));
  section.add(coverage_sheet(report));
  section.add(exceptions_sheet(report));
  section.add(layers_sheet(kept));
  section.add(head_room_sheet(report));
  add_compared_parts(section, report);
  add_seen(section, report);
  add_wholes(section, report);
  add_path(section, report);
  add_losses(section, report);
  return section;
}

}  // namespace benanza::analysis
