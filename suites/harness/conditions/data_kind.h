#pragma once

#include <string>

#include "core/problem/problem.h"

namespace benanza::harness {

/// The values on which a row is measured, "random, 4 bits": how many significant bits they have.
/// They are those it is verified with (suites/verify/inputs.h). On a GPU, numbers of few bits or
/// many zeros switch fewer transistors, and where power is the limit that is faster.
std::string data_kind(const Problem& problem, Precision precision);

}  // namespace benanza::harness
