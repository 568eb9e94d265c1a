#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

namespace benanza::onnx {

/// Which of several functions of one name a call means, or a function is; mostly empty.
std::string overload_of(const ::onnx::NodeProto& call);
std::string overload_of(const ::onnx::FunctionProto& function);

/// The attributes of a function that have defaults. Throws Error for a default that is no
/// attribute.
std::vector<::onnx::AttributeProto> defaults_of(const ::onnx::FunctionProto& function);

}  // namespace benanza::onnx
