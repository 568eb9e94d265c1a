#pragma once

#include <cstddef>
#include <vector>

#include "generator/onnx/operators/shared/operator.h"

/// Operators of bytes for which no library has a call: on floats, between conversions.
namespace benanza::onnx {

/// Appends the conversion of input `index`, bytes whose scale is the next input, to floats. Throws
/// NotExpressible for other types and for more than one scale.
Source dequantized(const NodeView& node, std::size_t index, std::vector<Call>& calls);

/// The calls, then the conversion of the last one's result to bytes.
Lowered quantized(std::vector<Call> calls);

}  // namespace benanza::onnx
