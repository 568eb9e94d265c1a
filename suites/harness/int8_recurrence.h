#pragma once

#include <cstdint>

#include "core/problem/ops/recurrent.h"

/// What the whole numbers of a recurrence at int8 stand for. Its inputs and states are bytes of one
/// scale that never changes, its weights bytes of one scale for all of a call: a library's int8
/// call, not a framework's that scales every step's state by its largest value.
namespace benanza::harness {

/// Inputs, states and results: as many steps make 1. An eighth is a whole number of them.
inline constexpr float int8_steps_of_data = 120;
/// Each bias.
inline constexpr float int8_unit_of_bias = 0.0625F;
/// All weights, a power of two: those of the state, up to 16 units, forget.
float int8_unit_of_weights(const Recurrent& shape);

/// The smallest number that verification draws for an operand, in units; the largest is eight times
/// as much. Weights stay within 64: in pairs, times unsigned bytes, they fit 16 bits.
std::int64_t int8_least_value(const Recurrent& shape, std::size_t operand);

}  // namespace benanza::harness
