#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/lowered/lowered.h"

/// Training steps, derived from the inference calls by the chain rule, call by call.
namespace benanza::training {

/// Where an operand of a backward call comes from: the gradient of the forward call's result
/// `index`, the forward call's operand or result `index`, or the result of backward call `index` in
/// the same list.
struct GradientSource {
  enum class Kind { output_gradient, operand, result, call };
  Kind kind = Kind::output_gradient;
  int index = 0;
};
inline constexpr GradientSource output_gradient{GradientSource::Kind::output_gradient, 0};

/// A backward call.
struct GradientCall {
  /// The suffix to the layer's name: "weight_gradient".
  std::string name;
  Problem problem;
  /// One per operand of the problem.
  std::vector<GradientSource> operands;
  /// For each result, the operand of the forward call whose gradient it is; -1 if none, or if it is
  /// only an operand of a later call of the list.
  std::vector<int> of;
  Cost cost = Cost::measured;
  /// Copy only: the offset of the view in its operand, in elements.
  std::int64_t from_offset = 0;
};

/// The backward calls of a forward call.
struct Gradient {
  std::vector<GradientCall> calls = {};
  /// One call that does the work of all calls, which some libraries have instead; the calls then
  /// form one layer.
  std::optional<Problem> whole = {};
  /// Operands whose gradient is the output's gradient, unchanged.
  std::vector<int> passed = {};
  /// Why there is no library call for it; `calls` is then empty.
  std::string unsupported = {};
};

/// Returns the gradients of the operands selected by `wanted` (one per operand of the call). A
/// product's gradient takes as many multiplications as the product. Factors that another call can
/// absorb, such as the length of a mean, are left out.
Gradient gradient(const Call& forward, const std::vector<bool>& wanted);

}  // namespace benanza::training
