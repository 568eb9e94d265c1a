#include "core/graph_file/graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/gzip.h"
#include "core/base/json_view.h"
#include "core/graph_file/check_graph.h"
#include "core/problem/precision.h"
#include "core/problem/problem.h"

namespace benanza {
namespace {

/// A graph file as JSON, plain or gzipped. Every error is one line: the file, what is wrong, what
/// to do.
class GraphFile {
 public:
  explicit GraphFile(const std::filesystem::path& path) : path_(path), text_(read_file(path)) {
    if (text_.empty()) throw error("is empty, not a graph file");
    if (is_gzip(text_)) {
      try {
        text_ = gunzip(text_);
      } catch (const Error& reason) {
        throw error(reason.what());
      }
    }
    if (parser_.parse(text_).get(root_) != simdjson::SUCCESS) {
      throw error("is not a graph file: not JSON, or cut short");
    }
    if (!root_.is_object()) throw error("is not a graph file");
    const auto schema = root().find("schema");
    if (!schema) throw error("is not a graph file: it has no \"schema\"");
    // The next version allows a list of problems to have a count; otherwise both are the same.
    const std::string plain = std::to_string(graph_schema);
    const std::string counted = std::to_string(graph_schema + 1);
    if (schema->text() != plain && schema->text() != counted) {
      throw error("has schema " + schema->text() + ", not " + plain + " or " + counted);
    }
  }

  JsonView root() const { return JsonView(root_); }
  Error error(std::string_view message) const {
    // Names in the file may have line breaks.
    std::string line(message);
    std::ranges::replace(line, '\n', ' ');
    return Error(path_.string() + ": " + line + "; write it with benanza-generate");
  }

