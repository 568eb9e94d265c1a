#pragma once

#include <cstdint>
#include <vector>

namespace benanza::onnx {

/// How the value between pixels follows from those around it.
struct Interpolation {
  /// By four pixels, with this coefficient, instead of linear by two.
  bool cubic = false;
  double coefficient = -0.75;
  /// Pixels outside the image count nothing, instead of as the nearest at its border.
  bool excludes_outside = false;
};

/// The weight of each of `extent` pixels in each result, row by row; result i lies at
/// `coordinates[i]`, in pixels.
std::vector<float> interpolation_weights(const std::vector<double>& coordinates,
                                         std::int64_t extent, const Interpolation& how);

}  // namespace benanza::onnx
