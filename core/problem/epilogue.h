#pragma once

#include <optional>
#include <vector>

#include "core/problem/step.h"

namespace benanza {

/// What a call does to its result before storing it: activation(product + bias + residual), then
/// the steps in order. Only products (Convolution, Deconvolution and Gemm) have a bias, residual or
/// activation; these are the leading steps in canonical() form.
/// Key: the words after those of the shape, "_bias_residual_relu", "_bias_clip_a0_b6",
/// "_bias_swish_mul_y1x96x1x1"
struct Epilogue {
  /// A weight, one value per filter or column.
  bool bias = false;
  /// A second tensor with the product's extents, which changes with every inference.
  bool residual = false;
  /// One of the functions that is_epilogue() accepts; its `input` is empty, the extents are the
  /// product's.
  std::optional<Activation> activation{};
  std::vector<Step> steps{};

  bool operator==(const Epilogue&) const = default;

  void write(KeyWriter& writer) const;
  /// `of_product`: also accept a bias, a residual and an activation.
  static Epilogue read(KeyReader& reader, bool of_product);
  /// The operands of the steps, in order.
  std::vector<Operand> step_operands() const;
};

/// Moves leading steps of a product with extents `output` into the fields: adding a constant with
/// `bias_extents` (one value per filter or column, in the result's rank) becomes the bias, adding a
/// tensor with the output's extents the residual, and the first function the activation.
Epilogue canonical(Epilogue epilogue, const Dims& output, const Dims& bias_extents);

/// True for functions that networks apply after a product and libraries fuse into the same call.
bool is_epilogue(ActivationKind kind);

}  // namespace benanza
