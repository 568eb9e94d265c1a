#include "analysis/profile_match/places.h"

#include <algorithm>
#include <set>

#include "analysis/profile_match/evidence.h"
#include "analysis/profile_match/profile_graph.h"
#include "analysis/profiles/kineto/aten.h"
#include "core/problem/text.h"

namespace benanza::analysis {
namespace {

constexpr std::ptrdiff_t before_all = -1;

class Placer {
 public:
  Placer(const Graph& graph, const Profile& run, const Mapping& mapping)
      : graph_(graph),
        run_(run),
        mapping_(mapping),
        unexplained_(run),
        readers_(graph.layers.size()) {
    const std::size_t count = graph.layers.size();
    places_.place.resize(count);
    places_.lacks_bias.resize(count);
    places_.lacks_more.resize(count);
    is_anchor_.resize(count);
    for (std::size_t layer = 0; layer < count; ++layer) {
      for (const std::size_t input : graph.layers[layer].inputs) readers_[input].push_back(layer);
    }
  }

  Places run() {
    place_stated();
    note_missing_parts();
    bracket();
    place_ordered();
    bracket();
    place_optional();
    bracket();
    return std::move(places_);
  }

 private:
  const ProfiledNode& node(std::ptrdiff_t index) const {
    return run_.nodes[static_cast<std::size_t>(index)];
  }
  const Part& part(const Pair& pair) const { return run_.nodes[pair.node].parts[pair.part]; }

  void place(std::size_t layer, std::size_t node, bool is_anchor = true) {
    places_.place[layer] = static_cast<std::ptrdiff_t>(node);
    is_anchor_[layer] = is_anchor;
  }

  /// Layers whose name, or problem, and shapes the profile states.
  void place_stated() {
    std::vector<bool> is_optional(graph_.layers.size());
    for (const Pair& pair : mapping_.pairs) is_optional[pair.layer] = part(pair).optional;
    for (std::size_t layer = 0; layer < graph_.layers.size(); ++layer) {
      const MatchKind found = mapping_.found[layer];
      const bool is_stated =
          found == MatchKind::name || found == MatchKind::problem || found == MatchKind::moved;
      if (!is_stated || is_optional[layer] || mapping_.evidence[layer] != Evidence::agrees) {
        continue;
      }
      place(layer, *mapping_.node_of_layer[layer], found != MatchKind::moved);
    }
  }

  void note_missing_parts() {
    for (const Pair& pair : mapping_.pairs) {
      const std::vector<std::string>& problems = graph_.layers[pair.layer].problems;
      if (part(pair).problem.empty() || problems.size() < 2) continue;
      const std::string main = signature(problems[0]);
      const auto does_main = [&](const Part& one) {
        const std::string does = signature(one.problem);
        return does == main || is_padded(does, main);
      };
      const bool is_biased = problems.size() == 2 && op_of(problems[1]) == "add";
      const auto does_both = [&](const Part& one) { return one.bias && does_main(one); };
      if (is_biased && std::ranges::any_of(run_.nodes[pair.node].parts, does_both)) continue;
      const bool lacks_only_bias = is_biased && does_main(part(pair));
      (lacks_only_bias ? places_.lacks_bias : places_.lacks_more)[pair.layer] = true;
    }
  }

  std::optional<std::ptrdiff_t> anchor(std::size_t layer) const {
    return is_anchor_[layer] ? places_.place[layer] : std::nullopt;
  }

  /// Computes between which operators each layer ran.
  void bracket() {
    const std::size_t count = graph_.layers.size();
    places_.first.assign(count, before_all);
    places_.last.assign(count, static_cast<std::ptrdiff_t>(run_.nodes.size()));
    const std::vector<std::size_t> order = topological_order(graph_.layers);
    for (const std::size_t layer : order) {
      for (const std::size_t input : graph_.layers[layer].inputs) {
        places_.first[layer] =
            std::max(places_.first[layer], anchor(input).value_or(places_.first[input]));
      }
    }
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      for (const std::size_t input : graph_.layers[*at].inputs) {
        places_.last[input] =
            std::min(places_.last[input], anchor(*at).value_or(places_.last[*at]));
      }
    }
  }

