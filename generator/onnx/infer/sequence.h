#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// Tracks the tensors in sequences: records what the step puts into one (Value::sequence), and
/// completes the types of what it takes out. Records nothing if positions are known only when the
/// model runs, or if the contents of a sequence are unknown.
void follow_sequences(const Step& step, std::vector<::onnx::TypeProto>& types);

/// The result of a SequenceLength step, if the length is known; empty for other steps.
std::optional<std::int64_t> sequence_length(const Step& step);

}  // namespace benanza::onnx
