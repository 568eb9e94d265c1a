#include "analysis/model/fusion.h"

#include <algorithm>

namespace benanza::analysis {
namespace {

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
