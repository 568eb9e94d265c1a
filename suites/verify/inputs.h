#pragma once

#include <cstdint>
#include <vector>

#include "core/problem/problem.h"
#include "suites/verify/operand_pool.h"

namespace benanza::verify {

/// Random values of inputs(problem), the same for the same seed on every machine.
///   Exact in every precision: k * 2^e with k = +-1 ... +-8 and one e per operand, so the only
///   rounding is the library's, and products sum exactly in fp32 up to 2^18 terms.
///   Of products at fp32: up to a sixteenth nearer to 0 than that, with all 24 bits, or products of
///   TF32 or bf16 would be as exact as those of fp32. The same of normalizations by statistics of
///   the data at fp32 and tf32: sums of squares of eight numbers round far from the right ones.
///   Never 0, but for truth values: every tap that a wrong stride or pad moves shows.
///   e is such that the operator's parameters show (clip reaches its bounds, say), and the
///   epilogue's, whose function gets the sum of many products.
///   Domain::positive: k = 1 ... 8; so are all operands where a step is defined for positive x
///   only. Domain::truth: 0 and 1. Tensors of steps: up to 1. int8: e = 0. Operands but the first
///   are even: CPUs without 8-bit dot products halve the weights of signed data, so that pairs of
///   products fit 16 bits. Bias and residual of an epilogue are in units of the scaled result, or
///   they would vanish in its rounding.
std::vector<std::vector<float>> inputs_for(const Problem& problem, Precision precision,
                                           std::uint64_t seed);

struct Inputs {
  std::vector<std::vector<float>> values{};
  /// Of each, where it is as it was filled; empty where the operator has adjusted them.
  std::vector<Recipe> recipes{};
};
/// The same, with operands from `pool` where it has them.
Inputs inputs_for(const Problem& problem, Precision precision, std::uint64_t seed,
                  OperandPool& pool);

}  // namespace benanza::verify
