#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "generator/lowered/lowered.h"

namespace benanza::onnx {

/// Whether a product of bytes needs nothing for this zero point: the middle of the range, and for
/// the first operand, which libraries also take unsigned, 0.
constexpr bool costs_nothing(std::int64_t zero_point, bool is_unsigned, bool of_first) {
  return zero_point == (is_unsigned ? 128 : 0) || (of_first && zero_point == 0);
}

/// Zero points of a product's operands that need sums: what stands for them. Empty: it costs
/// nothing, or is folded into a bias when the model is loaded.
struct ZeroPoints {
  std::optional<Source> first{};
  std::optional<Source> second{};
};

/// Whether sums of the data can stand for the zero points: in products of matrices, or for the
/// second operand's in convolutions and transposed ones, with nothing behind them but a bias.
bool takes_sums_of_data(const Problem& product, const ZeroPoints& points);

/// (x - y) (w - z) = x w - z (sums of x) - y (sums of w) + y z n: integer products take sums of the
/// data for each zero point of the other operand, and a difference. The sums are products with an
/// operand of one filter, column or row (of each group) whose elements are all the same. Throws
/// NotExpressible unless takes_sums_of_data().
std::vector<Call> with_sums_of_data(Call product, const ZeroPoints& points);

}  // namespace benanza::onnx
