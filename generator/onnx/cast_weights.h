#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "core/problem/stored_types.h"
#include "generator/onnx/model/program.h"

/// Weights that a model stores in few bits and unpacks by arithmetic of its own.
namespace benanza::onnx {

/// How a constant is stored that is Cast from 8 bits or fewer, less a zero point (Sub) and times
/// scales (Mul), as exporters without DequantizeLinear write it. Empty for others.
std::optional<PackedWeights> packed_by_casts(const Program& program, const Value& constant);

/// The Mul of such a constant with its scales; null if there is none.
const Step* scaling_of_casts(const Program& program, const Value& constant);

/// The stored tensors that `constant` is computed from, if they hold at least a bit for each of its
/// elements, and fewer than `bits_of_others`; empty for others.
std::set<const Value*> narrower_sources(const Program& program, const Value& constant,
                                        std::int64_t bits_of_others = 16);

}  // namespace benanza::onnx
