#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "suites/nvidia/device/tensor_format.h"

namespace benanza::nvidia {

/// Converts row-major `values` to bytes of `format`. Rounds to nearest even; int8 saturates to
/// [-128, 127], fp8 (e4m3) to +-448. Padding is 0. Returns span_bytes(format) bytes. Throws
/// std::invalid_argument if the number of values does not match the dims.
std::vector<std::byte> to_storage(std::span<const float> values, const TensorFormat& format);

/// The inverse of to_storage(). `bytes` must hold at least span_bytes(format).
std::vector<float> from_storage(std::span<const std::byte> bytes, const TensorFormat& format);

/// The byte that, repeated, is NaN in every floating-point precision and -128 in int8.
std::uint8_t poison_byte(Precision precision);

}  // namespace benanza::nvidia
