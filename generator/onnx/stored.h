#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "core/problem/stored_types.h"
#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// Whether the node's result holds the values of its first input, in another order or shape.
bool is_view(const Node& node);
/// Of element type `type`; empty for those of more than 8 bits.
std::optional<PackedType> packed_type(int type);

/// Whether the step computes constants alone.
bool all_outputs_constant(const Step& step);

/// What the file stores of a constant: the tensors behind Identity, Transpose, other views, and
/// conversions of quantized values, each once however many names it has; itself if it is computed
/// from several. Without the scales and zero points of quantized ones.
std::set<const Value*> stored_tensors(const Program& program, const Value& constant);
/// The same with scales and zero points; of one computed from several, narrower_sources() or, of
/// one that repeats or fills, what it is made of.
std::set<const Value*> stored_tensors_and_scales(const Program& program, const Value& constant);

/// Bits of an element of `constant` in the file, rounded down, where the model takes parts of a
/// stored tensor and converts them, or computes it from others: 16 for all between that and a
/// float. Otherwise those of its type.
std::int64_t stored_bits(const Program& program, const Value& constant);

/// What to say of a product of floats that stands for one with the constant `weights`, if the file
/// stores them in fewer bits or without their zeros; empty for others.
std::string taken_for_floats(const Program& program, const Value& weights);

/// The DequantizeLinear that makes `value`, itself or what views of it, its parts, or a conversion
/// to other floats show; null if none does.
const Step* dequantization(const Program& program, const Value& value);

/// How the file stores the weights `value`: packed if a conversion makes them of fewer bits than a
/// float has. Empty for others.
std::optional<PackedWeights> packed_weights(const Program& program, const Value& value);

/// How a constant is stored that `step`, a DequantizeLinear, makes: packed if it holds fewer bits
/// than a float. Empty for other types, such as biases of int32.
std::optional<PackedWeights> packed_by(const Step& step);

// Weights that a model stores in few bits and unpacks by arithmetic of its own.

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
