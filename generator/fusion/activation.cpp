#include "generator/fusion/fusion.h"

namespace benanza::fusion {

std::optional<Chain> with_activation(const Flow& flow, const Chain& chain) {
  const auto next = next_call(flow, chain);
  if (!next) return std::nullopt;
  const auto* activation = std::get_if<Activation>(&next->call.problem.shape);
  if (activation == nullptr || !is_epilogue(activation->kind)) return std::nullopt;
  Chain longer = extended(chain, *next, std::string(activation->op()));
  longer.problem.epilogue.activation = *activation;
  longer.problem.epilogue.activation->input.clear();
  return longer;
}

}  // namespace benanza::fusion
