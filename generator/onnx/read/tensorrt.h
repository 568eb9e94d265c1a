#pragma once

#include <onnx/onnx_pb.h>

namespace benanza::onnx {

/// Renames conversions of TensorRT's domain, as its model optimizer writes them for opsets that do
/// not have these types, to the standard operators of opset 21.
void rename_tensorrt_conversions(::onnx::ModelProto& model);

}  // namespace benanza::onnx
