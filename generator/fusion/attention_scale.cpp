#include "generator/fusion/attention_scale.h"

#include <cmath>

namespace benanza::fusion {
namespace {

const Binary* factor(const LoweredLayer& layer) {
  const auto* product =
      layer.calls.size() == 1 ? std::get_if<Binary>(&layer.calls[0].problem.shape) : nullptr;
  const bool scales = product != nullptr && product->constant_b && element_count(product->b) == 1 &&
                      (product->kind == BinaryKind::mul || product->kind == BinaryKind::div);
  return scales ? product : nullptr;
}

}  // namespace

bool ScoreScale::is_factor(const LoweredLayer& layer) { return factor(layer) != nullptr; }

std::optional<double> ScoreScale::factor_of(const Flow& flow, std::size_t index) {
  const LoweredLayer& layer = flow.layer(index);
  const Read* read = flow.read(index, layer.calls[0].operands[1]);
  if (read == nullptr || !read->value) return std::nullopt;
  return factor(layer)->kind == BinaryKind::div ? 1 / *read->value : *read->value;
}

void ScoreScale::times(std::optional<double> factor) {
  // 0 stands for a number that was left out.
  known_ = known_ && factor && std::isfinite(*factor) && *factor != 0;
  if (known_) product_ *= *factor;
}

float ScoreScale::of(std::int64_t size) const {
  constexpr double tolerated = 0x1p-8;
  const float usual = 1 / std::sqrt(static_cast<float>(size));
  if (!known_) return usual;
  const bool is_usual = std::abs(product_ / static_cast<double>(usual) - 1) < tolerated;
  return is_usual ? usual : static_cast<float>(product_);
}

}  // namespace benanza::fusion
