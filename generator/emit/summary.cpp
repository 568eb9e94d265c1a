#include "emit/summary.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace benanza {
namespace {

struct Row {
  int layers = 0;
  std::set<std::string> keys;
  std::optional<double> flops = 0;
  std::optional<double> bytes = 0;

  void add(const Layer& layer) {
    ++layers;
    for (const Call& call : layer.calls) keys.insert(key(call.problem));
    flops = flops && layer.flops ? std::optional(*flops + *layer.flops) : std::nullopt;
    bytes = bytes && layer.bytes ? std::optional(*bytes + static_cast<double>(*layer.bytes))
                                 : std::nullopt;
  }
};

std::string scaled(const std::optional<double>& value, double unit) {
  return value ? fmt::format("{:.3f}", *value / unit) : "unknown";
}

std::string line(const std::string& op, std::string_view cost, const Row& row) {
  return fmt::format("  {:<24} {:<12} {:>6} {:>9} {:>10} {:>10}\n", op, cost, row.layers,
                     row.keys.size(), scaled(row.flops, 1e9), scaled(row.bytes, 1e6));
}

}  // namespace

std::string summary(const Graph& graph) {
  std::map<std::pair<Cost, std::string>, Row> rows;
  std::map<std::string, int> reasons;
  Row total;
  for (const Layer& layer : graph.layers) {
    rows[{layer.cost, layer.op_type}].add(layer);
    total.add(layer);
    if (layer.cost == Cost::unsupported) ++reasons[layer.op_type + ": " + layer.reason];
  }
  std::string text =
      fmt::format("{} (batch {}, opset {})\n", graph.model, graph.batch, graph.opset);
  text += fmt::format("  {:<24} {:<12} {:>6} {:>9} {:>10} {:>10}\n", "layer", "cost", "count",
                      "problems", "GFLOPs", "MB");
  for (const auto& [id, row] : rows) text += line(id.second, to_string(id.first), row);
  text += line("total", "", total);
  for (const auto& [reason, count] : reasons) {
    text += fmt::format("  unsupported: {} ({})\n", reason, count);
  }
  return text;
}

}  // namespace benanza
