#pragma once

#include "core/problem/problem.h"
#include "suites/onednn/ways/attempt.h"

namespace benanza::onednn {

/// Whether the library lacks the function, but two of its calls compute it: erf, softsign, floor,
/// ceil, sign, sin, cos.
bool is_by_two_calls(ActivationKind kind);

/// Throws Unsupported with steps, at int8, for padded channels, and for what rounds (floor, ceil,
/// sin, cos) in 16 bits.
Plan plan_by_two_calls(const Activation& shape, const Problem& problem,
                       const VariantContext& context);

}  // namespace benanza::onednn
