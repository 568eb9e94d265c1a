#pragma once

#include <string>

#include "core/problem/problem.h"

namespace benanza::harness {

/// True if the inputs used for verification (suites/verify/inputs.h) have all 24 bits: those of
/// products at fp32 whose data no call may round (PackedWeights::rounds_data), since products of
/// TF32 or bf16 would otherwise be as exact as those of fp32, and of normalizations by statistics
/// of the data at fp32 and tf32, since a few distinct values, each squared, added many times and
/// rounded alike every time, make correct sums less accurate than any other numbers do.
bool has_all_bits(const Problem& problem, Precision precision);

/// Describes the input values of a row by their significant bits: "random, 4 bits". On a GPU,
/// values with few significant bits or many zeros switch fewer transistors, which is faster if
/// power is the limit.
std::string data_kind(const Problem& problem, Precision precision);

}  // namespace benanza::harness
