#pragma once

#include "core/problem/problem.h"

namespace benanza::fusion {

/// The function of one number. What it means: core/problem/ops/activation.h.
double value_of(const Activation& function, double x);
/// Element by element; 0 or 1 for a comparison.
double value_of(BinaryKind kind, double a, double b);

}  // namespace benanza::fusion
