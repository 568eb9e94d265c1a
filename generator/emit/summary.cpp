#include "generator/emit/summary.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "generator/emit/problems.h"

namespace benanza::emit {
namespace {

struct Row {
  int layers = 0;
  int calls = 0;
  std::set<std::string> keys;
  double macs = 0;
  std::optional<double> flops = 0;
  std::optional<double> bytes = 0;

  void add(const LoweredLayer& layer) {
    ++layers;
    calls += static_cast<int>(layer.calls.size());
    for (const Call& call : layer.calls) keys.insert(key(call.problem));
    macs += emit::macs(layer);
    flops = flops && layer.flops ? std::optional(*flops + *layer.flops) : std::nullopt;
    bytes = bytes && layer.bytes ? std::optional(*bytes + *layer.bytes) : std::nullopt;
  }
  int repeats() const { return calls - static_cast<int>(keys.size()); }
};

std::string scaled(const std::optional<double>& value, double unit) {
  return value ? fmt::format("{:.3f}", *value / unit) : "unknown";
}

constexpr std::string_view columns = "  {:<24} {:<12} {:>6} {:>9} {:>8} {:>9} {:>10} {:>10}\n";

std::string line(const std::string& op, std::string_view cost, const Row& row) {
  return fmt::format(columns, op, cost, row.layers, row.keys.size(), row.repeats(),
                     scaled(row.macs, 1e9), scaled(row.flops, 1e9), scaled(row.bytes, 1e6));
}

std::string free_line(const std::string& op, int layers) {
  return fmt::format(columns, op, to_string(Cost::free), layers, "-", "-", "-", "-", "-");
}

/// True for a node that stands for a weight or a literal. Other files store these as initializers,
/// which are not layers.
bool is_constant(const LoweredLayer& layer) {
  return layer.op == "Constant" || layer.op == "ConstantOfShape";
}

/// Formats 5754 as "5,754".
std::string grouped(std::int64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, 1, ',');
  return text;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

/// Lists the assumptions by operator, and the number of layers that may depend on them.
std::string assumed(const LoweredGraph& graph) {
  if (graph.assumptions.empty()) return "";
  struct Kind {
    std::int64_t dimensions = 0;
    const Assumption* first = nullptr;
  };
  std::map<std::string, Kind> kinds;
  for (const Assumption& assumption : graph.assumptions) {
    Kind& kind = kinds[assumption.op];
    if (kind.dimensions++ == 0) kind.first = &assumption;
  }
  std::string text;
  for (const auto& [op, kind] : kinds) {
    text += fmt::format("  assumed: {}: {} as large as can be, {}{}\n", op,
                        counted(kind.dimensions, "dimension"), kind.dimensions > 1 ? "first " : "",
                        to_string(*kind.first));
  }
  std::map<Cost, int> layers;
  int all = 0;
  for (const LoweredLayer& layer : graph.layers) {
    if (layer.assumed.empty()) continue;
    ++layers[layer.cost];
    ++all;
  }
  std::string costs;
  for (const auto& [cost, count] : layers) {
    costs += fmt::format("{}{} {}", costs.empty() ? "" : ", ", count, to_string(cost));
  }
  return text + fmt::format("  assumed: {} may rest on them ({})\n", counted(all, "layer"), costs);
}

}  // namespace

double macs(const LoweredLayer& layer) {
  double sum = 0;
  for (const Call& call : layer.calls) sum += product_flops(call.problem) / 2;
  return sum;
}

double macs(const LoweredGraph& graph) {
  double sum = 0;
  for (const LoweredLayer& layer : graph.layers) sum += macs(layer);
  return sum;
}

namespace {

std::string parameter_bytes(const LoweredGraph& graph) {
  const auto megabytes = [](std::int64_t bytes) { return scaled(static_cast<double>(bytes), 1e6); };
  const Traffic& stored = graph.stored_parameters;
  if (stored.bytes == 0) return megabytes(4 * graph.parameters) + " MB as fp32";
  std::string text = megabytes(stored.bytes) + " MB as stored";
  if (stored.elements > 0) text += ", and " + megabytes(4 * stored.elements) + " MB as fp32";
  return text;
}

}  // namespace

std::string summary(const LoweredGraph& graph, SummaryRows shown) {
  std::map<std::pair<Cost, std::string>, Row> rows;
  std::map<std::string, int> free;
  std::map<std::string, int> reasons;
  Row total;
  int free_layers = 0;
  for (const LoweredLayer& layer : graph.layers) {
    total.add(layer);
    if (layer.cost == Cost::free) {
      ++free[layer.op];
      ++free_layers;
    } else {
      rows[{layer.cost, layer.op}].add(layer);
    }
    if (layer.cost == Cost::unsupported) ++reasons[layer.op + ": " + layer.reason];
  }
  std::string text = graph.list.empty() ? fmt::format("{} (batch {}, opset {})\n", graph.model,
                                                      graph.batch, graph.opset)
                                        : graph.model + " (a list of problems)\n";
  text += fmt::format(columns, "operator", "cost", "layers", "problems", "repeats", "GMACs",
                      "GFLOPs", "MB");
  for (const auto& [id, row] : rows) text += line(id.second, to_string(id.first), row);
  if (shown == SummaryRows::all || free.size() == 1) {
    for (const auto& [op, layers] : free) text += free_line(op, layers);
  } else if (!free.empty()) {
    text += free_line(counted(static_cast<std::int64_t>(free.size()), "operator"), free_layers);
  }
  text += line("total", "", total);
  if (graph.list.empty()) {
    text +=
        fmt::format("  {} ({})\n", counted(graph.parameters, "parameter"), parameter_bytes(graph));
  }
  for (const auto& [reason, count] : reasons) {
    text += fmt::format("  unsupported: {} ({})\n", reason, count);
  }
  return text + assumed(graph);
}

std::string sharing(const std::vector<LoweredGraph>& graphs) {
  std::map<std::string, int> calls;
  std::map<std::string, std::set<std::size_t>> users;
  std::vector<std::set<std::string>> keys(graphs.size());
  std::vector<int> layers(graphs.size());
  std::int64_t all_layers = 0;
  std::int64_t all_calls = 0;
  for (std::size_t index = 0; index < graphs.size(); ++index) {
    for (const LoweredLayer& layer : graphs[index].layers) {
      if (is_constant(layer)) continue;
      ++layers[index];
      for (const Call& call : layer.calls) {
        const std::string text = key(call.problem);
        keys[index].insert(text);
        users[text].insert(index);
        ++calls[operator_of(text)];
        ++all_calls;
      }
    }
    all_layers += layers[index];
  }
  std::map<std::string, int> unique;
  for (const auto& [text, graph] : users) ++unique[operator_of(text)];

  const auto all_unique = static_cast<std::int64_t>(users.size());
  std::string text =
      fmt::format("{}: {}, {}, {}\n", counted(static_cast<std::int64_t>(graphs.size()), "graph"),
                  counted(all_layers, "layer"), counted(all_calls, "call"),
                  counted(all_unique, "unique problem"));
  text += fmt::format("  {:<28} {:>8} {:>9} {:>9}\n", "operator", "calls", "problems", "repeats");
  for (const auto& [op, count] : calls) {
    text += fmt::format("  {:<28} {:>8} {:>9} {:>9}\n", op, count, unique[op], count - unique[op]);
  }
  text += fmt::format("  {:<28} {:>8} {:>9} {:>9}\n", "model", "layers", "problems", "its own");
  for (std::size_t index = 0; index < graphs.size(); ++index) {
    int own = 0;
    for (const std::string& problem : keys[index]) own += users[problem].size() == 1 ? 1 : 0;
    const std::string name =
        graphs[index].list.empty()
            ? fmt::format("{} (batch {})", graphs[index].model, graphs[index].batch)
            : graphs[index].model;
    text +=
        fmt::format("  {:<28} {:>8} {:>9} {:>9}\n", name, layers[index], keys[index].size(), own);
  }
  return text;
}

}  // namespace benanza::emit
