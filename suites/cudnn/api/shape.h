#pragma once

#include <vector>

#include "core/problem/precision.h"
#include "core/problem/text.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::cudnn {

/// Extends one value per axis of a tensor to at least the 4 axes that cuDNN's kernels expect; new
/// axes get `neutral`: c -> 1xcx1x1, nxc -> nxcx1x1, nxcxw -> nxcx1xw. Four axes or more are
/// unchanged. Preserves row-major order.
Dims at_least_4d(const Dims& values, std::int64_t neutral = 1);

/// The same for one value per spatial axis (strides, dilations, ...): w -> 1xw.
Dims at_least_2d(const Dims& values, std::int64_t neutral);

/// The dense tensor of extents at_least_4d(dims).
nvidia::TensorFormat dense(Precision precision, const Dims& dims, Layout layout);

/// Returns nchw and nhwc for tensors of 3 to 5 axes (possible images), plain for all others.
std::vector<Layout> image_layouts(const Dims& dims);

/// A box inside a tensor, starting `offset` elements after the tensor's first element.
struct Part {
  nvidia::TensorFormat format;
  std::int64_t offset = 0;
  std::int64_t offset_bytes() const { return offset * element_bytes(format.precision); }
  bool operator==(const Part&) const = default;
};
Part part_of(const nvidia::TensorFormat& whole, const Dims& begin, const Dims& dims);

}  // namespace benanza::cudnn
