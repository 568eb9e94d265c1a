#pragma once

#include <onnx/onnx_pb.h>

#include <string>

namespace benanza::onnx {

/// What is wrong with a call of a model's own function, or with the function; empty if it can be
/// read. Nested graphs are not looked at.
std::string missing_in(const ::onnx::NodeProto& call, const ::onnx::FunctionProto& function);

}  // namespace benanza::onnx
