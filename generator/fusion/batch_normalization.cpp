#include <algorithm>

#include "generator/fusion/fusion.h"

namespace benanza::fusion {

std::optional<Chain> with_batch_normalization(const Flow& flow, const Chain& chain) {
  const auto next = next_call(flow, chain);
  if (!next || next->operand != 0) return std::nullopt;
  const auto* normalization = std::get_if<BatchNormalization>(&next->call.problem.shape);
  if (normalization == nullptr || normalization->input != output(chain.problem)) {
    return std::nullopt;
  }
  const auto& statistics = next->call.operands;
  const bool known =
      std::all_of(statistics.begin() + 1, statistics.end(),
                  [&](const Source& source) { return flow.is_constant(next->layer, source); });
  const std::size_t product = chain.layers.front();
  const Source& weights = flow.layer(product).calls.front().operands[1];
  if (!known || !flow.is_constant(product, weights)) return std::nullopt;
  // A bias before goes into the one after: it leaves no trace in the name.
  Chain folded = chain;
  folded.pattern = folded.pattern.substr(0, folded.pattern.find('_'));
  Chain longer = extended(std::move(folded), *next, "bn");
  longer.problem.epilogue.bias = true;
  return longer;
}

}  // namespace benanza::fusion
