#pragma once

#include "core/problem/ops/quantization.h"
#include "generator/onnx/model/node_view.h"

/// Scales (input 1) of conversions between floats and 8 bits (input 0).
namespace benanza::onnx {

/// The axis of the scales; -1 if there is one scale. Throws NotExpressible if blocks have their
/// own.
std::int64_t scale_axis(const NodeView& node, const Dims& dims);

/// What the node converts. Where each block of the last axis has a scale, the blocks are the rows.
Quantization quantization(const NodeView& node, QuantizationKind kind, bool fp8);

}  // namespace benanza::onnx
