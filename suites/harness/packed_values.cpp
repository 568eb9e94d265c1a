#include "suites/harness/packed_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "suites/harness/primitive.h"

namespace benanza::harness {
namespace {

/// The exponent of the largest power of two of which `value`, a normal number, is a multiple.
int largest_unit(float value) {
  constexpr int mantissa_bits = 23;
  constexpr int bias = 127;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto biased = static_cast<int>(bits >> mantissa_bits & 0xFFU);
  return biased - bias - mantissa_bits + std::countr_zero(bits | 1U << mantissa_bits);
}

}  // namespace

HeldRange held_range(const PackedWeights& packed) {
  const auto half = static_cast<float>(1 << (bits_of(packed.type) - 1));
  switch (packed.type) {
    case PackedType::fp8: {
      // Three bits behind the point.
      constexpr float most = 16;
      return {-most, most};
    }
    case PackedType::fp4: {
      // Halves: 0, 1, 2, 3, 4, 6, 8, 12.
      constexpr float most = 4;
      return {-most, most};
    }
    case PackedType::nf4:
      // All others of its numbers are fractions.
      return {-1, 1};
    case PackedType::uint8:
    case PackedType::uint4:
    case PackedType::uint2:
      // PackedValues has whole numbers of 8 bits with a sign.
      if (!packed.zero_points) return {0, std::min(2 * half - 1, 127.0F)};
      return {-half, half - 1};
    default:
      return {-half, half - 1};
  }
}

bool is_multiplied_packed(const PackedWeights& packed) {
  const bool is_known = packed.type == PackedType::int4 || packed.type == PackedType::int8;
  return is_known && !packed.zero_points;
}

bool has_one_scale(const PackedWeights& packed) { return packed.block == 0 && !packed.per_column; }

void require_rows_to_unpack(std::int64_t rows) {
  constexpr std::int64_t least_rows = 32;
  if (rows >= least_rows) return;
  throw Unsupported("no call that reads packed weights, and unpacked ones take much longer for " +
                    std::to_string(rows) + " rows");
}

std::int64_t block_length(const Gemm& shape, const PackedWeights& packed) {
  return packed.block > 0 ? std::min(packed.block, shape.k) : shape.k;
}

PackedValues packed_values(std::span<const float> values, const Gemm& shape,
                           const PackedWeights& packed) {
  const HeldRange range = held_range(packed);
  const std::int64_t block = block_length(shape, packed);
  const std::int64_t blocks = (shape.k + block - 1) / block;
  const bool for_all = has_one_scale(packed);
  const auto at = [&](std::int64_t column, std::int64_t position) {
    return values[static_cast<std::size_t>(shape.transpose_b ? column * shape.k + position
                                                             : position * shape.n + column)];
  };
  const auto scales = static_cast<std::size_t>(for_all ? 1 : shape.n * blocks);
  const auto scale = [&](std::int64_t column, std::int64_t position) {
    return static_cast<std::size_t>(for_all ? 0 : column * blocks + position / block);
  };
  constexpr int none = std::numeric_limits<float>::max_exponent;
  std::vector<int> units(scales, none);
  for (std::int64_t column = 0; column < shape.n; ++column) {
    for (std::int64_t position = 0; position < shape.k; ++position) {
      const float value = at(column, position);
      int& unit = units[scale(column, position)];
      if (value != 0) unit = std::min(unit, largest_unit(value));
    }
  }
  PackedValues found{.weights = std::vector<std::int8_t>(values.size()),
                     .scales = std::vector<float>(scales)};
  std::vector<float> factors(scales);
  for (std::size_t i = 0; i < scales; ++i) {
    const int unit = units[i] == none ? 0 : units[i];
    found.scales[i] = std::ldexp(1.0F, unit);
    factors[i] = std::ldexp(1.0F, -unit);
  }
  std::size_t next = 0;
  for (std::int64_t column = 0; column < shape.n; ++column) {
    for (std::int64_t position = 0; position < shape.k; ++position) {
      const float integer = at(column, position) * factors[scale(column, position)];
      if (integer < range.least || integer > range.most) {
        throw std::invalid_argument("values that are no " + packed.text());
      }
      found.weights[next++] = static_cast<std::int8_t>(integer);
    }
  }
  return found;
}

std::vector<std::byte> in_halves(std::span<const std::int8_t> integers) {
  std::vector<std::byte> bytes((integers.size() + 1) / 2);
  for (std::size_t i = 0; i < integers.size(); ++i) {
    bytes[i / 2] |= static_cast<std::byte>((integers[i] & 0xF) << (i % 2 == 0 ? 0 : 4));
  }
  return bytes;
}

}  // namespace benanza::harness
