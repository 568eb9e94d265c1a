#pragma once

#include "core/problem/operand.h"

namespace benanza {

/// Local response normalization across channels, as ONNX LRN:
/// x / (k + alpha / size * sum over `size` neighbouring channels of x^2) ^ beta, the neighbours of
/// channel c being [c - floor((size - 1) / 2), c + ceil((size - 1) / 2)].
/// Key: lrn/1x64x56x56_n5_a1e-04_b0.75_k1
struct Lrn {
  Dims input;
  std::int64_t size = 0;
  float alpha = 1e-4F;
  float beta = 0.75F;
  float k = 1;

  bool operator==(const Lrn&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return op == "lrn"; }
  std::string_view op() const { return "lrn"; }
  void map(KeyFields& fields) {
    fields.dims("", input).require(input.size() >= 2, "an input with a channel axis");
    fields.integer("n", size).require(size >= 1, "a positive size");
    fields.real("a", alpha).real("b", beta).real("k", k);
  }

  std::vector<Operand> inputs() const { return {{.name = "input", .dims = input}}; }
  Dims output() const { return input; }
  /// A multiply-add per neighbour, then scale, power and division: (2 * size + 3) per element.
  double flops() const {
    return (2 * static_cast<double>(size) + 3) * static_cast<double>(element_count(input));
  }
  std::int64_t reduction_length() const { return size; }
};

}  // namespace benanza
