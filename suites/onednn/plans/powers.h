#pragma once

#include "core/problem/problem.h"
#include "suites/onednn/ways/attempt.h"

namespace benanza::onednn {

/// Whether a power is one of those that products, roots and inverses make: 3, 4, 8, 1.5, -0.5, -2.
/// The library computes other powers than 2, 0.5 and -1 element by element, a hundred times slower.
bool is_by_products(const Activation& shape);

/// One binary call of x with itself, and what follows it. Throws Unsupported at int8, and with
/// steps behind the power.
Plan plan_power(const Activation& shape, const Problem& problem, const VariantContext& context);

}  // namespace benanza::onednn
