#pragma once

#include "core/problem/operand.h"
#include "core/problem/window.h"

namespace benanza {

/// include_pad always divides by the window's size, exclude_pad by the number of taps on the input.
/// Without padding they are the same function, written as exclude_pad.
enum class PoolingMode { max, average_include_pad, average_exclude_pad };

/// Max or average over a window; global pooling has a window as large as the input. Rounding up
/// (ceil_mode) is expressed by larger end pads.
/// Keys: maxpool/1x64x56x56_k3x3_p1.1.1.1_s2x2_d1x1,
/// avgpool/1x64x7x7_k7x7_p0.0.0.0_s1x1_d1x1_exclude; avgpool/..._include
struct Pooling {
  Dims input;
  Window window;
  PoolingMode mode = PoolingMode::max;

  bool operator==(const Pooling&) const = default;

  static bool owns(std::string_view op) { return op == "maxpool" || op == "avgpool"; }
  std::string_view op() const { return mode == PoolingMode::max ? "maxpool" : "avgpool"; }
  void map(KeyFields& fields);

  std::vector<Operand> inputs() const { return {{.name = "input", .dims = input}}; }
  Dims output() const;
  /// One comparison or addition per tap of every output.
  double flops() const;
  std::int64_t reduction_length() const {
    return mode == PoolingMode::max ? 1 : element_count(window.kernel);
  }
};

}  // namespace benanza
