#include "generator/fusion/fusion.h"

namespace benanza::fusion {

std::optional<Chain> with_residual(const Flow& flow, const Chain& chain) {
  const auto next = next_call(flow, chain);
  if (!next) return std::nullopt;
  const auto* add = std::get_if<Binary>(&next->call.problem.shape);
  if (add == nullptr || add->kind != BinaryKind::add || add->constant_b || add->a != add->b) {
    return std::nullopt;
  }
  const Dims result = output(chain.problem);
  // Rows of a matrix product may have several axes in the model; an image's axes have an order.
  const bool fits = std::holds_alternative<Gemm>(chain.problem.shape)
                        ? element_count(add->a) == element_count(result)
                        : add->a == result;
  if (!fits) return std::nullopt;
  Chain longer = extended(chain, *next, "add");
  longer.problem.epilogue.residual = true;
  longer.keeps_residual = !flow.may_be_overwritten(
      next->layer, next->call.operands[1 - next->operand], chain.layers.front());
  return longer;
}

}  // namespace benanza::fusion
