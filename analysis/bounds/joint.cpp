#include "bounds/joint.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "bounds/fusion.h"

namespace benanza {
namespace {

constexpr std::array members{&Optimisations::parallel, &Optimisations::algorithms,
                             &Optimisations::fusion, &Optimisations::tensor_cores};
constexpr std::array<std::string_view, members.size()> names{"parallel", "algorithms", "fusion",
                                                             "Tensor Cores"};

std::size_t count(const Optimisations& on) {
  std::size_t set = 0;
  for (const auto member : members) set += on.*member ? 1 : 0;
  return set;
}

Choice choice_with(const Optimisations& on, Choice choice, Precision tensor_core_precision) {
  choice.picker = on.algorithms ? Picker::fastest : Picker::heuristic;
  choice.fused_calls = on.fusion;
  if (on.tensor_cores) {
    choice.fallback = choice.precision;
    choice.precision = tensor_core_precision;
  }
  return choice;
}

/// Where calls may do several layers: the graph's cheapest cover. Two layers that do not wait for
/// each other may have to once one of them is fused, so that of the parallel bounds the lesser
/// counts.
void fuse(Bounds& bounds, const Graph& graph, const std::vector<LayerTime>& layers,
          const std::vector<LayerTime>& fusions, Movement movement) {
  const Cover cover = fusion_cover(graph, layers, fusions, movement);
  const FusedGraph fused = fused_graph(graph, layers, fusions, cover);
  const std::vector<double> weights = counted_seconds(fused.times, movement);
  bounds.sequential.seconds = sequential_seconds(weights);
  bounds.parallel.seconds =
      std::min(bounds.parallel.seconds, critical_path(fused.graph.layers, weights).seconds);
}

}  // namespace

std::array<Optimisations, 16> optimisation_subsets() {
  std::array<Optimisations, 16> subsets;
  for (std::size_t bits = 0; bits < subsets.size(); ++bits) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      subsets[bits].*members[i] = (bits >> i & 1U) != 0;
    }
  }
  std::ranges::stable_sort(subsets, {}, count);
  return subsets;
}

std::string to_string(const Optimisations& optimisations) {
  std::string text;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!(optimisations.*members[i])) continue;
    if (!text.empty()) text += " + ";
    text += names[i];
  }
  return text.empty() ? "none" : text;
}

JointAnswer joint(const Graph& graph, const MeasurementSet& measurements, const Choice& choice,
                  Precision tensor_core_precision, Movement movement) {
  JointAnswer answer{.tensor_core_precision = tensor_core_precision};
  // A subset and the same with parallel layers differ in the path alone.
  std::map<std::tuple<bool, bool, bool>, Bounds> bounds_of;
  const auto seconds = [&](const Optimisations& on) {
    const auto [place, added] = bounds_of.try_emplace({on.algorithms, on.fusion, on.tensor_cores});
    if (added) {
      const Choice chosen = choice_with(on, choice, tensor_core_precision);
      const std::vector<LayerTime> times = layer_times(graph, measurements, chosen);
      const std::vector<double> weights = counted_seconds(times, movement);
      place->second.sequential.seconds = sequential_seconds(weights);
      place->second.parallel.seconds = critical_path(graph.layers, weights).seconds;
      if (on.fusion) {
        fuse(place->second, graph, times, fusion_times(graph, measurements, chosen), movement);
      }
      for (const LayerTime& time : times) {
        if (answer.incomplete.empty() && !time.gaps.empty()) answer.incomplete = times;
      }
    }
    return on.parallel ? place->second.parallel.seconds : place->second.sequential.seconds;
  };
  const double plain = seconds({});
  for (const Optimisations& on : optimisation_subsets()) {
    JointRow row{.on = on, .seconds = seconds(on)};
    row.speed_up = plain / row.seconds;
    for (const auto member : members) {
      if (!(on.*member)) continue;
      Optimisations alone;
      alone.*member = true;
      row.composed_speed_up *= plain / seconds(alone);
    }
    answer.rows.push_back(row);
  }
  return answer;
}

}  // namespace benanza
