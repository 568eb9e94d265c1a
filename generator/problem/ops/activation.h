#pragma once

#include "problem/operand.h"

namespace benanza {

enum class ActivationKind { relu, leaky_relu, clip, elu, sigmoid, tanh, linear };

/// A function of every element alone:
///   relu max(x, 0) | leaky_relu x < 0 ? alpha x : x | clip min(max(x, alpha), beta)
///   elu x < 0 ? alpha (e^x - 1) : x | sigmoid | tanh | linear alpha x + beta
/// Unused parameters are 0.
/// Keys: relu/1x64x56x56, leakyrelu/1x64x56x56_a0.1, clip/1x64x56x56_a0_b6
struct Activation {
  Dims input;
  ActivationKind kind = ActivationKind::relu;
  float alpha = 0;
  float beta = 0;

  bool operator==(const Activation&) const = default;

  static bool owns(std::string_view op);
  std::string_view op() const;
  void write(KeyWriter& writer) const;
  static Activation read(KeyReader& reader);

  std::vector<Operand> inputs() const { return {{.name = "input", .dims = input}}; }
  Dims output() const { return input; }
  /// One per element, whatever the function: libraries differ in how they approximate it.
  double flops() const { return static_cast<double>(element_count(input)); }
};

}  // namespace benanza