  bool is_inside(std::ptrdiff_t node, std::size_t layer) const {
    return places_.first[layer] < node && node < places_.last[layer];
  }

  bool is_placed_on(std::ptrdiff_t node) const {
    return std::ranges::find(places_.place, std::optional(node)) != places_.place.end();
  }

  bool may_be(std::ptrdiff_t index, std::size_t layer) const {
    const ProfiledNode& ran = node(index);
    return kind_of_operator(ran.op) == kind_of_operator(graph_.layers[layer].op) &&
           is_inside(index, layer) && evidence(graph_, ran, {layer}) != Evidence::differs;
  }

  /// Layers without a name: the only operator for the only layer of its kind and shape there.
  void place_ordered() {
    std::vector<std::size_t> ordered;
    std::vector<std::ptrdiff_t> open;
    for (std::size_t layer = 0; layer < graph_.layers.size(); ++layer) {
      const bool is_open = !places_.place[layer] && graph_.layers[layer].cost != Cost::free;
      if (is_open) ordered.push_back(layer);
    }
    for (std::size_t index = 0; index < run_.nodes.size(); ++index) {
      const auto at = static_cast<std::ptrdiff_t>(index);
      if (!run_.nodes[index].origin.empty() && !is_placed_on(at)) open.push_back(at);
    }
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (const std::size_t layer : ordered) {
      if (mapping_.found[layer] != MatchKind::order) continue;
      const auto at = static_cast<std::ptrdiff_t>(*mapping_.node_of_layer[layer]);
      const auto others = std::ranges::count_if(
          open, [&](std::ptrdiff_t other) { return other != at && may_be(other, layer); });
      const auto rivals = std::ranges::count_if(
          ordered, [&](std::size_t rival) { return rival != layer && may_be(at, rival); });
      const bool is_sure = may_be(at, layer) && others == 0 && rivals == 0 &&
                           evidence(graph_, node(at), {layer}) == Evidence::agrees;
      if (is_sure) found.emplace_back(layer, static_cast<std::size_t>(at));
    }
    for (const auto& [layer, at] : found) place(layer, at);
  }

  /// The layers next to `layer`, looking through free ones.
  std::vector<std::size_t> neighbours(std::size_t layer) const {
    std::vector<std::size_t> found;
    std::vector<std::size_t> queue{layer};
    std::set<std::size_t> met{layer};
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const auto look_at = [&](std::size_t other) {
        if (!met.insert(other).second) return;
        (graph_.layers[other].cost == Cost::free ? queue : found).push_back(other);
      };
      for (const std::size_t input : graph_.layers[queue[next]].inputs) look_at(input);
      for (const std::size_t reader : readers_[queue[next]]) look_at(reader);
    }
    return found;
  }

  /// The layers of the whole operators of which `layer` is one; empty if there are none.
  std::set<std::size_t> whole_around(std::size_t layer) const {
    std::set<std::size_t> all;
    for (const Fusion& fusion : graph_.fusions) {
      if (!fusion.whole || std::ranges::find(fusion.layers, layer) == fusion.layers.end()) continue;
      all.insert(fusion.layers.begin(), fusion.layers.end());
    }
    return all;
  }

  /// Steps that an operator may do besides.
  void place_optional() {
    std::vector<Pair> found;
    for (const Pair& pair : mapping_.pairs) {
      const MatchKind how = mapping_.found[pair.layer];
      const bool is_stated = how == MatchKind::problem || how == MatchKind::moved;
      if (part(pair).optional && is_stated && is_step_of(pair)) found.push_back(pair);
    }
    for (const Pair& pair : found) {
      place(pair.layer, pair.node, mapping_.found[pair.layer] != MatchKind::moved);
    }
  }

  bool is_step_of(const Pair& pair) const {
    const std::vector<Part>& parts = run_.nodes[pair.node].parts;
    const bool has_main = std::ranges::any_of(parts, [](const Part& one) { return !one.optional; });
    // A conversion, or what XLA fused: the layer is all that the operator does.
    if (!has_main) return !part(pair).problem.empty();
    return !main_does_it(pair) && is_next_to_others(pair) && is_of_their_whole(pair) &&
           !another_may_have(pair);
  }

