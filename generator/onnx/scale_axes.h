#pragma once

#include <optional>

#include "generator/lowered/lowered.h"
#include "generator/onnx/model/program.h"

/// Along which axes the scales of quantized operands differ, and whether a product can take them.
namespace benanza::onnx {

/// The axis of `value` along which the scales of `step`, the DequantizeLinear or Mul that it shows
/// the result of, differ: of blocks, the one along which a block lies. Empty if there is one scale,
/// or views hide the axis.
std::optional<std::size_t> axis_of_scales(const Program& program, const Value& value,
                                          const Step& step);

/// So many consecutive elements of a row of `value` share a scale, if `step` scales rows that a
/// Reshape joins to longer ones; 0 for others.
std::int64_t joined_block(const Program& program, const Value& value, const Step& step);

/// Whether the scales differ within the sums of `product`, of which `value` is operand `operand`:
/// then it is no product of integers.
bool has_scales_in_sums(const Program& program, const Call& product, std::size_t operand,
                        const Value& value, const Step& step);

/// Why no library here takes the scales of the weights `value`, operand 1 of `product`; null if one
/// does, or `step` is null. `block`: elements of a sum that share a scale, 0 if all do.
const char* refused_scales(const Program& program, const Call& product, const Value& value,
                           const Step* step, std::int64_t block);

/// Whether each matrix of the weights `value`, operand 1 of `product`, has one scale of its own.
bool has_scales_of_matrices(const Program& program, const Call& product, const Value& value,
                            const Step* step);

}  // namespace benanza::onnx
