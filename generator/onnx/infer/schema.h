#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

#include "generator/onnx/model/program.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/read/bind.h"

namespace benanza::onnx {

/// Types of the step's outputs as inferred by the installed schemas; not set if they infer none.
/// Operators newer than the schemas use the newest schema. `known`: the operator's entry, or null.
/// Throws Error if the node does not match its schema or shapes do not fit.
std::vector<::onnx::TypeProto> schema_types(const Step& step, const ResolvedDims& bound,
                                            const Operator* known);

}  // namespace benanza::onnx
