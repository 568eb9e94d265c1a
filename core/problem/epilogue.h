#pragma once

#include <optional>
#include <vector>

#include "core/problem/step.h"

namespace benanza {

/// What a call does to its result before it stores it: activation(product + bias + residual), and
/// then the steps, one after the other. Bias, residual and activation are of products only
/// (Convolution, Deconvolution and Gemm), whose leading steps they are: canonical() below.
/// Key: the words after those of the shape, "_bias_residual_relu", "_bias_clip_a0_b6",
/// "_bias_swish_mul_y1x96x1x1"
struct Epilogue {
  /// A weight, one value per filter or column.
  bool bias = false;
  /// A second tensor of the product's extents, which changes with every inference.
  bool residual = false;
  /// One of is_epilogue()'s functions; its `input` is empty: the extents are the product's.
  std::optional<Activation> activation{};
  std::vector<Step> steps{};

  bool operator==(const Epilogue&) const = default;

  void write(KeyWriter& writer) const;
  /// `of_product`: there may be more than steps.
  static Epilogue read(KeyReader& reader, bool of_product);
  /// The operands of the steps, in their order.
  std::vector<Operand> step_operands() const;
};

/// The same for a product of extents `output` with one value of `bias_extents` (the result's rank)
/// per filter or column: a constant that a first step adds to every filter or column is the bias, a
/// tensor of equal extents that it adds the residual, and the first function the activation.
Epilogue canonical(Epilogue epilogue, const Dims& output, const Dims& bias_extents);

/// Functions that networks put behind a product, and libraries into the same call.
bool is_epilogue(ActivationKind kind);

}  // namespace benanza
