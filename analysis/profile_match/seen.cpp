#include "analysis/profile_match/seen.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/profile_match/mapping.h"
#include "analysis/profile_match/places.h"
#include "analysis/profile_match/same_model.h"
#include "analysis/profiles/kineto/aten.h"
#include "core/statistics/summary.h"

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
      : graph_(graph), run_(run), mapping_(map_layers(graph, run.nodes)), used_(run.nodes.size()) {
    require_same_model(graph, mapping_, run);
    places_ = places_of(graph, run, mapping_);
  }

  Seen run() {
    add_operators();
    add_compiled();
    count();
    if (std::ranges::none_of(run_.nodes, &ProfiledNode::lacks_kernels)) look_for_gaps();
    return std::move(seen_);
  }

 private:
  bool has_work(std::size_t layer) const { return graph_.layers[layer].cost != Cost::free; }
  bool is_certain(std::size_t layer) const { return places_.place[layer].has_value(); }
  bool lacks_part(std::size_t layer) const {
    return places_.lacks_bias[layer] || places_.lacks_more[layer];
  }

  void add_operators() {
    std::vector<std::vector<std::size_t>> layers(run_.nodes.size());
    for (std::size_t layer = 0; layer < graph_.layers.size(); ++layer) {
      if (!has_work(layer) || lacks_part(layer)) continue;
      if (is_certain(layer)) {
        layers[static_cast<std::size_t>(*places_.place[layer])].push_back(layer);
      } else if (places_.first[layer] == places_.last[layer]) {
        layers[static_cast<std::size_t>(places_.first[layer])].push_back(layer);
      }
    }
    for (std::size_t node = 0; node < layers.size(); ++node) {
      if (layers[node].empty()) continue;
      SeenPiece piece{.layers = std::move(layers[node])};
      add_time(piece, node);
      keep(std::move(piece));
    }
  }

  void add_compiled() {
    std::set<std::ptrdiff_t> anchors;
    for (const auto& place : places_.place) {
      if (place) anchors.insert(*place);
    }
    anchors.insert(static_cast<std::ptrdiff_t>(run_.nodes.size()));
    std::map<std::ptrdiff_t, std::vector<std::size_t>> between;
    for (std::size_t layer = 0; layer < graph_.layers.size(); ++layer) {
      if (!has_work(layer)) continue;
      const std::ptrdiff_t first = places_.first[layer];
      if (is_certain(layer)) {
        if (places_.lacks_bias[layer]) between[*places_.place[layer]].push_back(layer);
        continue;
      }
      const auto next = anchors.upper_bound(first);
      if (next != anchors.end() && *next == places_.last[layer]) between[first].push_back(layer);
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
      if (places_.lacks_bias[layer]) {
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
    keep(std::move(piece));
  }

  /// Without kernels that the profile lacks, and with a time that it could tell.
  void keep(SeenPiece piece) {
    if (!(piece.seconds > 0) || piece.lacks_kernels) return;
    seen_.pieces.push_back(std::move(piece));
  }

  void add_time(SeenPiece& piece, std::size_t node) {
    const ProfiledNode& ran = run_.nodes[node];
    piece.seconds += ran.seconds;
    for (const ProfiledKernel& kernel : ran.kernels) piece.kernels.push_back(kernel.name);
    if (ran.kernels.empty()) piece.kernels.push_back(ran.name);
    piece.lacks_kernels = piece.lacks_kernels || ran.lacks_kernels;
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
    in_piece_.resize(graph_.layers.size());
    for (const SeenPiece& piece : seen_.pieces) {
      for (const std::size_t layer : piece.layers) in_piece_[layer] = true;
    }
    for (std::size_t layer = 0; layer < in_piece_.size(); ++layer) {
      if (!has_work(layer) || in_piece_[layer]) continue;
      ++seen_.layers_left;
      const MatchKind found = mapping_.found[layer];
      const bool is_named = found == MatchKind::name || found == MatchKind::order;
      if (is_named && !states_shapes(layer)) ++seen_.layers_without_shapes;
    }
  }

  bool states_shapes(std::size_t layer) const {
    return !run_.nodes[*mapping_.node_of_layer[layer]].outputs.empty();
  }

  /// Decides whether all that ran is the model.
  void look_for_gaps() {
    const Unexplained unexplained(run_);
    for (std::size_t layer = 0; layer < graph_.layers.size(); ++layer) {
      if (!has_work(layer) || in_piece_[layer] || may_be_included(layer, unexplained)) continue;
      seen_.lacks = layer;
      return;
    }
    double seconds = seen_.seconds;
    if (!run_.is_of_gpu()) {
      if (run_.latency_seconds.empty()) return;
      const double latency = median(run_.latency_seconds);
      seconds = std::max(seconds, std::min(latency, run_.traced_seconds.value_or(latency)));
    }
    seen_.whole_seconds = seconds;
  }

  /// True if the run did the layer, although the profile does not tell where.
  bool may_be_included(std::size_t layer, const Unexplained& unexplained) const {
    const Layer& asked = graph_.layers[layer];
    if (asked.cost == Cost::movement) return true;  // a framework may do without
    if (is_product(asked)) return false;
    const std::ptrdiff_t end = places_.last[layer];
    const auto count = static_cast<std::ptrdiff_t>(run_.nodes.size());
    const bool is_timed_as_one = !run_.is_of_gpu() && run_.not_traced == 0;
    if ((is_timed_as_one || is_whole_program()) && end < count) return true;
    if (is_folded(layer) || is_in_whole(layer)) return true;
    for (std::ptrdiff_t at = places_.first[layer] + 1; at < end; ++at) {
      if (unexplained.may_have_done(static_cast<std::size_t>(at), asked)) return true;
    }
    return false;
  }

  /// XLA's text lists all that runs.
  bool is_whole_program() const { return run_.framework == "jax" && run_.not_traced == 0; }

  /// A normalization in the weights of the convolution before it, which thereby has a bias.
  bool is_folded(std::size_t layer) const {
    if (graph_.layers[layer].op != "BatchNormalization") return false;
    return std::ranges::any_of(mapping_.pairs, [&](const Pair& pair) {
      const auto& inputs = graph_.layers[layer].inputs;
      return std::ranges::find(inputs, pair.layer) != inputs.end() && in_piece_[pair.layer] &&
             graph_.layers[pair.layer].problems.size() == 1 &&
             run_.nodes[pair.node].parts[pair.part].bias;
    });
  }

  /// A step of a whole operator whose other steps certainly were one operator.
  bool is_in_whole(std::size_t layer) const {
    return std::ranges::any_of(graph_.fusions, [&](const Fusion& fusion) {
      if (!fusion.whole || std::ranges::find(fusion.layers, layer) == fusion.layers.end()) {
        return false;
      }
      std::set<std::ptrdiff_t> nodes;
      for (const std::size_t other : fusion.layers) {
        if (places_.place[other]) nodes.insert(*places_.place[other]);
      }
      return nodes.size() == 1 && fusion.layers.size() > 2;
    });
  }

  const Graph& graph_;
  const Profile& run_;
  Mapping mapping_;
  Places places_;
  std::vector<bool> used_;
  std::vector<bool> in_piece_;
  Seen seen_;
};

}  // namespace

Seen seen_in(const Graph& graph, const Profile& run) { return Finder(graph, run).run(); }

}  // namespace benanza::analysis
