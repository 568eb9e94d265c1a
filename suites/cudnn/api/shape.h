#pragma once

#include <vector>

#include "core/problem/precision.h"
#include "core/problem/text.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::cudnn {

/// One value per axis of a tensor, with at least the 4 axes that cuDNN's kernels want; new axes get
/// `neutral`. c -> 1xcx1x1, nxc -> nxcx1x1, nxcxw -> nxcx1xw. Four axes and more stay as they are.
/// Row-major order is kept.
Dims at_least_4d(const Dims& values, std::int64_t neutral = 1);

/// The same for one value per spatial axis (strides, dilations, ...): w -> 1xw.
Dims at_least_2d(const Dims& values, std::int64_t neutral);

/// Dense tensor of at_least_4d(dims).
nvidia::TensorFormat dense(Precision precision, const Dims& dims, Layout layout);

/// nchw and nhwc for tensors that may be images (3 to 5 axes), plain for all others.
std::vector<Layout> image_layouts(const Dims& dims);

/// A box inside a tensor: its first element lies `offset` elements after the tensor's.
struct Part {
  nvidia::TensorFormat format;
  std::int64_t offset = 0;
  std::int64_t offset_bytes() const { return offset * element_bytes(format.precision); }
  bool operator==(const Part&) const = default;
};
Part part_of(const nvidia::TensorFormat& whole, const Dims& begin, const Dims& dims);

}  // namespace benanza::cudnn
