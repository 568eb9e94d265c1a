#include <algorithm>

#include "analysis/model/fusion.h"

namespace benanza::analysis {
namespace {

using Fusions = std::vector<std::size_t>;

constexpr auto none = static_cast<std::size_t>(-1);

/// Computes critical_path() of fused_graph() for a choice of fusions, without building a graph for
/// each of thousands of choices.
class PathSearch {
 public:
  PathSearch(const Graph& graph, const std::vector<LayerTime>& layers,
             const std::vector<LayerTime>& fusions, Movement movement, const Fusions& cover)
      : graph_(graph),
        inputs_(inputs_without_loops(graph)),
        order_(topological_order(graph.layers)),
        alone_(counted_seconds(layers, movement)),
        fused_(counted_seconds(fusions, movement)) {
    std::vector<Fusions> of_layer(graph.layers.size());
    for (std::size_t fusion = 0; fusion < fusions.size(); ++fusion) {
      joins_.push_back(joins(fusion));
      if (fusions[fusion].status != LayerStatus::measured) continue;
      for (const std::size_t layer : graph.fusions[fusion].layers) {
        of_layer[layer].push_back(fusion);
      }
    }
    for (std::size_t fusion = 0; fusion < fusions.size(); ++fusion) {
      Fusions others;
      for (const std::size_t layer : graph.fusions[fusion].layers) {
        others.insert(others.end(), of_layer[layer].begin(), of_layer[layer].end());
      }
      std::ranges::sort(others);
      others.erase(std::ranges::unique(others).begin(), others.end());
      std::erase(others, fusion);
      rivals_.push_back(std::move(others));
    }
    // A layer without a time of its own must stay fused: make it prohibitive alone.
    for (const std::size_t fusion : cover) {
      for (const std::size_t layer : graph.fusions[fusion].layers) {
        if (!seconds_alone(layers[layer], movement)) alone_[layer] = beyond_;
      }
    }
  }

  struct Path {
    double seconds = 0;
    /// Fusions on the path that join branches.
    Fusions joining{};
  };

  /// A fusion starts when the last input of any of its layers is ready, and ends at the place of
  /// its last layer in the order: only its own layers read the results of the others.
  Path path(const Fusions& used) const {
    const std::size_t count = graph_.layers.size();
    const std::vector<std::size_t> fusion_of = fusions_of_layers(used);
    // Indexed by layer, or by the last layer of a fusion.
    std::vector<double> end(count);
    std::vector<std::size_t> before(count, none);
    std::size_t last = none;
    for (const std::size_t layer : order_) {
      const std::size_t fusion = fusion_of[layer];
      const std::size_t place = fusion == none ? layer : graph_.fusions[fusion].layers.back();
      for (const std::size_t input : inputs_[layer]) {
        if (fusion != none && fusion_of[input] == fusion) continue;
        if (end[input] <= end[place]) continue;
        end[place] = end[input];
        before[place] = input;
      }
      if (place != layer) continue;
      end[layer] += fusion == none ? alone_[layer] : fused_[fusion];
      if (last == none || end[layer] > end[last]) last = layer;
    }
    Path path;
    if (last != none) path.seconds = end[last];
    for (std::size_t layer = last; layer != none; layer = before[layer]) {
      const std::size_t fusion = fusion_of[layer];
      if (fusion != none && joins_[fusion]) path.joining.push_back(fusion);
    }
    return path;
  }

  /// Returns `used` without `fusion`, and with each possible other fusion of its layers instead.
  std::vector<Fusions> neighbours(const Fusions& used, std::size_t fusion) const {
    Fusions rest = used;
    std::erase(rest, fusion);
    const std::vector<std::size_t> fusion_of = fusions_of_layers(rest);
    std::vector<Fusions> all{rest};
    for (const std::size_t rival : rivals_[fusion]) {
      const auto is_taken = [&](std::size_t layer) { return fusion_of[layer] != none; };
      if (std::ranges::any_of(graph_.fusions[rival].layers, is_taken)) continue;
      all.push_back(rest);
      all.back().insert(std::ranges::upper_bound(all.back(), rival), rival);
    }
    return all;
  }

 private:
  std::vector<std::size_t> fusions_of_layers(const Fusions& used) const {
    std::vector<std::size_t> fusion_of(graph_.layers.size(), none);
    for (const std::size_t fusion : used) {
      for (const std::size_t layer : graph_.fusions[fusion].layers) fusion_of[layer] = fusion;
    }
    return fusion_of;
  }

  /// Returns true if a layer other than the first has an input outside the fusion.
  bool joins(std::size_t fusion) const {
    const auto& members = graph_.fusions[fusion].layers;
    return std::any_of(members.begin() + 1, members.end(), [&](std::size_t member) {
      return std::ranges::any_of(inputs_[member], [&](std::size_t input) {
        return std::ranges::find(members, input) == members.end();
      });
    });
  }

  /// Prohibitive time, in seconds.
  static constexpr double beyond_ = 1e6;
  const Graph& graph_;
  std::vector<std::vector<std::size_t>> inputs_;
  std::vector<std::size_t> order_;
  std::vector<double> alone_;
  std::vector<double> fused_;
  std::vector<bool> joins_;
  /// Per fusion: the others that share a layer with it.
  std::vector<Fusions> rivals_;
};

}  // namespace

std::vector<std::size_t> parallel_fusions(const Graph& graph, const std::vector<LayerTime>& layers,
                                          const std::vector<LayerTime>& fusions, Movement movement,
                                          const Cover& cover,
                                          const std::vector<std::size_t>& least) {
  const PathSearch search(graph, layers, fusions, movement, cover.pieces);
  // Relative. Summing the same times in another order differs by less.
  constexpr double least_gain = 1e-9;
  Fusions used = cover.pieces;
  PathSearch::Path path = search.path(used);
  for (bool shorter = true; shorter;) {
    shorter = false;
    const Fusions joining = path.joining;
    const Fusions before = used;
    for (const std::size_t fusion : joining) {
      for (Fusions& other : search.neighbours(before, fusion)) {
        PathSearch::Path candidate = search.path(other);
        if (candidate.seconds >= path.seconds * (1 - least_gain)) continue;
        path = std::move(candidate);
        used = std::move(other);
        shorter = true;
      }
    }
  }
  // Ties stop the search: with two equally long branches, changing one gains nothing. Remove the
  // joining fusions of one path after another, and keep the result if the path gets shorter.
  Fusions fewer = used;
  for (PathSearch::Path left = path; !left.joining.empty();) {
    for (const std::size_t fusion : left.joining) std::erase(fewer, fusion);
    left = search.path(fewer);
    if (left.seconds >= path.seconds * (1 - least_gain)) continue;
    path = left;
    used = fewer;
  }
  for (const Fusions& other : {Fusions{}, least}) {
    const double seconds = search.path(other).seconds;
    if (seconds >= path.seconds * (1 - least_gain)) continue;
    path.seconds = seconds;
    used = other;
  }
  return used;
}

}  // namespace benanza::analysis
