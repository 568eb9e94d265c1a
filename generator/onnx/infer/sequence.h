#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// Follows the tensors of sequences: notes what the step puts into one (Program::sequences), and
/// completes the types of what it takes out of one. Where places are only known when the model
/// runs, or a sequence comes from elsewhere, nothing is noted.
void follow_sequences(Program& program, const Step& step, std::vector<::onnx::TypeProto>& types);

/// How many tensors the sequence holds that SequenceLength of `step` asks for, where it is known.
std::optional<std::int64_t> sequence_length(const Program& program, const Step& step);

}  // namespace benanza::onnx
