#include "analysis/profile_match/mapping.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "analysis/profile_match/align.h"
#include "analysis/profile_match/evidence.h"
#include "core/problem/problem.h"

namespace benanza::analysis {
namespace {

constexpr auto nowhere = static_cast<std::size_t>(-1);

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Returns true if `text` contains `word` as a whole word.
bool holds_word(std::string_view text, std::string_view word) {
  if (word.empty()) return false;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      return true;
    }
  }
  return false;
}

class Matcher {
 public:
  Matcher(const Graph& graph, const std::vector<ProfiledNode>& nodes)
      : graph_(graph), layers_(graph.layers), nodes_(nodes) {
    mapping_.layers_of_node.resize(nodes.size());
    mapping_.node_of_layer.resize(layers_.size());
    mapping_.named.resize(layers_.size());
    mapping_.found.resize(layers_.size(), MatchKind::no);
    mapping_.evidence.resize(layers_.size(), Evidence::none);
  }

  Mapping run() {
    match_names();
    match_words();
    match_order();
    match_parts();
    weigh();
    absorb();
    for (auto& layers : mapping_.layers_of_node) std::ranges::sort(layers);
    return std::move(mapping_);
  }

 private:
  bool is_taken(std::size_t layer) const { return mapping_.node_of_layer[layer].has_value(); }
  bool is_mapped(std::size_t node) const { return !mapping_.layers_of_node[node].empty(); }

  /// Nodes without an origin have no name that could come from the model.
  bool is_open(std::size_t node) const { return !is_mapped(node) && !nodes_[node].origin.empty(); }

  void assign(std::size_t node, std::size_t layer, MatchKind found) {
    mapping_.layers_of_node[node].push_back(layer);
    mapping_.node_of_layer[layer] = node;
    mapping_.named[layer] = found != MatchKind::inside;
    mapping_.found[layer] = found;
  }

