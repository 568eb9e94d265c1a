#pragma once

#include "core/problem/text.h"

namespace benanza {

/// A window that slides over the spatial axes. `pads` lists all begins, then all ends (as in ONNX);
/// every other vector has one value per spatial axis.
struct Window {
  Dims kernel;
  Dims pads;
  Dims strides;
  Dims dilations;

  bool operator==(const Window&) const = default;

  std::size_t rank() const { return kernel.size(); }
  /// floor((input + pads - dilated kernel) / stride) + 1 for every axis.
  Dims output(const Dims& spatial) const;
  /// For a transposed convolution: (input - 1) * stride + dilated kernel - pads for every axis.
  Dims transposed_output(const Dims& spatial) const;
  bool has_padding() const;
  /// Enlarges the end pads so that a last, partial window counts on every axis (ceil_mode), but
  /// leaves out windows that would start past the input and its begin pads, as ONNX and frameworks
  /// do. Returns how much each end pad grew.
  Dims round_up(const Dims& spatial);

  /// "k3x3_p1.1.1.1_s1x1_d1x1", with `filters`, if not null, between k and the kernel. What is read
  /// must fit `input`: n, c, spatial.
  void map(KeyFields& fields, const Dims& input, std::int64_t* filters = nullptr);
  /// The same for a window that need not fit.
  void map_unplaced(KeyFields& fields, const Dims& input, std::int64_t* filters);
};

/// Spatial extents of an n, c, spatial... tensor.
Dims spatial(const Dims& dims);

}  // namespace benanza
