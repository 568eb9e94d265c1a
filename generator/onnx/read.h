#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>

namespace benanza {

/// Newest version of the standard operators whose models are read.
constexpr int max_opset = 23;

/// A model from an ONNX file. Throws Error, one line that begins with the path, if the file is
/// missing, empty, truncated, not ONNX, or states no graph or no opset.
onnx::ModelProto read_model(const std::filesystem::path& path);

/// What read_model demands of a parsed model; `where` begins the message.
void check_model(const onnx::ModelProto& model, const std::string& where);

/// Version of the standard operators that the model imports.
int standard_opset(const onnx::ModelProto& model);

}  // namespace benanza
