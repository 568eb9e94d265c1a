#pragma once

#include <optional>

#include "core/problem/operand.h"

namespace benanza {

enum class ActivationKind {
  relu,
  leaky_relu,
  clip,
  elu,
  sigmoid,
  tanh,
  linear,
  gelu,
  gelu_tanh,
  erf,
  hard_swish,
  softplus,
  softsign,
  mish,
  swish,
  exp,
  log,
  sqrt,
  pow,
  abs,
  floor,
  ceil,
  round,
  sign,
  sin,
  cos
};

/// An elementwise function:
///   relu max(x, 0) | leaky_relu x < 0 ? alpha x : x | clip min(max(x, alpha), beta)
///   elu x < 0 ? alpha (e^x - 1) : x | sigmoid | tanh | linear alpha x + beta
///   gelu x (1 + erf(x / sqrt 2)) / 2 | gelu_tanh, the approximation of it
///     x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 | erf
///   hard_swish x min(max(x / 6 + 1 / 2, 0), 1) | softplus ln(1 + e^x) | softsign x / (1 + |x|)
///   mish x tanh(softplus(x)) | swish x sigmoid(alpha x) | pow x^alpha | exp | log | sqrt | abs
///   floor | ceil | round, ties to even | sign | sin | cos
/// Unused parameters are 0.
/// Keys: relu/1x64x56x56, tanh/1x64x56x56, gelu/1x64x56x56; leakyrelu/1x64x56x56_a0.1,
/// clip/1x64x56x56_a0_b6
struct Activation {
  Dims input;
  ActivationKind kind = ActivationKind::relu;
  float alpha = 0;
  float beta = 0;

  bool operator==(const Activation&) const = default;

  static bool owns(std::string_view op);
  std::string_view op() const;
  void map(KeyFields& fields);

  /// Only the function, as one field and its parameters: "relu", "clip_a0_b6".
  void write_function(KeyWriter& writer) const;
  /// Reads what write_function wrote and leaves `input` empty; returns nothing if the next field is
  /// no function.
  static std::optional<Activation> read_function(KeyReader& reader);

  std::vector<Operand> inputs() const;
  Dims output() const { return input; }
  /// One per element for every function: libraries differ in how they approximate it.
  double flops() const { return static_cast<double>(element_count(input)); }

 private:
  /// The bounds of a clip may be infinite; no other parameter is.
  void map_parameters(KeyFields& fields);
};

}  // namespace benanza