  void match_names() {
    std::map<std::string_view, std::size_t> by_name;
    std::map<std::string_view, std::size_t> by_tensor;
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      by_name.try_emplace(layers_[layer].name, layer);
      for (const Output& tensor : layers_[layer].outputs) {
        by_tensor.try_emplace(tensor.name, layer);
      }
    }
    std::vector<std::size_t> chains;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      // Layers may have unnamed (optional) outputs, which an empty origin would match.
      if (nodes_[node].origin.empty()) continue;
      const auto name = by_name.find(nodes_[node].origin);
      const auto tensor = by_tensor.find(nodes_[node].origin);
      if (tensor != by_tensor.end()) chains.push_back(node);
      if (name != by_name.end() && !is_taken(name->second)) {
        assign(node, name->second, MatchKind::name);
      } else if (tensor != by_tensor.end() && !is_taken(tensor->second)) {
        assign(node, tensor->second, MatchKind::name);
      }
      if (name != by_name.end() || tensor != by_tensor.end()) continue;
      const auto replaced = by_tensor.find(nodes_[node].replaced);
      if (nodes_[node].replaced.empty() || replaced == by_tensor.end()) continue;
      if (!is_taken(replaced->second)) assign(node, replaced->second, MatchKind::name);
    }
    // After all names are matched: a chain must not include a layer with a node of its own.
    for (const std::size_t node : chains) {
      if (is_mapped(node)) take_chain(node);
    }
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (nodes_[node].does_next && is_mapped(node)) take_next(node);
    }
  }

  /// The only layer that reads `layer`, if it has no node of its own.
  std::optional<std::size_t> only_reader(std::size_t layer) const {
    std::optional<std::size_t> found;
    for (std::size_t reader = 0; reader < layers_.size(); ++reader) {
      if (std::ranges::find(layers_[reader].inputs, layer) == layers_[reader].inputs.end()) {
        continue;
      }
      if (found || is_taken(reader)) return std::nullopt;
      found = reader;
    }
    return found;
  }

  /// Assigns to the node the sum after its product, or the activation after its layer, with a sum
  /// or a normalization between them.
  void take_next(std::size_t node) {
    constexpr std::string_view sums[] = {"Add", "Sum", "BatchNormalization"};
    constexpr std::string_view activations[] = {"Relu",      "Clip",    "Sigmoid", "Tanh",
                                                "LeakyRelu", "Elu",     "Selu",    "HardSigmoid",
                                                "HardSwish", "Softplus"};
    const auto is_one_of = [&](std::size_t layer, const auto& ops) {
      return std::ranges::find(ops, layers_[layer].op) != std::end(ops);
    };
    const auto first = only_reader(mapping_.layers_of_node[node].back());
    if (!first) return;
    const bool has_sum = is_one_of(*first, sums);
    const std::optional<std::size_t> last = has_sum ? only_reader(*first) : first;
    const bool has_activation =
        last && nodes_[node].does_activation && is_one_of(*last, activations);
    const bool is_product = kind_of_operator(nodes_[node].op) == "MatMul";
    if (has_sum && (is_product || has_activation)) assign(node, *first, MatchKind::name);
    if (has_activation) assign(node, *last, MatchKind::name);
  }

  /// Assigns to the node the layers from its own back, over layers without a node, to the nearest
  /// one with the node's operator.
  void take_chain(std::size_t node) {
    const std::size_t last = mapping_.layers_of_node[node].front();
    if (layers_[last].op == nodes_[node].op) return;
    std::vector<std::size_t> queue{last};
    std::vector<std::size_t> reader(layers_.size(), nowhere);
    for (std::size_t next = 0; next < queue.size(); ++next) {
      for (const std::size_t input : layers_[queue[next]].inputs) {
        if (is_taken(input) || reader[input] != nowhere) continue;
        reader[input] = queue[next];
        queue.push_back(input);
        if (layers_[input].op != nodes_[node].op) continue;
        for (std::size_t layer = input; layer != last; layer = reader[layer]) {
          assign(node, layer, MatchKind::name);
        }
        return;
      }
    }
  }

  void match_words() {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (!is_open(node)) continue;
      std::size_t best = nowhere;
      for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
        if (is_taken(layer) || layers_[layer].op != nodes_[node].op) continue;
        if (!holds_word(nodes_[node].name, layers_[layer].name)) continue;
        if (best == nowhere || layers_[layer].name.size() > layers_[best].name.size()) best = layer;
      }
      if (best != nowhere) assign(node, best, MatchKind::name);
    }
  }

  void match_order() {
    std::map<std::string_view, std::vector<std::size_t>> nodes_by_op;
    std::map<std::string_view, std::vector<std::size_t>> layers_by_op;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (is_open(node)) nodes_by_op[nodes_[node].op].push_back(node);
    }
    for (const std::size_t layer : topological_order(layers_)) {
      if (!is_taken(layer)) layers_by_op[layers_[layer].op].push_back(layer);
    }
    for (const auto& [op, nodes] : nodes_by_op) {
      const std::vector<std::size_t>& layers = layers_by_op[op];
      if (layers.size() != nodes.size()) continue;
      for (std::size_t i = 0; i < nodes.size(); ++i) assign(nodes[i], layers[i], MatchKind::order);
    }
  }

  void match_parts() {
    for (const Match& match : align(layers_, nodes_)) {
      if (is_taken(match.pair.layer)) continue;
      assign(match.pair.node, match.pair.layer, match.found);
      mapping_.pairs.push_back(match.pair);
    }
  }

  /// Compares the shapes of what has been matched.
  void weigh() {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      const std::vector<std::size_t>& layers = mapping_.layers_of_node[node];
      if (layers.empty() || nodes_[node].origin.empty()) continue;
      const Evidence found = benanza::analysis::evidence(graph_, nodes_[node], layers);
      for (const std::size_t layer : layers) mapping_.evidence[layer] = found;
    }
    for (const Pair& pair : mapping_.pairs) {
      const MatchKind found = mapping_.found[pair.layer];
      const bool is_equal = found == MatchKind::problem || found == MatchKind::moved;
      mapping_.evidence[pair.layer] = is_equal ? Evidence::agrees : Evidence::none;
    }
  }

  void absorb() {
    const std::vector<std::size_t> order = topological_order(layers_);
    std::vector<std::vector<std::size_t>> readers(layers_.size());
    for (const std::size_t layer : order) {
      for (const std::size_t input : layers_[layer].inputs) readers[input].push_back(layer);
    }
    // Look through layers without a node (such as free ones) to the node before them.
    auto producer = mapping_.node_of_layer;
    for (const std::size_t layer : order) {
      if (producer[layer]) continue;
      for (const std::size_t input : layers_[layer].inputs) {
        if (producer[input] && (!producer[layer] || *producer[input] > *producer[layer])) {
          producer[layer] = producer[input];
        }
      }
    }
    auto consumer = mapping_.node_of_layer;
    for (auto layer = order.rbegin(); layer != order.rend(); ++layer) {
      if (consumer[*layer]) continue;
      for (const std::size_t reader : readers[*layer]) {
        if (consumer[reader] && (!consumer[*layer] || *consumer[reader] < *consumer[*layer])) {
          consumer[*layer] = consumer[reader];
        }
      }
    }
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      if (is_taken(layer) || layers_[layer].cost != Cost::measured) continue;
      const auto node = producer[layer] ? producer[layer] : consumer[layer];
      if (node) assign(*node, layer, MatchKind::inside);
    }
  }

  const Graph& graph_;
  const std::vector<Layer>& layers_;
  const std::vector<ProfiledNode>& nodes_;
  Mapping mapping_;
};

}  // namespace

