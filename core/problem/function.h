#pragma once

#include "core/problem/problem.h"

namespace benanza {

/// Applies the function to one number. Definitions: core/problem/ops/activation.h.
double value_of(const Activation& function, double x);
/// The tanh in gelu_tanh at x.
double tanh_of_gelu(double x);
/// Applies the operation to two numbers; comparisons return 0 or 1.
double value_of(BinaryKind kind, double a, double b);

}  // namespace benanza
