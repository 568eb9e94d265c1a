#include "analysis/model/fusion.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

namespace benanza::analysis {
namespace {

/// Pieces connected by shared layers, directly or indirectly, and all their layers, ascending.
struct Group {
  std::vector<std::size_t> pieces;
  std::vector<std::size_t> layers;
};

/// Total time of the piece's layers alone; empty if one of them has none.
std::optional<double> alone(const Piece& piece, std::span<const std::optional<double>> seconds) {
  double total = 0;
  for (const std::size_t layer : piece.layers) {
    if (!seconds[layer]) return std::nullopt;
    total += *seconds[layer];
  }
  return total;
}

/// A union-find structure.
class Partition {
 public:
  explicit Partition(std::size_t size) : parents_(size) {
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
  }
  std::size_t root(std::size_t member) {
    while (parents_[member] != member) member = parents_[member] = parents_[parents_[member]];
    return member;
  }
  void join(std::size_t a, std::size_t b) { parents_[root(a)] = root(b); }

 private:
  std::vector<std::size_t> parents_;
};

std::vector<Group> groups_of(const std::vector<std::size_t>& worthwhile,
                             std::span<const Piece> pieces, std::size_t layer_count) {
  Partition partition(layer_count);
  for (const std::size_t piece : worthwhile) {
    for (const std::size_t layer : pieces[piece].layers) {
      partition.join(layer, pieces[piece].layers.front());
    }
  }
  std::map<std::size_t, Group> groups;
  for (const std::size_t piece : worthwhile) {
    Group& group = groups[partition.root(pieces[piece].layers.front())];
    group.pieces.push_back(piece);
    group.layers.insert(group.layers.end(), pieces[piece].layers.begin(),
                        pieces[piece].layers.end());
  }
  std::vector<Group> result;
  for (auto& [root, group] : groups) {
    std::ranges::sort(group.layers);
    group.layers.erase(std::unique(group.layers.begin(), group.layers.end()), group.layers.end());
    result.push_back(std::move(group));
  }
  return result;
}

/// Later layers that are already taken, ascending.
using State = std::vector<std::size_t>;

struct Partial {
  double seconds = 0;
  std::vector<std::size_t> pieces;
};

using Partials = std::map<State, Partial>;

void keep_cheaper(Partials& partials, State state, Partial partial) {
  const auto [found, is_new] = partials.try_emplace(std::move(state), partial);
  if (!is_new && partial.seconds < found->second.seconds) found->second = std::move(partial);
}

/// Keeps the cheapest `most`. Returns true if none was dropped.
bool prune(Partials& partials, std::size_t most) {
  if (partials.size() <= most) return true;
  std::vector<double> costs;
  for (const auto& [state, partial] : partials) costs.push_back(partial.seconds);
  std::nth_element(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(most - 1),
                   costs.end());
  const double limit = costs[most - 1];
  std::erase_if(partials, [&](const auto& entry) { return entry.second.seconds > limit; });
  return false;
}

/// The state after adding a piece: the layers of `state` and of the piece, except its first. Empty
/// if they overlap.
std::optional<State> joined(const State& state, const std::vector<std::size_t>& sorted_layers) {
  State both;
  std::merge(state.begin(), state.end(), sorted_layers.begin() + 1, sorted_layers.end(),
             std::back_inserter(both));
  if (std::adjacent_find(both.begin(), both.end()) != both.end()) return std::nullopt;
  return both;
}

Cover cover_group(const Group& group, std::span<const std::optional<double>> seconds,
                  std::span<const Piece> pieces, std::size_t most) {
  std::multimap<std::size_t, std::pair<std::size_t, std::vector<std::size_t>>> by_first;
  for (const std::size_t piece : group.pieces) {
    std::vector<std::size_t> layers = pieces[piece].layers;
    std::ranges::sort(layers);
    const std::size_t first = layers.front();
    by_first.emplace(first, std::pair(piece, std::move(layers)));
  }
  Cover cover;
  Partials partials{{State{}, Partial{}}};
  for (const std::size_t layer : group.layers) {
    Partials next;
    for (const auto& [state, partial] : partials) {
      if (!state.empty() && state.front() == layer) {
        keep_cheaper(next, State(state.begin() + 1, state.end()), partial);
        continue;
      }
      keep_cheaper(next, state, {partial.seconds + *seconds[layer], partial.pieces});
      const auto [begin, end] = by_first.equal_range(layer);
      for (auto entry = begin; entry != end; ++entry) {
        const auto& [piece, layers] = entry->second;
        std::optional<State> taken = joined(state, layers);
        if (!taken) continue;
        Partial longer{partial.seconds + pieces[piece].seconds, partial.pieces};
        longer.pieces.push_back(piece);
        keep_cheaper(next, std::move(*taken), std::move(longer));
      }
    }
    partials = std::move(next);
    cover.optimal = prune(partials, most) && cover.optimal;
  }
  // All layers are decided, so only the empty state is left.
  const Partial& best = partials.begin()->second;
  cover.seconds = best.seconds;
  cover.pieces = best.pieces;
  return cover;
}

/// Returns one layer that stands for all layers of the fusion.
Layer merged_layer(const Graph& graph, const Fusion& fusion) {
  const Layer& first = graph.layers[fusion.layers.front()];
  const Layer& last = graph.layers[fusion.layers.back()];
  Layer merged{.name = first.name + " ... " + last.name,
               .op = fusion.pattern,
               .cost = Cost::measured,
               .problems = problems_of(fusion),
               .flops = 0,
               .bytes = std::nullopt,
               .outputs = last.outputs};
  if (fusion.layers.size() == 1) merged.name = first.name;
  for (const std::size_t layer : fusion.layers) {
    const auto& flops = graph.layers[layer].flops;
    merged.flops = merged.flops && flops ? std::optional(*merged.flops + *flops) : std::nullopt;
  }
  return merged;
}

}  // namespace

Cover cheapest_cover(std::span<const std::optional<double>> seconds, std::span<const Piece> pieces,
                     std::size_t most) {
  std::vector<std::size_t> worthwhile;
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    if (pieces[piece].layers.empty()) continue;
    const std::optional<double> separate = alone(pieces[piece], seconds);
    if (separate && pieces[piece].seconds < *separate) worthwhile.push_back(piece);
  }
  Cover cover;
  std::vector<bool> in_group(seconds.size());
  for (const Group& group : groups_of(worthwhile, pieces, seconds.size())) {
    const Cover part = cover_group(group, seconds, pieces, most);
    cover.seconds += part.seconds;
    cover.pieces.insert(cover.pieces.end(), part.pieces.begin(), part.pieces.end());
    cover.optimal = cover.optimal && part.optimal;
    for (const std::size_t layer : group.layers) in_group[layer] = true;
  }
  for (std::size_t layer = 0; layer < seconds.size(); ++layer) {
    if (!in_group[layer]) cover.seconds += seconds[layer].value_or(0);
  }
  std::ranges::sort(cover.pieces);
  return cover;
}