  /// An operator that has its formula's one layer has none of its steps; nor has a product with its
  /// bias in the same layer another sum.
  bool main_does_it(const Pair& pair) const {
    const StepOperand operand = part(pair).operand;
    const bool is_formula = operand == StepOperand::same || operand == StepOperand::row;
    return std::ranges::any_of(mapping_.pairs, [&](const Pair& other) {
      if (other.node != pair.node || part(other).optional) return false;
      const std::vector<std::string>& problems = graph_.layers[other.layer].problems;
      const bool has_bias = part(other).bias && problems.size() > 1;
      return is_formula || (has_bias && part(pair).op == "Add");
    });
  }

  bool is_next_to_others(const Pair& pair) const {
    return std::ranges::any_of(neighbours(pair.layer), [&](std::size_t other) {
      const auto at = mapping_.node_of_layer[other];
      return at && *at == pair.node;
    });
  }

  /// If the graph says which layers are one operator, those alone are its steps.
  bool is_of_their_whole(const Pair& pair) const {
    if (part(pair).operand == StepOperand::number) return true;
    for (const Pair& other : mapping_.pairs) {
      if (other.node != pair.node || other.layer == pair.layer) continue;
      const std::set<std::size_t> whole = whole_around(other.layer);
      if (!whole.empty() && !whole.contains(pair.layer)) return false;
    }
    return true;
  }

  bool another_may_have(const Pair& pair) const {
    const Layer& layer = graph_.layers[pair.layer];
    const std::ptrdiff_t end = std::min<std::ptrdiff_t>(
        places_.last[pair.layer], static_cast<std::ptrdiff_t>(run_.nodes.size()) - 1);
    for (std::ptrdiff_t at = std::max<std::ptrdiff_t>(places_.first[pair.layer], 0); at <= end;
         ++at) {
      if (at == static_cast<std::ptrdiff_t>(pair.node)) continue;
      if (unexplained_.may_have_done(static_cast<std::size_t>(at), layer)) return true;
    }
    return false;
  }

  const Graph& graph_;
  const Profile& run_;
  const Mapping& mapping_;
  const Unexplained unexplained_;
  std::vector<std::vector<std::size_t>> readers_;
  /// Per layer: it has its place in the order of the run.
  std::vector<bool> is_anchor_;
  Places places_;
};

/// Copies or fills memory, and nothing else.
bool only_copies(const ProfiledNode& node) {
  const auto copies = [](std::string_view name) {
    return name.starts_with("Memcpy") || name.starts_with("Memset");
  };
  return copies(node.name) || (!node.kernels.empty() &&
                               std::ranges::all_of(node.kernels, copies, &ProfiledKernel::name));
}

}  // namespace

Places places_of(const Graph& graph, const Profile& run, const Mapping& mapping) {
  return Placer(graph, run, mapping).run();
}

Unexplained::Unexplained(const Profile& run) : nodes_(run.nodes.size()) {
  for (std::size_t index = 0; index < run.nodes.size(); ++index) {
    const ProfiledNode& node = run.nodes[index];
    Open& open = nodes_[index];
    const auto add_compiled = [&](const std::string& name) {
      for (const std::string_view op : kineto::ops_of_compiled(name)) {
        open.kinds.insert(kind_of_operator(op));
      }
    };
    add_compiled(node.name);
    for (const ProfiledKernel& kernel : node.kernels) add_compiled(kernel.name);
    if (!open.kinds.empty()) continue;
    if (!(node.seconds > 0) || !node.origin.empty() || only_copies(node)) continue;
    // A kernel of torch.compile names what it fuses.
    const bool is_named = node.name.find("_fused_") != node.name.npos;
    open.anything = node.parts.empty() && !is_free(run, node) && !is_named;
    for (const Part& part : node.parts) {
      open.anything = open.anything || (part.optional && part.op == "Elementwise");
      const bool is_open = part.problem.empty() && part.output.empty() && !part.optional;
      if (is_open) open.kinds.insert(kind_of_operator(part.op));
    }
  }
}

bool Unexplained::may_have_done(std::size_t node, const Layer& layer) const {
  return nodes_[node].anything || nodes_[node].kinds.contains(kind_of_operator(layer.op));
}

}  // namespace benanza::analysis
