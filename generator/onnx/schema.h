#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

#include "generator/onnx/bind.h"
#include "generator/onnx/program.h"

namespace benanza::onnx {

/// Types of the step's outputs as the installed schemas infer them; unknown where they do not tell.
/// Operators newer than the schemas use the newest schema there is. Throws Error where the node is
/// not what its schema describes, or shapes do not fit.
std::vector<::onnx::TypeProto> schema_types(const Program& program, const Step& step,
                                            const Bound& bound);

}  // namespace benanza::onnx
