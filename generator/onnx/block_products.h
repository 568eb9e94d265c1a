#pragma once

#include <optional>

#include "core/problem/stored_types.h"
#include "generator/lowered/lowered.h"
#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// Whether `step`, a DequantizeLinear, makes rows of 8-bit floats (e4m3): with one scale, with one
/// for each row, or with one for each block of 128 elements of a row, its last axis.
bool makes_rows_of_fp8(const Step& step);

/// How the constant `weights`, operand 1 of `product`, are stored, if a library multiplies rows of
/// makes_rows_of_fp8() by them in one call at 8 bits, whose results are floats.
std::optional<PackedWeights> weights_in_blocks(const Program& program, const Call& product,
                                               const Value& weights);

/// Makes products behind other calls of the layer of `step`, such as those of experts, products
/// with weights as the file stores them, where one takes their scales; of others the layer says
/// that they are products of floats.
void describe_later_products(const Program& program, const Step& step, LoweredLayer& layer);

}  // namespace benanza::onnx
