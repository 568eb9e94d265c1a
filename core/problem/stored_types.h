#pragma once

#include <cstdint>
#include <string_view>

#include "core/problem/precision.h"
#include "core/problem/text.h"

namespace benanza {

/// Types of weights that a file stores in fewer bits than they are multiplied in.
/// nf4: 16 quantiles of a normal distribution (bitsandbytes).
enum class PackedType { int8, uint8, int4, uint4, int2, uint2, fp8, fp4, nf4 };
inline constexpr PackedType all_packed_types[] = {
    PackedType::int8,  PackedType::uint8, PackedType::int4, PackedType::uint4, PackedType::int2,
    PackedType::uint2, PackedType::fp8,   PackedType::fp4,  PackedType::nf4};
std::string_view to_string(PackedType type);
int bits_of(PackedType type);

/// Weights that are stored packed and multiplied in the precision of the run. Key fields:
/// packed.int4.b32, packed.uint4.b32.z, packed.int8.c, packed.fp8, packed.int4.b32.a8
struct PackedWeights {
  PackedType type = PackedType::int4;
  /// So many consecutive weights of a sum share a scale. 0: a scale for each filter or column, if
  /// `per_column`, or one for all.
  std::int64_t block = 0;
  bool per_column = false;
  /// Each scale has a zero point, stored in the weights' type.
  bool zero_points = false;
  /// The data that they multiply may be rounded to 8-bit integers first, or to anything finer.
  bool rounds_data = false;

  bool operator==(const PackedWeights&) const = default;

  void write(KeyWriter& writer) const;
  /// Whether the next field is one.
  static bool is_next(const KeyReader& reader);
  /// Throws std::invalid_argument for other fields.
  static PackedWeights read(KeyReader& reader);

  /// Stored bytes of `columns` sums of `length` weights each: the weights, their scales (of
  /// `scale_bytes` each) and zero points.
  std::int64_t bytes(std::int64_t columns, std::int64_t length, std::int64_t scale_bytes) const;
  /// "int4 weights in blocks of 32"
  std::string text() const;
};

}  // namespace benanza
