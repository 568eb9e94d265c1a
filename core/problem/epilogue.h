#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/problem/ops/activation.h"

namespace benanza {

enum class CombineKind { add, sub, mul, div, max, min };

/// Combines every element x of a result with an element y of a second tensor: x + y, x - y, or, if
/// `reversed`, y - x and y / x. A single constant number is a linear function instead.
/// Text: "mul_y1x96x1x1", "add_y1x96x1x1_w", reversed "rsub_y1x96x1x1"
struct Combine {
  CombineKind kind = CombineKind::add;
  /// Extents of y: same rank as the result, each extent equal to the result's or 1.
  Dims y;
  /// y is a weight, known when the model is loaded.
  bool constant = false;
  /// sub and div only.
  bool reversed = false;

  bool operator==(const Combine&) const = default;

  /// "mul", "rsub".
  std::string_view word() const;
  void write(KeyWriter& writer) const;
  /// Returns nothing and consumes nothing if the next field is not a combination.
  static std::optional<Combine> read(KeyReader& reader);
};

/// What a call does to every element of its result before storing it: a function (with empty
/// `input`) or a combination with a second tensor.
using Step = std::variant<Activation, Combine>;

void write(const Step& step, KeyWriter& writer);
/// "mul", "swish".
std::string_view word(const Step& step);
/// The steps that come next in a key; possibly none.
std::vector<Step> read_steps(KeyReader& reader);

/// Given extents `y` that broadcast to `from`, returns the extents that broadcast in the same way
/// to `to`, which holds the same elements in the same order with axes merged or split. Empty if
/// there are none.
std::optional<Dims> refitted(const Dims& y, const Dims& from, const Dims& to);

/// True for functions that are defined for all x, have no jumps, and stay within fp16's range for
/// the x of a network: these may be fused after sums, whose last bits differ between libraries.
bool is_smooth_step(const Activation& function);

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