 private:
  std::filesystem::path path_;
  std::string text_;
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

constexpr Cost costs[] = {Cost::measured, Cost::movement, Cost::free, Cost::unsupported};

/// Older files only have the sum over a layer's parameters.
std::vector<std::int64_t> gradients_of(const JsonView& row) {
  const auto sum = optional_member<std::int64_t>(row, "gradient_elements").value_or(0);
  return optional_member<std::vector<std::int64_t>>(row, "gradients")
      .value_or(sum > 0 ? std::vector{sum} : std::vector<std::int64_t>{});
}

/// One problem, or a list of them.
std::vector<std::string> read_also(const JsonView& row) {
  const auto also = row.find("also");
  if (!also) return {};
  if (also->is_string()) return {also->get<std::string>()};
  return also->get<std::vector<std::string>>();
}

std::map<std::string, std::string> read_metadata(const JsonView& root) {
  std::map<std::string, std::string> metadata;
  const auto found = root.find("metadata");
  if (!found) return metadata;
  for (const auto& [name, value] : found->members()) metadata[name] = value.get<std::string>();
  return metadata;
}

std::optional<Compulsory> read_compulsory(const JsonView& owner) {
  const auto found = owner.find("compulsory");
  if (!found || found->is_null()) return std::nullopt;
  const auto traffic = [&](const char* name) {
    const JsonView row = found->at(name);
    return Traffic{.elements = row.at("elements").get<std::int64_t>(),
                   .bytes = row.at("bytes").get<std::int64_t>(),
                   .halves = optional_member<std::int64_t>(row, "halves").value_or(0)};
  };
  return Compulsory{
      .inputs = traffic("inputs"), .weights = traffic("weights"), .outputs = traffic("outputs")};
}

std::vector<std::size_t> inner_moves_of(const JsonView& row) {
  return optional_member<std::vector<std::size_t>>(row, "inner_moves")
      .value_or(std::vector<std::size_t>{});
}

Layer read_layer(const JsonView& row, const GraphFile& document) {
  Layer layer{.name = row.at("name").get<std::string>(),
              .op = row.at("op").get<std::string>(),
              .inputs = row.at("inputs").get<std::vector<std::size_t>>(),
              .reason = optional_member<std::string>(row, "reason").value_or(""),
              .assumed = optional_member<std::string>(row, "assumed").value_or(""),
              .problems = row.at("problems").get<std::vector<std::string>>(),
              .inner_moves = inner_moves_of(row),
              .flops = optional_member<double>(row, "flops"),
              .bytes = optional_member<double>(row, "bytes"),
              .outputs = {},
              .precision = optional_member<std::string>(row, "precision").value_or(""),
              .phase = optional_member<std::string>(row, "phase").value_or(""),
              .gradients = gradients_of(row),
              .compulsory = read_compulsory(row)};
  if (const auto count = optional_member<std::int64_t>(row, "count")) {
    constexpr std::int64_t most = 10'000'000;
    const auto once = static_cast<std::int64_t>(layer.problems.size());
    const std::vector<std::size_t> moves = layer.inner_moves;
    if (*count < 1 || *count > most || once * *count > most) {
      throw document.error("layer \"" + layer.name + "\": count " + std::to_string(*count));
    }
    layer.problems.reserve(static_cast<std::size_t>(once * *count));
    for (std::int64_t at = once; at < once * *count; ++at) {
      layer.problems.push_back(layer.problems[static_cast<std::size_t>(at - once)]);
    }
    for (std::int64_t turn = 1; turn < *count; ++turn) {
      for (const std::size_t move : moves) {
        layer.inner_moves.push_back(move + static_cast<std::size_t>(turn * once));
      }
    }
  }
  for (const std::size_t move : layer.inner_moves) {
    if (move >= layer.problems.size()) {
      throw document.error("layer \"" + layer.name + "\": inner_moves names problem " +
                           std::to_string(move) + " of " + std::to_string(layer.problems.size()));
    }
  }
  const auto cost = row.at("cost").get<std::string>();
  bool known = false;
  for (const Cost candidate : costs) {
    if (cost != to_string(candidate)) continue;
    layer.cost = candidate;
    known = true;
  }
  if (!known) throw document.error("layer \"" + layer.name + "\": unknown cost \"" + cost + "\"");
  // Whatever order they are written in.
  std::ranges::sort(layer.inputs);
  const auto repeated = std::ranges::unique(layer.inputs);
  layer.inputs.erase(repeated.begin(), repeated.end());
  for (const JsonView& output : row.elements_of("outputs")) {
    layer.outputs.push_back(
        {.name = output.at("name").get<std::string>(),
         .type = optional_member<std::string>(output, "type").value_or("unknown"),
         .shape = optional_member<std::vector<std::int64_t>>(output, "shape")});
  }
  return layer;
}

}  // namespace

std::string_view to_string(Cost cost) {
  switch (cost) {
    case Cost::measured:
      return "measured";
    case Cost::movement:
      return "movement";
    case Cost::free:
      return "free";
    case Cost::unsupported:
      return "unsupported";
  }
  return "";
}

Graph read_graph(const std::filesystem::path& path) {
  const GraphFile document(path);
  try {
    const JsonView root = document.root();
    Graph graph{.model = root.at("model").get<std::string>(),
                .batch = optional_member<std::int64_t>(root, "batch"),
                .opset = optional_member<int>(root, "opset"),
                .compulsory = read_compulsory(root),
                .layers = {},
                .fusions = {},
                .transforms = {},
                .recorded = optional_member<std::vector<std::string>>(root, "recorded")
                                .value_or(std::vector<std::string>()),
                .precision = optional_member<std::string>(root, "precision").value_or(""),
                .metadata = read_metadata(root)};
    for (const JsonView& row : root.at("layers").elements()) {
      graph.layers.push_back(read_layer(row, document));
    }
    for (const JsonView& row : root.elements_of("fusions")) {
      graph.fusions.push_back({.pattern = row.at("pattern").get<std::string>(),
                               .layers = row.at("layers").get<std::vector<std::size_t>>(),
                               .problem = row.at("problem").get<std::string>(),
                               .also = read_also(row),
                               .keeps_residual = row.value("keeps_residual", false),
                               .whole = row.value("whole", false)});
    }
    for (const JsonView& row : root.elements_of("transforms")) {
      const auto side = row.at("of").get<std::string>();
      if (side != "input" && side != "output") {
        throw document.error("a transform of \"" + side + '"');
      }
      graph.transforms.push_back({.layer = row.at("layer").get<std::size_t>(),
                                  .of_input = side == "input",
                                  .to_nhwc = optional_member<std::string>(row, "to_nhwc"),
                                  .to_nchw = optional_member<std::string>(row, "to_nchw")});
    }
    if (const std::string fault = contradiction_of(graph); !fault.empty()) {
      throw document.error(fault);
    }
    return graph;
  } catch (const JsonError& reason) {
    throw document.error("is not a graph file: " + std::string(reason.what()));
  }
}

std::vector<std::size_t> topological_order(const std::vector<Layer>& layers) {
  std::vector<std::size_t> waiting(layers.size());
  std::vector<std::vector<std::size_t>> readers(layers.size());
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    waiting[layer] = layers[layer].inputs.size();
    for (const std::size_t input : layers[layer].inputs) readers[input].push_back(layer);
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    if (waiting[layer] == 0) ready.push(layer);
  }
  std::vector<std::size_t> order;
  order.reserve(layers.size());
  while (!ready.empty()) {
    const std::size_t layer = ready.top();
    ready.pop();
    order.push_back(layer);
    for (const std::size_t reader : readers[layer]) {
      if (--waiting[reader] == 0) ready.push(reader);
    }
  }
  if (order.size() != layers.size()) order.clear();
  return order;
}

namespace {

/// Calls `use(key, layer)` for every problem and a layer that asks for it, in order of mention.
template <class Use>
void for_each_problem(const Graph& graph, const Use& use) {
  for (const Layer& layer : graph.layers) {
    for (const std::string& key : layer.problems) use(key, layer);
  }
  for (const Fusion& fusion : graph.fusions) {
    for (const std::string& key : problems_of(fusion)) {
      use(key, graph.layers[fusion.layers.front()]);
    }
  }
  for (const LayoutTransform& transform : graph.transforms) {
    for (const auto* key : {&transform.to_nhwc, &transform.to_nchw}) {
      if (*key) use(**key, graph.layers[transform.layer]);
    }
  }
}

/// False for keys of problems that are not known here.
bool multiplies_weights(const std::string& key) {
  try {
    const Problem problem = parse(key);
    const std::vector<Operand> operands = inputs(problem);
    return is_product(problem) && operands.size() > 1 && operands[1].role == Role::weights;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace

std::vector<std::string> problems_of(const Graph& graph) {
  std::vector<std::string> keys;
  std::unordered_set<std::string> seen;
  for_each_problem(graph, [&](const std::string& key, const Layer&) {
    if (seen.insert(key).second) keys.push_back(key);
  });
  return keys;
}

std::optional<Precision> stored_precision(const Layer& layer) {
  const std::optional<Precision> own = parse_precision(layer.precision);
  return own && element_bytes(*own) == 1 ? own : std::nullopt;
}

std::optional<Precision> stored_precision(const Layer& layer, const std::string& key) {
  const std::optional<Precision> stored = stored_precision(layer);
  const bool is_mixed = stored == Precision::fp8 && layer.problems.size() > 1;
  return is_mixed && !multiplies_weights(key) ? std::nullopt : stored;
}

std::map<Precision, std::set<std::string, std::less<>>> stored_problems_of(const Graph& graph) {
  std::map<Precision, std::set<std::string, std::less<>>> keys;
  for_each_problem(graph, [&](const std::string& key, const Layer& layer) {
    if (const auto stored = stored_precision(layer, key)) keys[*stored].insert(key);
  });
  return keys;
}

std::set<std::string, std::less<>> float_problems_of(const Graph& graph) {
  std::set<std::string, std::less<>> keys;
  for_each_problem(graph, [&](const std::string& key, const Layer& layer) {
    if (!stored_precision(layer, key)) keys.insert(key);
  });
  return keys;
}

std::vector<std::string> problems_of(const Fusion& fusion) {
  std::vector<std::string> problems{fusion.problem};
  problems.insert(problems.end(), fusion.also.begin(), fusion.also.end());
  return problems;
}

std::vector<std::vector<const Fusion*>> fusions_of_one_layer(const Graph& graph) {
  std::vector<std::vector<const Fusion*>> found(graph.layers.size());
  for (const Fusion& fusion : graph.fusions) {
    if (fusion.layers.size() == 1) found[fusion.layers.front()].push_back(&fusion);
  }
  return found;
}

std::set<std::string, std::less<>> problem_keys(const std::vector<Graph>& graphs) {
  std::set<std::string, std::less<>> keys;
  for (const Graph& graph : graphs) {
    for (std::string& key : problems_of(graph)) keys.insert(std::move(key));
  }
  return keys;
}

std::string title(const Graph& graph) {
  return graph.batch ? graph.model + ", batch " + std::to_string(*graph.batch) : graph.model;
}

}  // namespace benanza
