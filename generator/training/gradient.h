#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/lowered/lowered.h"

/// Training steps, derived from what inference does: by the chain rule, call by call.
namespace benanza::training {

/// Where an operand of a backward call comes from: the gradient of the forward call's result
/// `index`; the forward call's operand or result `index`; the result of backward call `index` of
/// the same list.
struct GradientSource {
  enum class Kind { output_gradient, operand, result, call };
  Kind kind = Kind::output_gradient;
  int index = 0;
};
inline constexpr GradientSource output_gradient{GradientSource::Kind::output_gradient, 0};

/// A backward call.
struct GradientCall {
  /// What it is called behind its layer's name: "weight_gradient".
  std::string name;
  Problem problem;
  /// One per operand of the problem.
  std::vector<GradientSource> operands;
  /// Whose gradients its results are: operands of the forward call; -1: nobody's, or a later
  /// call's of the list.
  std::vector<int> of;
  Cost cost = Cost::measured;
  /// Of a copy: where it begins in its operand, in elements.
  std::int64_t from_offset = 0;
};

/// The backward calls of a forward call.
struct Gradient {
  std::vector<GradientCall> calls = {};
  /// One call that does the work of all of them, which some libraries have instead: they are one
  /// layer.
  std::optional<Problem> whole = {};
  /// Operands whose gradient is the output's gradient as it is.
  std::vector<int> passed = {};
  /// Why there is no library call for it; the calls are empty then.
  std::string unsupported = {};
};

/// For the operands that `wanted` says (one per operand of the call). A product's gradient takes as
/// many multiplications as the product. Numbers that a gradient is multiplied by are left out where
/// another call can take them in: the length of a mean, say.
Gradient gradient(const Call& forward, const std::vector<bool>& wanted);

}  // namespace benanza::training
