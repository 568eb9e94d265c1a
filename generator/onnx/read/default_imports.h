#pragma once

#include <onnx/onnx_pb.h>

namespace benanza::onnx {

/// Imports ONNX Runtime's own domain and that of classical models at their newest versions where
/// the model does not name them, as ONNX Runtime does: some quantizers add nodes alone.
void add_default_imports(::onnx::ModelProto& model);

}  // namespace benanza::onnx
