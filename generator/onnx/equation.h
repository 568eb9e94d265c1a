#pragma once

#include <string>
#include <vector>

#include "generator/onnx/site.h"

namespace benanza::onnx {

/// The labels of an Einsum's axes: letters as they are, the axes of "..." as numbers above those of
/// letters, the last one highest.
using Labels = std::vector<int>;

struct Equation {
  std::vector<Labels> operands;
  Labels result;
};

/// Throws Error where the equation does not fit the operands.
Equation read_equation(const Site& einsum);

/// One label stands for several axes of the operand.
bool takes_diagonal(const Labels& labels);

/// Extents of the labels, given those of an operand.
Dims extents_of(const Labels& wanted, const Labels& labels, const Dims& dims);

}  // namespace benanza::onnx
