#pragma once

#include <string>

#include "suites/verify/operators.h"
#include "suites/verify/verify.h"

/// What a call has computed beside the samples of its case.
namespace benanza::verify {

/// The first mistake in the result of `primitive`, which has run; empty if there is none.
std::string mistake_of(harness::Primitive& primitive, const Problem& problem, Precision precision,
                       const VerificationCase& expected, const harness::Traits& traits);

/// Replaces values at or beyond the precision's largest number by infinity, because libraries store
/// values out of range as either of them.
double in_range(double value, Precision precision);

/// Where the problem's result is written.
WrittenView view_of(const Problem& problem);

/// The place of element `at` in memory.
std::int64_t position(const Dims& at, const Dims& strides);

}  // namespace benanza::verify
