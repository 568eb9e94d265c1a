#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/fusion/whole/cone.h"
#include "generator/fusion/whole/evaluate.h"

namespace benanza::fusion {

/// What an exporter took apart, put together again: one problem that does the work of `layers`.
struct WholeOperator {
  /// "gelu", "layernorm".
  std::string name;
  /// Ascending; the last one makes the result.
  std::vector<std::size_t> layers;
  Problem problem;
  /// How the problem's operands are read.
  std::vector<Read> operands;
};

/// Operators are recognised by what they compute, not by how they are written: the layers of a cone
/// are evaluated on a few numbers, and the result compared with that of the operators below.
std::vector<WholeOperator> whole_operators(const Flow& flow);

/// Functions of one tensor: gelu, its approximation, swish with any factor, hardswish, mish,
/// softplus, sigmoid, leakyrelu, elu.
std::optional<WholeOperator> whole_function(const Flow& flow, const Cone& cone);
/// layernorm and rmsnorm with and without scale and bias, division by the length of every row (a
/// rmsnorm and a factor), softmax and logsoftmax.
std::optional<WholeOperator> whole_normalization(const Flow& flow, const Cone& cone);

/// Group normalizations: an instance normalization of the groups as channels, and a constant factor
/// and term for each channel behind it. Before each the operator of its factors and terms alone
/// ("scale_shift"), for libraries that have no call for the whole.
std::vector<WholeOperator> group_normalizations(const Flow& flow);

/// True if both are the same but for constants of four digits.
bool agree(const Table& a, const Table& b);

/// The layers with every whole operator as one of them, the larger one where two overlap.
struct Condensed {
  std::vector<LoweredLayer> layers;
  /// For each of `layers` those that it stands for.
  std::vector<std::vector<std::size_t>> originals;
};
Condensed condensed(const Flow& flow, const std::vector<WholeOperator>& operators);

}  // namespace benanza::fusion
