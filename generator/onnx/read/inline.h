#pragma once

#include <onnx/onnx_pb.h>

#include <string>

namespace benanza::onnx {

/// Replaces every call of one of the model's own functions, in subgraphs too, by the nodes of the
/// function's body: "call/node". Throws Error, beginning with `where`, for a function that calls
/// itself, and for calls that grow beyond a million nodes.
void inline_functions(::onnx::ModelProto& model, const std::string& where);

}  // namespace benanza::onnx
