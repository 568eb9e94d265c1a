#include "generator/training/attention.h"

#include <algorithm>
#include <set>
#include <variant>

#include "core/problem/problem.h"
#include "generator/fusion/attention.h"

namespace benanza::training {
namespace {

/// The gradients of queries, keys and values.
constexpr std::size_t most_results = 3;

bool is_done_by_calls(const LoweredLayer& layer) {
  return layer.cost == Cost::measured || layer.cost == Cost::movement;
}

/// The gradients' layers, ascending; empty if one call cannot replace them.
std::vector<std::size_t> backward_layers(const Fusion& forward,
                                         const std::vector<LoweredLayer>& step,
                                         const StepBuilder& builder) {
  std::set<std::size_t> layers;
  for (const std::size_t layer : forward.layers) {
    for (const std::size_t added : builder.gradients_of(layer)) layers.insert(added);
  }
  std::set<std::size_t> results;
  for (std::size_t reader = 0; reader < step.size(); ++reader) {
    if (layers.contains(reader)) continue;
    for (const Read& read : step[reader].reads) {
      if (read.producer && layers.contains(*read.producer)) results.insert(*read.producer);
    }
  }
  const bool is_one_call =
      results.size() <= most_results &&
      std::ranges::all_of(layers, [&](std::size_t layer) { return is_done_by_calls(step[layer]); });
  if (!is_one_call) return {};
  return {layers.begin(), layers.end()};
}

}  // namespace

std::vector<Fusion> attention_steps(const std::vector<LoweredLayer>& forward,
                                    const std::vector<LoweredLayer>& step,
                                    const StepBuilder& builder) {
  const fusion::Flow flow(forward);
  std::vector<Fusion> fusions;
  for (const auto find : {fusion::attention_layers, fusion::attention_patterns}) {
    for (Fusion& fusion : find(flow)) {
      const std::vector<std::size_t> backward = backward_layers(fusion, step, builder);
      const Problem problem = parse(fusion.problem);
      const auto* const attention = std::get_if<Attention>(&problem.shape);
      if (backward.empty() || attention == nullptr) continue;
      if (attention->soft_cap > 0 || attention->sink) continue;
      fusion.pattern = "attention_step";
      fusion.layers.insert(fusion.layers.end(), backward.begin(), backward.end());
      fusion.also = {key({.shape = AttentionGradient{*attention}, .epilogue = {}})};
      fusion.whole = true;
      fusions.push_back(std::move(fusion));
    }
  }
  return fusions;
}

}  // namespace benanza::training
