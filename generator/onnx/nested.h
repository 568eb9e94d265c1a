#pragma once

#include <onnx/onnx_pb.h>

#include <functional>

#include "generator/onnx/program.h"

namespace benanza::onnx {

/// Shapes of a program, which a model was made for; the latter's statements count.
using InferProgram = std::function<void(Program&, const ::onnx::ModelProto&)>;

/// Where bodies of the step's node (If, Loop, Scan) do not state the shapes of what they make, runs
/// inference over the bodies and lets the step's node state them. What is assumed inside becomes
/// the program's. A body that makes no sense, or whose shapes change from round to round, states
/// nothing.
void state_body_outputs(Program& program, Step& step, const InferProgram& infer);

}  // namespace benanza::onnx
