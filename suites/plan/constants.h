#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/plan_file/plan.h"
#include "core/problem/problem.h"

namespace benanza::plan {

/// The elements of a constant tensor of the plan, in float, as long as the plan is set up.
using ConstantOf = std::function<std::span<const float>(std::size_t tensor)>;

/// Rows of `length` values, each repeated once for each of `numbers`, times it; as they are if
/// there are none.
std::vector<float> repeated_rows(std::span<const float> values, const std::vector<float>& numbers,
                                 std::size_t length);

/// The values of a call's constant operands: with the folds of the call done to them, masks, the
/// factors and shifts of batch normalizations. Computed in double. Throws Error for what is not
/// known: a fold of a call that has no weights, a constant of another size.
class Constants {
 public:
  Constants(const FlowCall& call, const Problem& problem, ConstantOf constant);

  /// Of operand `index`, which is no tensor of the arena.
  std::vector<float> values(std::size_t index) const;
  /// The same without a copy, if the call takes the tensor as it is.
  std::optional<std::span<const float>> unchanged(std::size_t index) const;

 private:
  void fold(const Fold& one);
  /// Does the folds to a weight's values.
  void fold(std::size_t index, std::vector<float>& values) const;
  /// The factor or the shift of a batch normalization.
  std::vector<double> of_statistics(const FlowOperand& operand, std::size_t size) const;
  /// Of a tensor or of stated numbers, as many as the operand has elements.
  std::vector<float> stored_values(std::size_t index) const;
  std::vector<double> channels(std::size_t tensor, double scale, std::size_t count) const;

  const FlowCall& call_;
  const Problem& problem_;
  ConstantOf constant_;
  std::vector<Operand> operands_;
  /// What the folds do: y = factor x + term, per filter, column or channel.
  std::vector<double> factor_;
  std::vector<double> term_;
};

}  // namespace benanza::plan
