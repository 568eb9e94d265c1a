#include "suites/harness/packed_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace benanza::harness {
namespace {

/// The largest power of two of which `value`, not 0, is a multiple.
float largest_unit(float value) {
  int exponent = 0;
  auto bits = static_cast<std::int32_t>(std::ldexp(std::frexp(value, &exponent), 24));
  for (exponent -= 24; bits % 2 == 0; bits /= 2) ++exponent;
  return std::ldexp(1.0F, exponent);
}

struct Range {
  float least;
  float most;
};

Range range_of(PackedType type) {
  switch (type) {
    case PackedType::int8:
    case PackedType::int4:
    case PackedType::int2: {
      const auto half = static_cast<float>(1 << (bits_of(type) - 1));
      return {-half, half - 1};
    }
    default:
      throw std::invalid_argument(std::string(to_string(type)) + " weights are not divided");
  }
}

}  // namespace

std::int64_t block_length(const Gemm& shape, const PackedWeights& packed) {
  return packed.block > 0 ? std::min(packed.block, shape.k) : shape.k;
}

PackedValues packed_values(std::span<const float> values, const Gemm& shape,
                           const PackedWeights& packed) {
  const Range range = range_of(packed.type);
  const std::int64_t block = block_length(shape, packed);
  const std::int64_t blocks = (shape.k + block - 1) / block;
  const bool for_all = packed.block == 0 && !packed.per_column;
  const auto at = [&](std::int64_t column, std::int64_t position) {
    return values[static_cast<std::size_t>(shape.transpose_b ? column * shape.k + position
                                                             : position * shape.n + column)];
  };
  PackedValues found;
  constexpr float none = std::numeric_limits<float>::infinity();
  found.scales.assign(static_cast<std::size_t>(for_all ? 1 : shape.n * blocks), none);
  const auto scale = [&](std::int64_t column, std::int64_t position) -> float& {
    return found.scales[static_cast<std::size_t>(for_all ? 0 : column * blocks + position / block)];
  };
  for (std::int64_t column = 0; column < shape.n; ++column) {
    for (std::int64_t position = 0; position < shape.k; ++position) {
      const float value = at(column, position);
      float& unit = scale(column, position);
      // A multiple of the unit so far leaves it as it is; most values are.
      if (value != 0 && (unit == none || std::remainder(value, unit) != 0)) {
        unit = std::min(unit, largest_unit(value));
      }
    }
  }
  std::ranges::replace(found.scales, none, 1.0F);
  found.weights.reserve(values.size());
  for (std::int64_t column = 0; column < shape.n; ++column) {
    for (std::int64_t position = 0; position < shape.k; ++position) {
      const float integer = at(column, position) / scale(column, position);
      if (integer < range.least || integer > range.most) {
        throw std::invalid_argument("values that are no " + packed.text());
      }
      found.weights.push_back(static_cast<std::int8_t>(integer));
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
