#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>

namespace benanza::onnx {

/// Reads initializers from external files if constant folding of shapes may need their values:
/// small tensors of integers and booleans (shapes, indices), and up to 16 values of floating-point
/// and 8-bit integer types (scales, bounds). Masks are read, too (see is_mask), where their file
/// has them. All other tensors keep their reference. `folder` is the model's. Throws Error, naming
/// the tensor, if the file of a small tensor is missing, too short or outside the folder; real
/// numbers whose file is missing stay unknown, as the weights that they may be.
void load_small_tensors(::onnx::GraphProto& graph, const std::filesystem::path& folder);

}  // namespace benanza::onnx
