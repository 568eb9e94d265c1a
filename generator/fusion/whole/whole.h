#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/fusion/whole/cone.h"
#include "generator/fusion/whole/evaluate.h"

namespace benanza::fusion {

/// An operator that an exporter decomposed, put together again: one problem that does the work of
/// `layers`.
struct WholeOperator {
  /// "gelu", "layernorm".
  std::string name;
  /// In ascending order; the last one makes the result.
  std::vector<std::size_t> layers;
  Problem problem;
  /// Where the problem's operands are read from.
  std::vector<Read> operands;
};

/// Finds whole operators by what they compute, not by how they are written: the layers of a cone
/// are evaluated on a few numbers, and the result is compared with those of the operators below.
std::vector<WholeOperator> whole_operators(const Flow& flow);

/// Recognizes functions of one tensor: gelu, its tanh approximation, swish with any factor,
/// hardswish, mish, softplus, sigmoid, leakyrelu, elu.
std::optional<WholeOperator> whole_function(const Flow& flow, const Cone& cone);
/// Recognizes layernorm and rmsnorm with and without scale and bias, division of every row by its
/// L2 norm (an rmsnorm and a factor), softmax and logsoftmax.
std::optional<WholeOperator> whole_normalization(const Flow& flow, const Cone& cone);

/// Finds group normalizations: an instance normalization whose channels are the groups, followed by
/// a constant factor and term per channel. Each is preceded by an operator of its factors and terms
/// alone ("scale_shift"), for libraries that have no call for the whole.
std::vector<WholeOperator> group_normalizations(const Flow& flow);

/// Finds a rotary embedding that ends at layer `root`: x cos + rotated(x) sin, where rotated() puts
/// the second half of every row, negated, before the first half.
std::optional<WholeOperator> rotary(const Flow& flow, std::size_t root);

/// True if the tables are equal up to constants rounded to four digits.
bool agree(const Table& a, const Table& b);

/// The layers with every whole operator replaced by one layer; of overlapping operators, the larger
/// one.
struct Condensed {
  std::vector<LoweredLayer> layers;
  /// For each of `layers`, the original layers that it replaces.
  std::vector<std::vector<std::size_t>> originals;
};
Condensed condensed(const Flow& flow, const std::vector<WholeOperator>& operators);

}  // namespace benanza::fusion
