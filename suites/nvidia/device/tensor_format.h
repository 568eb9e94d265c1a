#pragma once

#include <cstdint>

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

}  // namespace benanza::nvidia
