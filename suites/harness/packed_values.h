#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/ops/gemm.h"
#include "core/problem/stored_types.h"

namespace benanza::harness {

/// Which operand of a problem is stored as Problem::packed says.
inline constexpr std::size_t packed_operand = 1;

/// Whether some library here multiplies by such weights as they are stored.
bool is_multiplied_packed(const PackedWeights& packed);

/// Throws Unsupported where weights that are unpacked when the model is loaded make no bound: a
/// product of few rows mostly reads its weights, and a framework's own call that reads them as they
/// are stored takes a fraction of the time.
void require_rows_to_unpack(std::int64_t rows);

/// Whole numbers, all of which such weights hold, as multiples of their scales.
struct HeldRange {
  float least;
  float most;
};
/// With zero points, unsigned numbers have theirs in the middle. Of floats, those without gaps.
HeldRange held_range(const PackedWeights& packed);
/// Whether all weights share one scale.
bool has_one_scale(const PackedWeights& packed);

/// Weights of a product as they are stored, less their zero points: whole numbers, and the scales
/// they are multiplied by.
struct PackedValues {
  /// n x k: column by column, the k weights of a sum one after the other.
  std::vector<std::int8_t> weights;
  /// n x ceil(k / block); n if a scale is for a whole column, one if it is for all.
  std::vector<float> scales;
};

/// Of so many weights of a column, one after the other, a scale is shared.
std::int64_t block_length(const Gemm& shape, const PackedWeights& packed);

/// Divides the values of B, in the order in which `shape` stores them, into integers and scales
/// that are powers of two: the largest of which all values of a block are multiples. Throws
/// std::invalid_argument if an integer is outside held_range().
PackedValues packed_values(std::span<const float> values, const Gemm& shape,
                           const PackedWeights& packed);

/// Two 4-bit integers a byte, the first one in the lower half.
std::vector<std::byte> in_halves(std::span<const std::int8_t> integers);

}  // namespace benanza::harness
