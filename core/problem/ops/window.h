#pragma once

#include "core/problem/text.h"

namespace benanza {

/// A window that slides over the spatial axes. `pads` are all begins, then all ends (as in ONNX);
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
  /// Of a transposed convolution: (input - 1) * stride + dilated kernel - pads for every axis.
  Dims transposed_output(const Dims& spatial) const;
  bool has_padding() const;
  /// Counts the last window of every axis, too, that does not fit as a whole (ceil_mode), by larger
  /// end pads; but none that would begin behind the input and its begin pads, as frameworks and
  /// ONNX have it. Returns by how much the end pads grew.
  Dims round_up(const Dims& spatial);

  /// "k3x3_p1.1.1.1_s1x1_d1x1", with `before_kernel` (number of filters, say) between k and the
  /// kernel if not empty.
  void write(KeyWriter& writer, const Dims& before_kernel = {}) const;
  /// Reads what write wrote; the leading `leading` values after k go to `before_kernel`. Throws
  /// std::invalid_argument if the window does not fit `spatial` or a value is out of range.
  static Window read(KeyReader& reader, const Dims& spatial, std::size_t leading,
                     Dims& before_kernel);
  /// The same for a window over `rank` axes of which nothing is known but their number.
  static Window read_unplaced(KeyReader& reader, std::size_t rank, std::size_t leading,
                              Dims& before_kernel);
};

/// Spatial extents of an n, c, spatial... tensor.
Dims spatial(const Dims& dims);

}  // namespace benanza