LayerTime fusion_time(const Fusion& fusion, const MeasurementSet& measurements,
                      MeasurementFilter filter) {
  filter.fallback.reset();
  filter.overwrites_residual = !fusion.keeps_residual;
  const Graph call{
      .layers = {
          {.name = fusion.pattern, .cost = Cost::measured, .problems = problems_of(fusion)}}};
  return layer_times(call, measurements, filter).front();
}

std::vector<LayerTime> fusion_times(const Graph& graph, const MeasurementSet& measurements,
                                    const MeasurementFilter& filter) {
  std::vector<LayerTime> times;
  for (const Fusion& fusion : graph.fusions) {
    times.push_back(fusion_time(fusion, measurements, filter));
  }
  return times;
}

std::optional<double> seconds_alone(const LayerTime& time, Movement movement) {
  switch (time.status) {
    case LayerStatus::measured:
    case LayerStatus::free:
      return time.seconds;
    case LayerStatus::movement:
      return movement == Movement::include ? time.seconds : 0.0;
    case LayerStatus::part:
    case LayerStatus::unsupported:
    case LayerStatus::missing:
      break;
  }
  return std::nullopt;
}

std::optional<double> seconds_apart(const Fusion& fusion, const std::vector<LayerTime>& layers,
                                    Movement movement) {
  double total = 0;
  for (const std::size_t layer : fusion.layers) {
    const std::optional<double> seconds = seconds_alone(layers[layer], movement);
    if (!seconds) return std::nullopt;
    total += *seconds;
  }
  return total;
}

std::vector<Piece> fusion_pieces(const Graph& graph, const std::vector<LayerTime>& fusions,
                                 const std::vector<bool>& allowed) {
  std::vector<Piece> pieces(graph.fusions.size());
  for (std::size_t index = 0; index < pieces.size(); ++index) {
    const bool usable =
        fusions[index].status == LayerStatus::measured && (allowed.empty() || allowed[index]);
    if (!usable) continue;  // a piece without layers is never used
    pieces[index] = {.layers = graph.fusions[index].layers, .seconds = *fusions[index].seconds};
  }
  return pieces;
}

