#pragma once

#include <onnx/defs/schema.h>

#include "generator/onnx/program.h"

namespace benanza::onnx {

/// Throws Error where a node is not what its schema describes, or has inputs of shapes that the
/// schema's inference does not expect and reads past: inference functions trust both.
void check_node(const Program& program, const Step& step, const ::onnx::OpSchema& schema);

}  // namespace benanza::onnx
