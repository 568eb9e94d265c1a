#include "analysis/profile_match/seen.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analysis/profile_match/mapping.h"
#include "analysis/profile_match/same_model.h"
#include "analysis/profile_match/signature.h"
#include "analysis/profiles/kineto/aten.h"

namespace benanza::analysis {
namespace {

/// Strips the domain: "com.microsoft.Gelu" becomes "Gelu".
std::string_view plain_op(std::string_view op) {
  const auto dot = op.rfind('.');
  return dot == std::string_view::npos ? op : op.substr(dot + 1);
}

class Finder {
 public:
  Finder(const Graph& graph, const Profile& run)
      : graph_(graph),
        run_(run),
        mapping_(map_layers(graph, run.nodes)),
        place_(graph.layers.size()),
        first_(graph.layers.size(), before_all),
        last_(graph.layers.size(), static_cast<std::ptrdiff_t>(run.nodes.size())),
        lacks_bias_(graph.layers.size()),
        lacks_more_(graph.layers.size()),
        used_(run.nodes.size()) {
    require_same_model(graph, mapping_, run);
  }

  Seen run() {
    for (std::size_t layer = 0; layer < place_.size(); ++layer) {
      const MatchKind found = mapping_.found[layer];
      if (found != MatchKind::name && found != MatchKind::problem && found != MatchKind::moved) {
        continue;
      }
      place_[layer] = static_cast<std::ptrdiff_t>(*mapping_.node_of_layer[layer]);
    }
    for (const Pair& pair : mapping_.pairs) {
      const Part& part = run_.nodes[pair.node].parts[pair.part];
      const std::vector<std::string>& problems = graph_.layers[pair.layer].problems;
      if (part.problem.empty() || problems.size() < 2) continue;
      const bool is_biased = problems.size() == 2 && problems[1].starts_with("add/");
      const auto does_both = [&](const Part& one) {
        return one.bias && signature(one.problem) == signature(problems[0]);
      };
      if (is_biased && std::ranges::any_of(run_.nodes[pair.node].parts, does_both)) continue;
      (is_biased ? lacks_bias_ : lacks_more_)[pair.layer] = true;
    }
    bracket();
    add_operators();
    add_compiled();
    count();
    return std::move(seen_);
  }

 private:
  static constexpr std::ptrdiff_t before_all = -1;

  bool has_work(std::size_t layer) const { return graph_.layers[layer].cost != Cost::free; }
  bool is_certain(std::size_t layer) const { return place_[layer].has_value(); }

  /// Computes between which operators each layer without a known operator ran.
  void bracket() {
    const std::vector<std::size_t> order = topological_order(graph_.layers);
    for (const std::size_t layer : order) {
      for (const std::size_t input : graph_.layers[layer].inputs) {
        first_[layer] = std::max(first_[layer], place_[input].value_or(first_[input]));
      }
    }
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      for (const std::size_t input : graph_.layers[*at].inputs) {
        last_[input] = std::min(last_[input], place_[*at].value_or(last_[*at]));
      }
    }
  }

  void add_operators() {
    std::vector<std::vector<std::size_t>> layers(run_.nodes.size());
    for (std::size_t layer = 0; layer < place_.size(); ++layer) {
      if (!has_work(layer) || lacks_bias_[layer] || lacks_more_[layer]) continue;
      if (is_certain(layer)) {
        layers[static_cast<std::size_t>(*place_[layer])].push_back(layer);
      } else if (first_[layer] == last_[layer]) {
        layers[static_cast<std::size_t>(first_[layer])].push_back(layer);
      }
    }
    for (std::size_t node = 0; node < layers.size(); ++node) {
      if (layers[node].empty()) continue;
      SeenPiece piece{.layers = std::move(layers[node])};
      add_time(piece, node);
      seen_.pieces.push_back(std::move(piece));
    }
  }

