#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/graph_file/graph.h"
#include "generator/lowered/lowered.h"
#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// What is behind a value in the model.
struct GivenBehind {
  /// The model's inputs that who reads the value reads: itself, or what layers make it of
  /// that move elements or write over some. By each how many of its elements need not be read.
  std::map<const Value*, std::int64_t> lost;
  /// What layers have picked of other tensors, all of which who reads the value reads.
  std::vector<const Value*> picked;
};
/// `unread`: elements of the value that need not be read.
GivenBehind given_behind(const Program& program, const std::vector<LoweredLayer>& layers,
                         const Value& value, std::int64_t unread);

/// The constant tensors of floats and of at most 8 bits that steps read, each once: the weights.
/// Scales and zero points are not counted, nor what steps compute from constants alone.
struct Parameters {
  /// Values; several in one element of a packed tensor (MatMulNBits).
  std::int64_t count = 0;
  Traffic stored{};
};
Parameters count_parameters(const Program& program);

}  // namespace benanza::onnx
