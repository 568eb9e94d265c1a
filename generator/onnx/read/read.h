#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <functional>
#include <string_view>

namespace benanza::onnx {

/// A model from an ONNX file, of any size, without the values of its weights (see without_weights);
/// small tensors that lie in files of their own are read. Throws Error, one line that begins with
/// the path, if the file is missing, empty, truncated, not ONNX, or states no graph or no opset.
::onnx::ModelProto read_model(const std::filesystem::path& path);

/// As read_model, from the bytes of a file; no other file is read. `where` begins the message,
/// `passed` is as for without_weights.
::onnx::ModelProto parse_model(std::string_view bytes, const std::string& where,
                               const std::function<void(const char*)>& passed = {});

}  // namespace benanza::onnx
