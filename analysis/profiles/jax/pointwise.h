#pragma once

#include <optional>

#include "analysis/profiles/jax/hlo.h"

namespace benanza::analysis::jax {

/// The part of an instruction without convolutions and products: elementwise functions, movement,
/// pooling, a reduction; by itself or in the computation that it calls. What one call of a library
/// does exactly has that problem: "add/1x64x56x56_1x64x56x56_relu". Of other compositions it is the
/// least that they take: a call that reads every tensor of the result's size once and writes the
/// result. XLA's layouts are not considered. What computes on f64, on complex numbers or on nothing
/// but integers of several bytes has a part without a problem. Empty for what is none of these (a
/// sort, a gather).
std::optional<ToldPart> pointwise_part(const Program& program, const Instruction& instruction);

}  // namespace benanza::analysis::jax
