#include "generator/fusion/fusion.h"

namespace benanza::fusion {
namespace {

bool is_one_per_filter(const Dims& bias, const Dims& output) {
  if (bias.size() != output.size()) return false;
  for (std::size_t axis = 0; axis < bias.size(); ++axis) {
    if (bias[axis] != (axis == 1 ? output[1] : 1)) return false;
  }
  return true;
}

bool is_one_per_column(const Dims& bias, std::int64_t columns) {
  return element_count(bias) == columns && bias.back() == columns;
}

}  // namespace

std::optional<Chain> with_bias(const Flow& flow, const Chain& chain) {
  const auto next = next_call(flow, chain);
  if (!next) return std::nullopt;
  const auto* add = std::get_if<Binary>(&next->call.problem.shape);
  if (add == nullptr || add->kind != BinaryKind::add || !add->constant_b || next->operand != 0) {
    return std::nullopt;
  }
  const Dims result = output(chain.problem);
  if (const auto* gemm = std::get_if<Gemm>(&chain.problem.shape)) {
    // Rows of a product may have several axes in the model.
    const bool rows_fit = element_count(add->a) == element_count(result);
    if (!rows_fit || !is_one_per_column(add->b, gemm->n) || add->a.back() != gemm->n) {
      return std::nullopt;
    }
  } else if (add->a != result || !is_one_per_filter(add->b, result)) {
    return std::nullopt;
  }
  Chain longer = extended(chain, *next, "bias");
  longer.problem.epilogue.bias = true;
  return longer;
}

}  // namespace benanza::fusion
