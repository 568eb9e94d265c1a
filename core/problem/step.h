#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/problem/ops/activation.h"

namespace benanza {

enum class CombineKind { add, sub, mul, div, max, min };

/// Combines every element x of a result with an element of a second tensor: x + y, x - y, and, if
/// `reversed`, y - x and y / x. A constant that is one number is no tensor: it is in a linear.
/// Text: "mul_y1x96x1x1", "add_y1x96x1x1_w", reversed "rsub_y1x96x1x1"
struct Combine {
  CombineKind kind = CombineKind::add;
  /// Extents of y: the result's rank, on every axis the result's extent or 1.
  Dims y;
  /// y is a weight, known when the model is loaded.
  bool constant = false;
  /// sub and div only.
  bool reversed = false;

  bool operator==(const Combine&) const = default;

  /// "mul", "rsub".
  std::string_view word() const;
  void write(KeyWriter& writer) const;
  /// Nothing, and nothing is consumed, if the next field is none of the words.
  static std::optional<Combine> read(KeyReader& reader);
};

/// What a call does to every element of its result before it stores it: a function, its `input`
/// empty, or a combination with a second tensor.
using Step = std::variant<Activation, Combine>;

void write(const Step& step, KeyWriter& writer);
/// "mul", "swish".
std::string_view word(const Step& step);
/// The steps that come next in a key, which may be none.
std::vector<Step> read_steps(KeyReader& reader);

/// True if `y` has the rank of `output` and on every axis its extent or 1.
bool broadcasts_to(const Dims& y, const Dims& output);

/// `y`, extents that broadcast to `from`, as they broadcast to `to`, which holds the same elements
/// in the same order, with axes merged or split. Empty where no extents say it.
std::optional<Dims> refitted(const Dims& y, const Dims& from, const Dims& to);

/// Functions that are defined for all x, do not jump, and stay in the range of fp16 for the x of a
/// network: those that calls take behind sums whose last bits differ from library to library.
bool is_smooth_step(const Activation& function);

}  // namespace benanza
