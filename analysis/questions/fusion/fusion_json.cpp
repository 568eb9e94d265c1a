#include "analysis/questions/fusion/report.h"
#include "analysis/render/json_value.h"
#include "core/base/document.h"

namespace benanza::analysis {
namespace {

using nlohmann::ordered_json;

template <class T>
ordered_json word(const std::optional<T>& value) {
  return value ? ordered_json(to_string(*value)) : ordered_json(nullptr);
}

ordered_json bound_json(const Bound& bound) {
  ordered_json spread = nullptr;
  if (bound.spread) spread = {bound.spread->low, bound.spread->high};
  return {{"seconds", bound.seconds}, {"spread_seconds", spread}};
}

ordered_json bounds_json(const Bounds& bounds) {
  return {{"sequential", bound_json(bounds.sequential)}, {"parallel", bound_json(bounds.parallel)}};
}

ordered_json patterns_json(const FusionReport& report) {
  ordered_json list = ordered_json::array();
  for (const PatternRow& row : report.patterns) {
    list.push_back({{"pattern", row.pattern},
                    {"found", row.found},
                    {"measured", row.measured},
                    {"unsupported", row.unsupported},
                    {"missing", row.missing},
                    {"used", row.used},
                    {"profit_seconds", row.profit_seconds},
                    {"profit_alone_seconds", row.profit_alone_seconds},
                    {"in_bound_seconds", row.in_bound_seconds}});
  }
  return list;
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
                    {"problem", fusion.problem},
                    {"verdict", to_string(report.rows[index].verdict)},
                    {"seconds", value_or_null(report.rows[index].seconds)},
                    {"alone_seconds", value_or_null(report.rows[index].alone_seconds)},
                    {"call", call},
                    {"note", note}});
  }
  return list;
}

ordered_json report_json(const FusionReport& report) {
  return {{"model", report.graph->model},
          {"batch", value_or_null(report.graph->batch)},
          {"precision", to_string(report.choice.precision)},
          {"layout", word(report.choice.layout)},
          {"backend", value_or_null(report.choice.backend)},
          {"cold", report.choice.cold},
          {"fallback", word(report.choice.fallback)},
          {"movement", report.movement == Movement::include ? "include" : "exclude"},
          {"partial", report.is_partial()},
          {"unfused", bounds_json(report.unfused)},
          {"fused", bounds_json(report.fused)},
          {"profit_seconds", report.profit_seconds()},
          {"optimal", report.cover.optimal},
          {"fusions_used", report.cover.pieces.size()},
          {"fusions_used_in_parallel", report.in_parallel.size()},
          {"patterns", patterns_json(report)},
          {"fusions", fusions_json(report)}};
}

}  // namespace

std::string fusion_json(const FusionReports& reports) {
  ordered_json list = ordered_json::array();
  for (const FusionReport& report : reports.reports) list.push_back(report_json(report));
  const ordered_json root = {
      {"schema", 1}, {"command", "fusion"}, {"systems", reports.systems}, {"reports", list}};
  return root.dump(2) + "\n";
}

}  // namespace benanza::analysis
