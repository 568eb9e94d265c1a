#include "generator/fusion/fusion.h"

namespace benanza::fusion {
namespace {

/// True if the result is laid out as the next layer of a stack reads it: both directions of a step
/// and batch entry contiguous.
bool directions_lie_together(const Recurrent& shape) {
  return shape.batch_first || shape.directions() == 1 || shape.batch == 1;
}

/// `lower` followed by `upper` as one network with several layers, if they fit.
std::optional<Recurrent> stacked(const Recurrent& lower, const Recurrent& upper) {
  // No node of the model has the last states of the lower layers.
  if (lower.final || upper.final || !directions_lie_together(lower)) return std::nullopt;
  Recurrent wanted = lower;
  wanted.layers = 1;
  wanted.input_size = lower.directions() * lower.hidden;
  if (upper != wanted) return std::nullopt;
  Recurrent stack = lower;
  ++stack.layers;
  return stack;
}

std::optional<Chain> with_layer(const Flow& flow, const Chain& chain) {
  const auto next = next_call(flow, chain);
  if (!next || next->operand != 0) return std::nullopt;
  const auto* upper = std::get_if<Recurrent>(&next->call.problem.shape);
  if (upper == nullptr) return std::nullopt;
  const auto stack = stacked(std::get<Recurrent>(chain.problem.shape), *upper);
  if (!stack) return std::nullopt;
  Chain longer = extended(chain, *next, std::string(upper->op()));
  longer.problem.shape = *stack;
  return longer;
}

}  // namespace

std::vector<Fusion> recurrent_stacks(const Flow& flow) {
  std::vector<Fusion> fusions;
  for (std::size_t index = 0; index < flow.size(); ++index) {
    const LoweredLayer& layer = flow.layer(index);
    if (layer.cost != Cost::measured || layer.calls.size() != 1) continue;
    const auto* first = std::get_if<Recurrent>(&layer.calls[0].problem.shape);
    if (first == nullptr) continue;
    std::optional<Chain> chain =
        Chain{.pattern = std::string(first->op()), .layers = {index}, .problem = {*first, {}}};
    while ((chain = with_layer(flow, *chain))) {
      fusions.push_back({chain->pattern, chain->layers, key(chain->problem)});
    }
  }
  return fusions;
}

}  // namespace benanza::fusion
