#include "analysis/questions/joint.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/model/fusion.h"

namespace benanza::analysis {
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

/// Both bounds, and what they lack.
struct Solved {
  double sequential = 0;
  double parallel = 0;
  std::vector<LayerTime> incomplete{};
};

Solved solve(const std::vector<Layer>& layers, const std::vector<LayerTime>& times,
             Movement movement) {
  const std::vector<double> seconds = counted_seconds(times, movement);
  return {.sequential = sequential_seconds(seconds),
          .parallel = critical_path(layers, seconds).seconds};
}

Solved solve(const Graph& graph, const MeasurementSet& measurements, const Choice& choice,
             bool fusion, Movement movement) {
  std::vector<LayerTime> times = layer_times(graph, measurements, choice);
  Solved solved;
  if (fusion) {
    const std::vector<LayerTime> fusions = fusion_times(graph, measurements, choice);
    const Cover cover = fusion_cover(graph, times, fusions, movement);
    const auto solved_with = [&](const std::vector<std::size_t>& used) {
      const FusedGraph fused = fused_graph(graph, times, fusions, used);
      return solve(fused.graph.layers, fused.times, movement);
    };
    solved = solved_with(cover.pieces);
    solved.parallel =
        solved_with(parallel_fusions(graph, times, fusions, movement, cover)).parallel;
    // What a fusion lacks, its first layer lacks.
    for (std::size_t index = 0; index < fusions.size(); ++index) {
      std::vector<Gap>& gaps = times[graph.fusions[index].layers.front()].gaps;
      gaps.insert(gaps.end(), fusions[index].gaps.begin(), fusions[index].gaps.end());
    }
  } else {
    solved = solve(graph.layers, times, movement);
  }
  const bool complete =
      std::ranges::all_of(times, [](const LayerTime& time) { return time.gaps.empty(); });
  if (!complete) solved.incomplete = std::move(times);
  return solved;
}

/// 1 where nothing was measured.
double speed_up(double before, double after) { return after > 0 ? before / after : 1; }

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
  std::map<std::tuple<bool, bool, bool>, Solved> solved;
  const auto seconds = [&](const Optimisations& on) {
    const auto [place, added] = solved.try_emplace({on.algorithms, on.fusion, on.tensor_cores});
    if (added) {
      place->second = solve(graph, measurements, choice_with(on, choice, tensor_core_precision),
                            on.fusion, movement);
      if (answer.incomplete.empty()) answer.incomplete = place->second.incomplete;
    }
    return on.parallel ? place->second.parallel : place->second.sequential;
  };
  const double plain = seconds({});
  for (const Optimisations& on : optimisation_subsets()) {
    JointRow row{.on = on, .seconds = seconds(on)};
    row.speed_up = speed_up(plain, row.seconds);
    for (const auto member : members) {
      if (!(on.*member)) continue;
      Optimisations alone;
      alone.*member = true;
      row.composed_speed_up *= speed_up(plain, seconds(alone));
    }
    answer.rows.push_back(row);
  }
  return answer;
}

}  // namespace benanza::analysis
