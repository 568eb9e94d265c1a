#pragma once

#include <optional>
#include <vector>

#include "core/graph_file/data_flow.h"
#include "core/problem/ops/attention.h"
#include "generator/lowered/lowered.h"

namespace benanza::fusion {

/// Numbers up to this one, added to a score, hide it: its exponential is 0. The softmax of others
/// counts.
inline constexpr double hidden_score = -1000;

/// What is done to the scores between their product and their softmax, besides a factor.
class ScoreMasks {
 public:
  /// A tensor added to the scores, or a condition that selects them. `extents` are the tensor's,
  /// `scores` those of the scores there, in the same rank.
  struct Mask {
    Dims extents;
    Dims scores;
    bool constant = false;
    /// Set if it does no more than hiding later keys.
    std::optional<Triangle> triangle = {};
    /// What takes the place of hidden scores, or is added to them.
    double hidden = 0;
    /// What is added, if it is a tensor of the model as it is, or its product with a number.
    std::optional<FlowOperand> operand = {};
  };
  struct Form {
    Attention shape;
    /// The tensors that it adds; empty if one is not known.
    std::optional<std::vector<FlowOperand>> added;
  };

  bool empty() const { return masks_.empty() && cleared_.empty(); }
  void add(Mask mask) { masks_.push_back(std::move(mask)); }
  /// Scores that `triangle` hides were multiplied by 0, the others by 1; changes nothing if a mask
  /// hides them.
  void clear(const Triangle& triangle) { cleared_.push_back(triangle); }
  /// Takes a factor of the masked scores; empty if unknown. False if it would have to be applied to
  /// a mask that changes.
  bool scale(std::optional<double> factor);

  /// Returns `shape` with the masks; none if they do not fit. A triangle becomes `causal`. With
  /// more keys than queries, few libraries know where a causal mask lies: the second one then has
  /// it as a tensor. Several tensors are one only if all are constants.
  std::vector<Form> forms(const Attention& shape) const;

 private:
  std::optional<Form> applied(Attention shape, bool as_tensors) const;

  std::vector<Mask> masks_;
  std::vector<Triangle> cleared_;
};

/// Tensor `read` as an operand that is added; empty if it is no float.
std::optional<FlowOperand> added_tensor(const Read& read, double sign = 1);
/// The triangle that hides scores to which the tensor is added (`sign` 1) or from which it is
/// subtracted (-1), if it is one.
std::optional<Triangle> hiding_sum(const Read& read, double sign);
/// The triangle that hides scores which are kept where the tensor is true (`keeps_true`) or false.
std::optional<Triangle> hiding_choice(const Read& read, bool keeps_true);

}  // namespace benanza::fusion
