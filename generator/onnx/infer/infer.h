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
/// user's values or their maxima. Nodes that do not fit their inputs or operators get a
/// Step::misfit and are listed in Program::unreadable, unless assumptions explain it. The model's
/// value info is used only if inference does not know the shape and the batch size was not
/// replaced; if both are known and differ, the program gets a warning. Everything else stays
/// without a shape. Throws Error, naming the node, if shapes of standard operators do not fit
/// extents that the user chose, and for flags that do not fit a node.
void infer(Program& program, const ::onnx::ModelProto& model, const ResolvedDims& bound,
           const OperatorTable& operators);

}  // namespace benanza::onnx
