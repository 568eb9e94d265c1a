#pragma once

#include <onnx/onnx_pb.h>

namespace benanza::onnx {

/// Renames conversions that quantizers write in domains of their own, because the model's opset
/// does not have the types (TensorRT's model optimizer; AMD Quark and Vitis AI), to the standard
/// operators of opset 21, in functions and bodies, too.
void rename_tool_conversions(::onnx::ModelProto& model);

/// After functions are inlined: gives stored bytes the type as which renamed nodes read them.
void retype_stored_bytes(::onnx::ModelProto& model);

/// Imports ONNX Runtime's own domain and that of classical models at their newest versions where
/// the model does not name them, as ONNX Runtime does: some quantizers add nodes alone.
void add_default_imports(::onnx::ModelProto& model);

}  // namespace benanza::onnx
