#pragma once

#include <cstdint>
#include <optional>

#include "core/problem/precision.h"
#include "core/problem/problem.h"
#include "generator/lowered/lowered.h"
#include "generator/onnx/model/program.h"

/// QuantizeLinear and DequantizeLinear around calls of 8 bits.
namespace benanza::onnx {

/// The integer that every element of `value` is, such as the zero point of all channels: of any
/// size, and also of 4 and 2 bits. Empty if they differ, or the model does not contain them.
std::optional<std::int64_t> only_integer(const Value& value);

/// A QuantizeLinear that makes 8 bits.
bool is_quantization(const Step& step);
bool is_dequantization(const Step& step);

/// What `step`, a DequantizeLinear, reads: of 8 bits with one scale, or one per channel, the
/// precision of calls that take them. Of fp8, calls here take e4m3 alone.
std::optional<Precision> precision_of(const Step& step);

/// Whether the bytes of `step`, a DequantizeLinear, have zero points for which products need sums
/// of the other operand.
bool is_asymmetric(const Step& step, bool is_first);

/// Whether the layer of `step` moves elements of its first input, or nothing at all: of bytes it
/// makes bytes. Zeros may stand beside them, which every zero point is.
bool moves_elements(const Step& step, const LoweredLayer& layer);

/// Where the tensor comes from that `source`, an operand of a call of the layer, holds all of:
/// copies only reorder it.
const Source& behind_copies(const LoweredLayer& layer, const Source& source);

bool starts_with_product(const LoweredLayer& layer);
/// The function that the layer is; null if it is none, or more than that.
const Activation* function_of(const LoweredLayer& layer);

/// Functions that do not depend on the scale of their argument.
bool scales_with_bytes(const Activation& function);
/// The function as the step of another call.
Activation without_input(Activation function);
/// A shape that is computed on bytes as on floats.
bool keeps_bytes(const Shape& shape);

/// Whether `quantization`, a QuantizeLinear, makes 8-bit integers.
bool makes_integers(const Step& quantization);
/// Whether `quantization`, a QuantizeLinear, stores the same with and without `function` before it:
/// it saturates where the function clips. False where its scale and zero point are not known.
bool saturates(const Step& quantization, const Activation& function);

/// Takes call `place` of the layer, which follows `product`, into it. Returns false if it is no
/// bias or function.
bool absorb(Call& product, const Call& next, std::size_t place);

}  // namespace benanza::onnx
