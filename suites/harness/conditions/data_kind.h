#pragma once

#include <string>

#include "core/problem/problem.h"

namespace benanza::harness {

/// Describes the input values of a row by their significant bits: "random, 4 bits". They are the
/// inputs used for verification (suites/verify/inputs.h). On a GPU, values with few significant
/// bits or many zeros switch fewer transistors, which is faster if power is the limit.
std::string data_kind(const Problem& problem, Precision precision);

}  // namespace benanza::harness
