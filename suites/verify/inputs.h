#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/problem.h"
#include "suites/verify/operand_pool.h"

namespace benanza::verify {

/// Returns random values of inputs(problem), the same for the same seed on every machine.
///   Exact in every precision: k * 2^e with k = +-1 ... +-8 and one e per operand, so that only the
///   library rounds, and products sum exactly in fp32 up to 2^18 terms.
///   Where harness::has_all_bits(), up to a sixteenth closer to 0, with all 24 bits.
///   Never 0, except truth values and unsigned bytes, so that every tap moved by a wrong stride or
///   pad shows.
///   e is such that the parameters of the operator (clip reaches its bounds, say) and of the
///   epilogue, whose function gets the sum of many products, affect the result.
///   Domain::positive: k = 1 ... 8; the same for all operands if a step is defined for positive x
///   only. Domain::truth: 0 and 1. Domain::unsigned_bytes: 0, 17 ... 255. Tensors of steps: up to
///   1. int8: e = 0. All operands but the first are even: CPUs without 8-bit dot products halve
///   the weights of signed data, so that pairs of products fit 16 bits. Those of unsigned data fit
///   as they are: 2 * 255 * 8 is 4,080. Bias and residual of an epilogue are in units of the scaled
///   result; otherwise they would vanish in its rounding.
std::vector<std::vector<float>> inputs_for(const Problem& problem, Precision precision,
                                           std::uint64_t seed);

struct Inputs {
  std::vector<std::vector<float>> values{};
  /// How each operand was filled; empty if the operator has adjusted them.
  std::vector<Recipe> recipes{};
};
/// The same, taking operands from `pool` if available.
Inputs inputs_for(const Problem& problem, Precision precision, std::uint64_t seed,
                  OperandPool& pool);

}  // namespace benanza::verify
