#pragma once

#include <cstdint>
#include <string>

#include "core/problem/stored_types.h"
#include "generator/onnx/model/node_view.h"

namespace benanza::onnx {

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

}  // namespace benanza::onnx
