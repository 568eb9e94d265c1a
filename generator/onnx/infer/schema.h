#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

#include "generator/onnx/model/program.h"
#include "generator/onnx/operators/shared/operator.h"
#include "generator/onnx/read/bind.h"

namespace benanza::onnx {

/// Types of the step's outputs as the installed schemas infer them; unknown where they do not tell.
/// Operators newer than the schemas use the newest schema there is. Throws Error where the node is
/// not what its schema describes, or shapes do not fit. `known`: what else is known of the
/// operator, or null.
std::vector<::onnx::TypeProto> schema_types(const Program& program, const Step& step,
                                            const Bound& bound, const Operator* known);

}  // namespace benanza::onnx
