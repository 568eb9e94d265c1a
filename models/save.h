#pragma once

#include <onnx/onnx_pb.h>

#include <string>

namespace benanza {

/// Throws Error if `path` is no regular file's, or the model has 2 GiB or more.
void save(const ::onnx::ModelProto& model, const std::string& path);

}  // namespace benanza