  void add_compiled() {
    std::set<std::ptrdiff_t> anchors;
    for (const auto& place : place_) {
      if (place) anchors.insert(*place);
    }
    anchors.insert(static_cast<std::ptrdiff_t>(run_.nodes.size()));
    std::map<std::ptrdiff_t, std::vector<std::size_t>> between;
    for (std::size_t layer = 0; layer < place_.size(); ++layer) {
      if (!has_work(layer)) continue;
      if (lacks_bias_[layer]) between[*place_[layer]].push_back(layer);
      if (is_certain(layer)) continue;
      const auto next = anchors.upper_bound(first_[layer]);
      if (next != anchors.end() && *next == last_[layer]) between[first_[layer]].push_back(layer);
    }
    for (const auto& [first, layers] : between) {
      add_between(first, *anchors.upper_bound(first), layers);
    }
  }

  void add_between(std::ptrdiff_t first, std::ptrdiff_t last,
                   const std::vector<std::size_t>& layers) {
    std::set<std::string_view> ops;
    for (std::ptrdiff_t node = first + 1; node < last; ++node) {
      const ProfiledNode& ran = run_.nodes[static_cast<std::size_t>(node)];
      const auto note = [&](const std::string& name) {
        for (const std::string_view op : kineto::ops_of_compiled(name)) ops.insert(op);
      };
      note(ran.name);
      for (const ProfiledKernel& kernel : ran.kernels) note(kernel.name);
    }
    SeenPiece piece;
    for (const std::size_t layer : layers) {
      if (lacks_bias_[layer]) {
        if (!ops.contains(kineto::added_bias)) continue;
        piece.layers.push_back(layer);
        add_time(piece, static_cast<std::size_t>(first));
      } else if (ops.contains(plain_op(graph_.layers[layer].op))) {
        piece.layers.push_back(layer);
      }
    }
    if (piece.layers.empty()) return;
    for (std::ptrdiff_t node = first + 1; node < last; ++node) {
      add_time(piece, static_cast<std::size_t>(node));
    }
    seen_.pieces.push_back(std::move(piece));
  }

  void add_time(SeenPiece& piece, std::size_t node) {
    const ProfiledNode& ran = run_.nodes[node];
    piece.seconds += ran.seconds;
    for (const ProfiledKernel& kernel : ran.kernels) piece.kernels.push_back(kernel.name);
    if (ran.kernels.empty()) piece.kernels.push_back(ran.name);
    used_[node] = true;
  }

  void count() {
    seen_.operators = run_.nodes.size();
    for (std::size_t node = 0; node < used_.size(); ++node) {
      seen_.seconds += run_.nodes[node].seconds;
      if (!used_[node]) continue;
      ++seen_.aligned_operators;
      seen_.aligned_seconds += run_.nodes[node].seconds;
    }
    std::vector<bool> in_piece(graph_.layers.size());
    for (const SeenPiece& piece : seen_.pieces) {
      for (const std::size_t layer : piece.layers) in_piece[layer] = true;
    }
    for (std::size_t layer = 0; layer < in_piece.size(); ++layer) {
      if (has_work(layer) && !in_piece[layer]) ++seen_.layers_left;
    }
  }

  const Graph& graph_;
  const Profile& run_;
  Mapping mapping_;
  /// Per layer: the operator that did it, if that is certain.
  std::vector<std::optional<std::ptrdiff_t>> place_;
  /// Per layer: it ran between these two operators (either of which may have done it).
  std::vector<std::ptrdiff_t> first_;
  std::vector<std::ptrdiff_t> last_;
  /// Products that ran without their bias, and layers that ran without some other part.
  std::vector<bool> lacks_bias_;
  std::vector<bool> lacks_more_;
  std::vector<bool> used_;
  Seen seen_;
};

}  // namespace

Seen seen_in(const Graph& graph, const Profile& run) { return Finder(graph, run).run(); }

}  // namespace benanza::analysis
