#pragma once

// The matrix of a Fourier transform, from its definition in ONNX.
#include <cmath>
#include <cstdint>
#include <numbers>

#include "suites/tests/onnx_node_values.h"

namespace benanza::onnx {

struct FourierMatrix {
  /// Of the transform, and the numbers of each point read and made: 1, or 2 of a complex one.
  std::int64_t points = 1;
  std::int64_t read_numbers = 1;
  std::int64_t made_numbers = 2;
  bool inverse = false;
  /// A factor for each point read; none if empty.
  Values window = {};

  /// `dims`: rows and columns; or filters, one channel and their points, a filter for each column.
  Values values(const Dims& dims) const {
    const bool filters = dims.size() > 2;
    Values matrix;
    for (std::int64_t first = 0; first < dims[0]; ++first) {
      for (std::int64_t last = 0; last < dims.back(); ++last) {
        matrix.push_back(static_cast<float>(filters ? element(last, first) : element(first, last)));
      }
    }
    return matrix;
  }

 private:
  /// x e^(-+ i angle): what the real (0) or imaginary (1) part of a point adds to either part.
  double element(std::int64_t row, std::int64_t column) const {
    const std::int64_t point = row / read_numbers;
    const double turn =
        static_cast<double>(point * (column / made_numbers) % points) / static_cast<double>(points);
    const double angle = (inverse ? 2 : -2) * std::numbers::pi * turn;
    const bool from_imaginary = row % read_numbers == 1;
    const bool to_imaginary = column % made_numbers == 1;
    double value = from_imaginary == to_imaginary ? std::cos(angle) : std::sin(angle);
    if (from_imaginary && !to_imaginary) value = -value;
    if (inverse) value /= static_cast<double>(points);
    return window.empty() ? value
                          : value * static_cast<double>(window[static_cast<std::size_t>(point)]);
  }
};

}  // namespace benanza::onnx
