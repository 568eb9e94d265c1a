#pragma once

#include "core/problem/operand.h"

namespace benanza {

enum class ResamplingMode { nearest, linear };

/// Changes the spatial extents of n, c, spatial (1 to 3 axes). Output pixel o lies at
/// x = (o + 1/2) * input / output - 1/2 of the input (half-pixel centres). nearest takes pixel
/// floor(x + 1/2); linear interpolates between the two neighbours along every axis; coordinates
/// beyond the edge are clamped to it.
/// Key: resample/1x64x28x28_o56x56_linear
struct Resampling {
  Dims input;
  /// Spatial extents of the output.
  Dims extents;
  ResamplingMode mode = ResamplingMode::linear;

  bool operator==(const Resampling&) const = default;

  static bool owns(std::string_view op) { return op == "resample"; }
  std::string_view op() const { return "resample"; }
  void map(KeyFields& fields);

  std::vector<Operand> inputs() const { return {{.name = "input", .dims = input}}; }
  Dims output() const;
  /// linear: a multiply-add for each of the 2^axes neighbours of an output element; nearest: none.
  double flops() const;
};

}  // namespace benanza
