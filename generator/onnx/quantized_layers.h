#pragma once

#include <vector>

#include "generator/lowered/lowered.h"
#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// Describes layers by the types that the file stores. Between DequantizeLinear and QuantizeLinear,
/// a product, pooling, sum, function that bytes keep, or movement is one call on bytes with scales:
/// the layer's precision becomes int8, or fp8 for
/// products of e4m3, and the conversions around it are free. A product of floats
/// with weights that are stored in fewer bits has them packed (Problem::packed). Everything else
/// keeps its floats and its conversions.
void describe_quantized(const Program& program, std::vector<LoweredLayer>& layers);

}  // namespace benanza::onnx
