#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <functional>
#include <string_view>

namespace benanza::onnx {

/// Reads an ONNX file of any size, without the values of its weights (see without_weights); small
/// tensors in external files are read. Throws Error, one line that starts with the path, if the
/// file is missing, empty, truncated or not ONNX, or has no graph, nodes or opset.
::onnx::ModelProto read_model(const std::filesystem::path& path);

/// As read_model(), from the bytes of a file; external files are not read. `where` starts every
/// message; `passed` is as for without_weights().
::onnx::ModelProto parse_model(std::string_view bytes, const std::string& where,
                               const std::function<void(const char*)>& passed = {});

}  // namespace benanza::onnx
