#pragma once

#include <optional>

#include "onnx/bind.h"
#include "onnx/fold/table.h"
#include "onnx/program.h"

namespace benanza {

/// Types, shapes and, where they follow from constants and shapes, values of every tensor, in one
/// pass. The model's own statements about inner tensors (value_info) count only where inference
/// does not know and the batch is still the one they were made for. Operators newer than the
/// installed schemas use the newest schema there is. What stays unknown stays without shape. Throws
/// Error naming the node where shapes do not fit.
void infer(Program& program, const onnx::ModelProto& model, const Bound& bound,
           const FoldTable& folds);

}  // namespace benanza
