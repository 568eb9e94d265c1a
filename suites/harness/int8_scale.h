#pragma once

#include <cstdint>

#include "core/problem/ops/recurrent.h"
#include "core/problem/problem.h"

namespace benanza::harness {

// What the whole numbers of a recurrence at int8 stand for. Its inputs and states are bytes of one
// scale that never changes, its weights bytes of one scale for all of a call: a library's int8
// call, not a framework's that scales every step's state by its largest value.

/// Inputs, states and results: as many steps make 1. An eighth is a whole number of them.
inline constexpr float int8_steps_of_data = 120;
/// Each bias.
inline constexpr float int8_unit_of_bias = 0.0625F;
/// All weights, a power of two: those of the state, up to 16 units, forget.
float int8_unit_of_weights(const Recurrent& shape);

/// The smallest number that verification draws for an operand, in units; the largest is eight times
/// as much. Weights stay within 64: in pairs, times unsigned bytes, they fit 16 bits.
std::int64_t int8_least_value(const Recurrent& shape, std::size_t operand);

/// The scale of an int8 result, a power of two that keeps sums of random products within 8 bits; of
/// a recurrence, int8_steps_of_data.
float int8_scale(const Problem& problem);
/// An int8 problem's steps that mean the same after the result's scale as before it: relu and leaky
/// relu, one product with a tensor, and sums and differences with tensors that are scaled, too.
bool steps_keep_scale(const Epilogue& epilogue);
/// The scaled bias, residual and terms of random int8 inputs are whole multiples of it, up to eight
/// times.
float int8_addend_step(const Problem& problem);

}  // namespace benanza::harness