std::string_view to_string(MatchKind found) {
  constexpr std::string_view names[] = {"missing", "inside another", "name", "order",
                                        "problem", "kind",           "moved"};
  return names[static_cast<std::size_t>(found)];
}

Quality quality(const Graph& graph, const Mapping& mapping) {
  Quality result{.nodes = mapping.layers_of_node.size()};
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (graph.layers[layer].cost == Cost::free) continue;
    ++result.layers;
    const MatchKind found = mapping.found[layer];
    ++(found == MatchKind::no       ? result.missing
       : found == MatchKind::inside ? result.inside
       : found == MatchKind::kind   ? result.other_shapes
       : found == MatchKind::moved  ? result.moved
                                    : result.matched);
  }
  for (const auto& layers : mapping.layers_of_node) {
    if (layers.empty()) ++result.extra;
  }
  return result;
}

Mapping map_layers(const Graph& graph, const std::vector<ProfiledNode>& nodes) {
  return Matcher(graph, nodes).run();
}

std::vector<std::optional<std::size_t>> calls_of_layers(const Graph& graph,
                                                        const std::vector<LibraryCall>& calls) {
  std::vector<ProfiledNode> nodes;
  for (const LibraryCall& call : calls) {
    const Problem problem = parse(call.problem);
    const std::string name = std::holds_alternative<Convolution>(problem.shape) ? "Conv"
                             : std::holds_alternative<Gemm>(problem.shape)      ? "MatMul"
                                                                           : "BatchNormalization";
    nodes.push_back({.name = call.function,
                     .origin = "",
                     .op = name,
                     .seconds = 0,
                     .parts = {{.op = name, .problem = call.problem, .output = output(problem)}}});
  }
  const Mapping mapping = map_layers(graph, nodes);
  std::vector<std::optional<std::size_t>> found(graph.layers.size());
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (mapping.found[layer] == MatchKind::problem || mapping.found[layer] == MatchKind::moved) {
      found[layer] = mapping.node_of_layer[layer];
    }
  }
  return found;
}

std::set<std::optional<std::size_t>> nodes_of(const Fusion& fusion, const Graph& graph,
                                              const Mapping& mapping) {
  std::set<std::optional<std::size_t>> nodes;
  for (const std::size_t layer : fusion.layers) {
    const Cost cost = graph.layers[layer].cost;
    const auto& node = mapping.node_of_layer[layer];
    if (cost == Cost::free || (cost == Cost::movement && !node)) continue;
    nodes.insert(node);
  }
  return nodes;
}

std::vector<bool> fused_by_framework(const Graph& graph, const Mapping& mapping) {
  std::vector<bool> fused;
  for (const Fusion& fusion : graph.fusions) {
    const auto nodes = nodes_of(fusion, graph, mapping);
    fused.push_back(fusion.layers.size() > 1 && nodes.size() == 1 && nodes.begin()->has_value());
  }
  return fused;
}

}  // namespace benanza::analysis
