#pragma once

#include <cstdint>

#include "core/graph_file/graph.h"
#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// The constant tensors of floats and of at most 8 bits that steps read, each once: the weights.
/// Scales and zero points are not counted, nor what steps compute from constants alone.
struct Parameters {
  /// Values; several in one element of a packed tensor (MatMulNBits).
  std::int64_t count = 0;
  Traffic stored{};
};
Parameters count_parameters(const Program& program);

}  // namespace benanza::onnx
