#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/problem/precision.h"
#include "core/problem/text.h"

namespace benanza::nvidia {

/// The memory layout of a tensor: logical extents and, for each, the stride in elements. Strides
/// are positive; elements that no index reaches are padding.
struct TensorFormat {
  Precision precision = Precision::fp32;
  Dims dims;
  Dims strides;
  bool operator==(const TensorFormat&) const = default;
};

/// Dense strides of a tensor n, c, spatial...: nchw and plain are row-major, nhwc has the channel
/// innermost. Tensors of rank below 3 have no spatial axes and are row-major in every layout.
/// Throws std::invalid_argument for Layout::any, which has no fixed strides.
Dims tensor_strides(const Dims& dims, Layout layout);

TensorFormat tensor_format(Precision precision, const Dims& dims, Layout layout);

/// Number of elements from the first to the last reached by any index, 64-bit; 1 for a scalar.
std::int64_t span_elements(const TensorFormat& format);
std::int64_t span_bytes(const TensorFormat& format);

/// Converts row-major `values` to bytes of `format`. Rounds to nearest even; int8 saturates to
/// [-128, 127], fp8 (e4m3) to +-448. Padding is 0. Returns span_bytes(format) bytes. Throws
/// std::invalid_argument if the number of values does not match the dims.
std::vector<std::byte> to_storage(std::span<const float> values, const TensorFormat& format);

/// The inverse of to_storage(). `bytes` must hold at least span_bytes(format).
std::vector<float> from_storage(std::span<const std::byte> bytes, const TensorFormat& format);

/// The byte that, repeated, is NaN in every floating-point precision and -128 in int8.
std::uint8_t poison_byte(Precision precision);

}  // namespace benanza::nvidia
