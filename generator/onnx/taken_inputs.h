#pragma once

#include "generator/lowered/lowered.h"
#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// LoweredGraph::taken: the model's inputs that reach LoweredLayer::taken with their values
/// unchanged; if layers differ, the largest. Adds a warning if there are any. The graph's layers
/// are those of the program's steps.
void note_taken_inputs(const Program& program, LoweredGraph& graph);

}  // namespace benanza::onnx
