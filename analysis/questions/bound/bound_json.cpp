#include "analysis/questions/bound/report.h"
#include "analysis/render/json_value.h"
#include "analysis/questions/bound/layer_row.h"
#include "core/base/document.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

ordered_json spread_json(const std::optional<Interval>& spread) {
  if (!spread) return nullptr;
  return {spread->low, spread->high};
}

ordered_json names(const std::vector<std::size_t>& layers, const Graph& graph) {
  ordered_json list = ordered_json::array();
  for (const std::size_t layer : layers) list.push_back(graph.layers[layer].name);
  return list;
}

ordered_json bounds_json(const Bounds& bounds, const Graph& graph) {
  return {{"sequential",
           {{"seconds", bounds.sequential.seconds},
            {"spread_seconds", spread_json(bounds.sequential.spread)}}},
          {"parallel",
           {{"seconds", bounds.parallel.seconds},
            {"spread_seconds", spread_json(bounds.parallel.spread)},
            {"critical_path", names(bounds.path, graph)}}}};
}

ordered_json coverage_json(const Coverage& coverage) {
  ordered_json out = ordered_json::object();
  for (const Standing standing : standings) {
    const Tally& tally = coverage.of(standing);
    out[std::string(to_string(standing))] = {{"layers", tally.layers},
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
    for (const Measurement* call : time.calls) {
      calls.push_back({{"name", to_string(call->variant)},
                       {"seconds", call->seconds()},
                       {"spread_seconds", spread_json(median_interval(call->groups()))}});
    }
    ordered_json gaps = ordered_json::array();
    for (const Gap& gap : time.gaps) gaps.push_back({{"key", gap.key}, {"reason", gap.reason}});
    list.push_back(
        {{"name", layer.name},
         {"op", layer.op},
         {"standing", to_string(time.standing)},
         {"seconds", value_or_null(time.seconds)},
         {"share", value_or_null(rows[index].share)},
         {"flops", value_or_null(layer.flops)},
         {"bytes", value_or_null(layer.bytes)},
         {"flops_per_second", value_or_null(rows[index].flops_per_second)},
         {"on_critical_path", rows[index].on_critical_path},
         {"fusion", time.fusion.empty() ? ordered_json(nullptr) : ordered_json(time.fusion)},
         {"calls", calls},
         {"missing", gaps},
         {"note", time.note}});
  }
  return list;
}

ordered_json ratio_json(const std::optional<Latency>& latency) {
  if (!latency) return nullptr;
  return {{"sequential", latency->sequential_ratio}, {"parallel", latency->parallel_ratio}};
}

ordered_json latency_json(const std::optional<Latency>& latency) {
  if (!latency) return nullptr;
  return {{"seconds", latency->seconds},
          {"spread_seconds", spread_json(latency->spread)},
          {"benanza_ratio", ratio_json(latency)}};
}

ordered_json comparison_json(const Comparison& comparison, const Graph& graph) {
  const Profile& profile = *comparison.profile;
  const std::optional<Latency>& latency = comparison.latency;
  ordered_json losses = ordered_json::array();
  for (const Loss& loss : comparison.losses) {
    const ProfiledNode& node = profile.nodes[loss.node];
    losses.push_back({{"operator", node.name},
                      {"op", node.op},
                      {"layers", names(comparison.mapping.layers_of_node[loss.node], graph)},
                      {"seconds", node.seconds},
                      {"bound_seconds", loss.bound_seconds},
                      {"lost_seconds", loss.lost_seconds}});
  }
  const auto operators = [&](const std::vector<std::size_t>& nodes) {
    ordered_json list = ordered_json::array();
    for (const std::size_t node : nodes) {
      list.push_back(
          {{"operator", profile.nodes[node].name}, {"seconds", profile.nodes[node].seconds}});
    }
    return list;
  };
  return {{"framework", profile.framework},
          {"version", profile.version},
          {"precision", profile.precision},
          {"threads", value_or_null(profile.threads)},
          {"device", profile.device},
          {"runs", profile.latency_seconds.size()},
          {"latency_seconds", latency ? ordered_json(latency->seconds) : nullptr},
          {"latency_spread_seconds", latency ? spread_json(latency->spread) : nullptr},
          {"benanza_ratio", ratio_json(latency)},
          {"cuda_graph", latency_json(comparison.graph_latency)},
          {"gpu_busy", latency_json(comparison.busy)},
          {"remarks", profile.remarks},
          {"operator_seconds", comparison.operator_seconds},
          {"losses", losses},
          {"bound_unknown", operators(comparison.unknown_nodes)},
          {"extra", operators(comparison.extra_nodes)},
          {"absent", names(comparison.absent_layers, graph)},
          {"warnings", comparison.warnings}};
}

ordered_json report_json(const BoundReport& report) {
  const Graph& graph = *report.graph;
  const Choice& choice = report.choice;
  const auto text = [](const auto& value) {
    return value ? ordered_json(to_string(*value)) : ordered_json(nullptr);
  };
  ordered_json comparisons = ordered_json::array();
  for (const Comparison& comparison : report.comparisons) {
    comparisons.push_back(comparison_json(comparison, graph));
  }
  return {{"model", graph.model},
          {"batch", value_or_null(graph.batch)},
          {"precision", to_string(choice.precision)},
          {"layout", text(choice.layout)},
          {"backend", value_or_null(choice.backend)},
          {"cold", choice.cold},
          {"fallback", text(choice.fallback)},
          {"max_workspace_bytes", value_or_null(choice.max_workspace_bytes)},
          {"movement", report.movement == Movement::include ? "include" : "exclude"},
          {"partial", report.is_partial()},
          {"bounds", bounds_json(report.bounds, graph)},
          {"bounds_with_movement", bounds_json(report.with_movement, graph)},
          {"coverage", coverage_json(report.coverage)},
          {"assumed",
           {{"layers", report.assumed.layers},
            {"seconds", report.assumed.seconds},
            {"first",
             report.assumed.first.empty() ? ordered_json() : ordered_json(report.assumed.first)}}},
          {"layers", layers_json(report)},
          {"profiles", comparisons}};
}

}  // namespace

std::string bound_json(const BoundReports& reports) {
  ordered_json list = ordered_json::array();
  for (const BoundReport& report : reports.reports) list.push_back(report_json(report));
  const ordered_json root = {
      {"schema", 1}, {"command", "bound"}, {"systems", reports.systems}, {"reports", list}};
  return root.dump(2) + "\n";
}

}  // namespace benanza::analysis
