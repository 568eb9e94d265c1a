#pragma once

#include <optional>

#include "generator/onnx/model/program.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/read/bind.h"

namespace benanza::onnx {

/// Types, shapes and, where they follow from constants and shapes, values of every tensor, in one
/// pass. An If whose condition is known becomes the steps of its branch. The shape rules of
/// `operators` go before the installed schemas. Extents that the data decide are the user's or the
/// largest; what contradicts itself because of the latter is no Error, but a Step::misfit. The
/// model's own statements about inner tensors (value_info) count only where inference does not know
/// and the batch is still the one they were made for; where both know and differ, the program gets
/// a warning. What stays unknown stays without shape. Throws Error naming the node where shapes do
/// not fit.
void infer(Program& program, const ::onnx::ModelProto& model, const Bound& bound,
           const OperatorTable& operators);

}  // namespace benanza::onnx
