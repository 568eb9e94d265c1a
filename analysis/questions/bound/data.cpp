// The bound as JSON and CSV.

#include "analysis/questions/bound/report.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

ordered_json call_json(const Measurement& call) {
  CallSum sum;
  sum.add(call);
  const Spread spread = sum.spread();
  ordered_json json{{"name", to_string(call.variant)}};
  json.update(bound_json(
      {.seconds = call.seconds(), .spread = spread.interval, .processes = spread.processes}));
  return json;
}

ordered_json names(const std::vector<std::size_t>& layers, const Graph& graph) {
  ordered_json list = ordered_json::array();
  for (const std::size_t layer : layers) list.push_back(graph.layers[layer].name);
  return list;
}

ordered_json bounds_json(const Bounds& bounds, const Graph& graph) {
  ordered_json json{{"sequential", bound_json(bounds.sequential)},
                    {"parallel", bound_json(bounds.parallel)}};
  json["parallel"]["critical_path"] = names(bounds.path, graph);
  return json;
}

ordered_json coverage_json(const Coverage& coverage) {
  ordered_json out = ordered_json::object();
  for (const LayerStatus status : layer_statuses) {
    const Tally& tally = coverage.of(status);
    out[std::string(to_string(status))] = {{"layers", tally.layers},
                                           {"flops", value_or_null(tally.flops)}};
  }
  out["at_fallback_layers"] = coverage.at_fallback;
  return out;
}

ordered_json layers_json(const BoundReport& report) {
  const std::vector<LayerRow> rows = layer_rows(report);
  ordered_json list = ordered_json::array();
  for (std::size_t index = 0; index < rows.size(); ++index) {
    const Layer& layer = report.graph->layers[index];
    const LayerTime& time = report.times[index];
    ordered_json calls = ordered_json::array();
    for (const Measurement* call : time.calls) calls.push_back(call_json(*call));
    ordered_json gaps = ordered_json::array();
    for (const Gap& gap : time.gaps) gaps.push_back({{"key", gap.key}, {"reason", gap.reason}});
    list.push_back(
        {{"name", layer.name},
         {"op", layer.op},
         {"standing", to_string(time.status)},
         {"seconds", value_or_null(time.seconds)},
         {"share", value_or_null(rows[index].share)},
         {"flops", value_or_null(layer.flops)},
         {"bytes", value_or_null(layer.bytes)},
         {"flops_per_second", value_or_null(rows[index].flops_per_second)},
         {"floor_seconds", value_or_null(report.ladder.layer_floor(index))},
         {"reaches", value_or_null(report.ladder.reaches(index))},
         {"fewer_products", value_or_null(report.ladder.fewer_products(index))},
         {"on_critical_path", rows[index].on_critical_path},
         {"does", names(time.does, *report.graph)},
         {"fusion", time.fusion.empty() ? ordered_json(nullptr) : ordered_json(time.fusion)},
         {"calls", calls},
         {"missing", gaps},
         {"note", time.note}});
  }
  return list;
}

Cell number_field(const std::optional<double>& value, std::string_view format = "{}") {
  return text_cell(number_text(value, format));
}

}  // namespace

ordered_json bound_facts(const BoundReport& report) {
  const Graph& graph = *report.graph;
  const MeasurementFilter& filter = report.filter;
  const auto text = [](const auto& value) {
    return value ? ordered_json(to_string(*value)) : ordered_json(nullptr);
  };
  ordered_json comparisons = ordered_json::array();
  for (const Comparison& comparison : report.comparisons) {
    comparisons.push_back(comparison_json(report, comparison));
  }
  return {{"model", graph.model},
          {"batch", value_or_null(graph.batch)},
          {"precision", to_string(filter.precision)},
          {"layout", text(filter.layout)},
          {"backend", backend_fact(filter)},
          {"cold", filter.cold},
          {"is_bound", !filter.cold},
          {"fallback", text(filter.fallback)},
          {"max_workspace_bytes", value_or_null(filter.max_workspace_bytes)},
          {"movement", report.movement == Movement::include ? "include" : "exclude"},
          {"partial", report.is_partial()},
          {"bounds", bounds_json(report.bounds, graph)},
          {"bounds_with_movement", bounds_json(report.with_movement, graph)},
          {"ladder", ladder_json(report)},
          {"sequences", sequences_json(report)},
          {"seen", seen_json(report)},
          {"coverage", coverage_json(report.coverage)},
          {"assumed",
           {{"layers", report.assumed.layers},
            {"seconds", report.assumed.seconds},
            {"first",
             report.assumed.first.empty() ? ordered_json() : ordered_json(report.assumed.first)}}},
          {"whole_operators", wholes_json(report)},
          {"layers", layers_json(report)},
          {"profiles", comparisons}};
}

Sheet bound_csv(const BoundReport& report) {
  Sheet sheet;
  for (const char* name : {"layer", "op", "standing", "seconds", "share", "flops", "bytes",
                           "flops_per_second", "floor_seconds", "reaches", "fewer_products",
                           "on_critical_path", "fusion", "calls", "note"}) {
    sheet.columns.push_back({.name = name});
  }
  const std::vector<LayerRow> rows = layer_rows(report);
  for (std::size_t index = 0; index < rows.size(); ++index) {
    const Layer& layer = report.graph->layers[index];
    const LayerTime& time = report.times[index];
    std::string calls;
    for (const Measurement* call : time.calls) {
      if (!calls.empty()) calls += ' ';
      calls += to_string(call->variant);
    }
    std::string note = time.note;
    for (const Gap& gap : time.gaps) {
      if (!note.empty()) note += "; ";
      note += gap.key + ": " + gap.reason;
    }
    sheet.rows.push_back(
        {text_cell(layer.name), text_cell(layer.op), text_cell(std::string(to_string(time.status))),
         number_field(time.seconds), number_field(rows[index].share, "{:.6g}"),
         number_field(layer.flops), number_field(layer.bytes),
         number_field(rows[index].flops_per_second), number_field(report.ladder.layer_floor(index)),
         number_field(report.ladder.reaches(index), "{:.6g}"),
         number_field(report.ladder.fewer_products(index), "{:.6g}"),
         text_cell(rows[index].on_critical_path ? "yes" : "no"), text_cell(time.fusion),
         text_cell(calls), text_cell(note)});
  }
  return sheet;
}

}  // namespace benanza::analysis
