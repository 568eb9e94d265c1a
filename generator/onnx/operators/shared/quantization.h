#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/problem/ops/quantization.h"
#include "core/problem/stored_types.h"
#include "generator/lowered/lowered.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/operators/shared/operator.h"

/// Zero points and scales of 8 bits, and conversions between these and floats.
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

/// The axis of the scales; -1 if there is one scale. Throws NotExpressible if blocks have their
/// own.
std::int64_t scale_axis(const NodeView& node, const Dims& dims);

/// What the node converts. Where each block of the last axis has a scale, the blocks are the rows.
Quantization quantization(const NodeView& node, QuantizationKind kind, bool fp8);

/// Appends the conversion of input `index`, bytes whose scale is the next input, to floats. Throws
/// NotExpressible for other types and for more than one scale.
Source dequantized(const NodeView& node, std::size_t index, std::vector<Call>& calls);

/// The calls, then the conversion of the last one's result to bytes.
Lowered quantized(std::vector<Call> calls);

/// Types of weights of so many bits; with zero points, they are unsigned. Throws NotExpressible if
/// there is none.
inline PackedType nbits_type(std::int64_t bits, bool zero_points) {
  switch (bits) {
    case 2:
      return zero_points ? PackedType::uint2 : PackedType::int2;
    case 4:
      return zero_points ? PackedType::uint4 : PackedType::int4;
    case 8:
      return zero_points ? PackedType::uint8 : PackedType::int8;
    default:
      throw NotExpressible("weights of " + std::to_string(bits) + " bits");
  }
}

/// What input `index` packs as columns x blocks x bytes, by the attributes "bits" and "block_size":
/// the weights of a product of this shape. Throws Error if it has another number of bytes.
PackedWeights nbits_weights(const NodeView& node, std::size_t index, const Gemm& shape,
                            bool zero_points);

}  // namespace benanza::onnx
