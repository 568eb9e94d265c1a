#pragma once

#include <optional>

#include "generator/onnx/model/program.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/read/bind.h"

namespace benanza::onnx {

/// Infers the types, the shapes and, if they follow from constants and shapes, the values of all
/// tensors in one pass. An If whose condition is known is replaced with the steps of its branch,
/// and what is taken out of a known sequence with steps that read the tensors themselves. The shape
/// rules of `operators` take precedence over the installed schemas. Data-dependent extents take the
/// user's values or their maxima; contradictions caused by assumed maxima set Step::misfit instead
/// of throwing. The model's value info is used only if inference does not know the shape and the
/// batch size was not replaced; if both are known and differ, the program gets a warning.
/// Everything else stays without a shape. Throws Error, naming the node, if shapes do not fit.
void infer(Program& program, const ::onnx::ModelProto& model, const ResolvedDims& bound,
           const OperatorTable& operators);

}  // namespace benanza::onnx
