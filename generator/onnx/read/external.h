#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>

namespace benanza::onnx {

/// Reads the values of initializers that lie in files of their own where folding shapes may need
/// them: small ones of integers and booleans (shapes, indices), and up to 16 reals (scales,
/// bounds). All other tensors keep their reference, and a file that holds only such is never
/// opened. `folder` is the model's. Throws Error naming the tensor if a file is missing, too short
/// or outside of the folder.
void load_small_tensors(::onnx::GraphProto& graph, const std::filesystem::path& folder);

}  // namespace benanza::onnx
