#pragma once

#include <cmath>
#include <cstdint>

#include "generator/onnx/model/node_view.h"

namespace benanza::onnx {

// Models may contain any numbers: arithmetic that overflows throws NotExpressible.

inline std::int64_t checked(bool overflows, std::int64_t result) {
  if (overflows) throw NotExpressible("a value that no integer holds");
  return result;
}

inline std::int64_t checked_sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const bool overflows = __builtin_add_overflow(a, b, &result);
  return checked(overflows, result);
}

inline std::int64_t checked_difference(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const bool overflows = __builtin_sub_overflow(a, b, &result);
  return checked(overflows, result);
}

inline std::int64_t checked_product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const bool overflows = __builtin_mul_overflow(a, b, &result);
  return checked(overflows, result);
}

/// `value` truncated towards zero.
inline std::int64_t whole(double value) {
  const bool fits = std::abs(value) < 0x1p63;
  return checked(!fits, fits ? static_cast<std::int64_t>(value) : 0);
}

}  // namespace benanza::onnx
