#pragma once

#include <onnx/onnx_pb.h>

#include <string>

#include "generator/onnx/model/node.h"

namespace benanza::onnx {

/// Newest supported opset of the standard operators.
constexpr int max_opset = 28;

/// Throws Error, starting with `where`, for a model without a graph, nodes or opset, and for an
/// unknown opset of the standard operators.
void check_model(const ::onnx::ModelProto& model, const std::string& where);

/// Why nothing is known of a node: the version of the standard operators that its function imports
/// is unknown; else empty.
std::string unknown_opset(const Node& node);

/// Opset of the standard operators that the model imports; 0 if it imports none.
int standard_opset(const ::onnx::ModelProto& model);

}  // namespace benanza::onnx