Cover cover_of(const std::vector<LayerTime>& layers, const std::vector<Piece>& pieces,
               Movement movement) {
  std::vector<std::optional<double>> seconds;
  for (const LayerTime& time : layers) seconds.push_back(seconds_alone(time, movement));
  // More than any cover takes, so that avoiding one unknown layer outweighs everything else.
  double everything = 0;
  for (const auto& alone : seconds) everything += alone.value_or(0);
  for (const Piece& piece : pieces) everything += piece.seconds;
  const double beyond = 2 * everything + 1e-9;
  std::vector<std::size_t> unknown;
  for (const Piece& piece : pieces) {
    for (const std::size_t layer : piece.layers) {
      if (seconds[layer]) continue;
      seconds[layer] = beyond;
      unknown.push_back(layer);
    }
  }
  Cover cover = cheapest_cover(seconds, pieces);
  if (unknown.empty()) return cover;
  for (const std::size_t layer : unknown) seconds[layer] = 0;
  for (const std::size_t piece : cover.pieces) {
    for (const std::size_t layer : pieces[piece].layers) seconds[layer] = 0;
  }
  cover.seconds = 0;
  for (const auto& alone : seconds) cover.seconds += alone.value_or(0);
  for (const std::size_t piece : cover.pieces) cover.seconds += pieces[piece].seconds;
  return cover;
}

Cover fusion_cover(const Graph& graph, const std::vector<LayerTime>& layers,
                   const std::vector<LayerTime>& fusions, Movement movement,
                   const std::vector<bool>& allowed) {
  return cover_of(layers, fusion_pieces(graph, fusions, allowed), movement);
}

std::vector<std::vector<std::size_t>> inputs_without_loops(const Graph& graph) {
  std::vector<std::vector<std::size_t>> inputs;
  for (const Layer& layer : graph.layers) inputs.push_back(layer.inputs);
  for (const Fusion& fusion : graph.fusions) {
    const std::vector<std::size_t>& members = fusion.layers;
    const auto is_member = [&](std::size_t layer) {
      return std::ranges::find(members, layer) != members.end();
    };
    const auto [first, last] = std::ranges::minmax_element(members);
    // Layers come after their inputs.
    std::vector<bool> depends(*last + 1);
    for (std::size_t layer = *first; layer <= *last; ++layer) {
      const auto waits = [&](std::size_t input) { return input < layer && depends[input]; };
      if (is_member(layer)) {
        std::erase_if(inputs[layer],
                      [&](std::size_t input) { return !is_member(input) && waits(input); });
        depends[layer] = true;
      } else {
        depends[layer] = std::ranges::any_of(inputs[layer], waits);
      }
    }
  }
  return inputs;
}

FusedGraph fused_graph(const Graph& graph, const std::vector<LayerTime>& layers,
                       const std::vector<LayerTime>& fusions,
                       const std::vector<std::size_t>& used) {
  constexpr auto none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> fusion_of(graph.layers.size(), none);
  for (const std::size_t fusion : used) {
    for (const std::size_t layer : graph.fusions[fusion].layers) fusion_of[layer] = fusion;
  }
  FusedGraph fused{.graph = {.model = graph.model, .batch = graph.batch}};
  std::vector<std::size_t> place(graph.layers.size(), none);
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const std::size_t fusion = fusion_of[layer];
    if (fusion != none && graph.fusions[fusion].layers.back() != layer) continue;
    const std::size_t index = fused.graph.layers.size();
    if (fusion == none) {
      place[layer] = index;
      fused.graph.layers.push_back(graph.layers[layer]);
      fused.graph.layers.back().inputs.clear();
      fused.times.push_back(layers[layer]);
      continue;
    }
    for (const std::size_t member : graph.fusions[fusion].layers) place[member] = index;
    fused.graph.layers.push_back(merged_layer(graph, graph.fusions[fusion]));
    fused.times.push_back(fusions[fusion]);
    fused.times.back().fusion = graph.fusions[fusion].pattern;
  }
  const auto flow = inputs_without_loops(graph);
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    std::vector<std::size_t>& inputs = fused.graph.layers[place[layer]].inputs;
    for (const std::size_t input : flow[layer]) {
      if (place[input] != place[layer]) inputs.push_back(place[input]);
    }
  }
  for (Layer& layer : fused.graph.layers) {
    std::ranges::sort(layer.inputs);
    layer.inputs.erase(std::unique(layer.inputs.begin(), layer.inputs.end()), layer.inputs.end());
  }
  fused.place = std::move(place);
  return fused;
}

}  // namespace benanza::analysis
