#pragma once

#include <onnx/onnx_pb.h>

#include <string>

namespace benanza::onnx {

/// Newest version of the standard operators whose models are read.
constexpr int max_opset = 28;

/// Throws Error, beginning with `where`, for a model without a graph, nodes or opset.
void check_model(const ::onnx::ModelProto& model, const std::string& where);

/// Version of the standard operators that the model imports.
int standard_opset(const ::onnx::ModelProto& model);

}  // namespace benanza::onnx
