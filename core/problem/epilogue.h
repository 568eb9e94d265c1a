#pragma once

#include <optional>

#include "core/problem/ops/activation.h"

namespace benanza {

/// What a call does to its product before it stores it: activation(product + bias + residual).
/// Products only: Convolution, Deconvolution and Gemm.
/// Key: the words after those of the product, "_bias_residual_relu", "_bias_clip_a0_b6"
struct Epilogue {
  /// A weight, one value per filter or column.
  bool bias = false;
  /// A second tensor of the product's extents, which changes with every inference.
  bool residual = false;
  /// One of is_epilogue()'s functions; its `input` is empty: the extents are the product's.
  std::optional<Activation> activation{};

  bool operator==(const Epilogue&) const = default;

  void write(KeyWriter& writer) const;
  static Epilogue read(KeyReader& reader);
};

/// Functions that networks put behind a product, and libraries into the same call.
bool is_epilogue(ActivationKind kind);

}  // namespace benanza
