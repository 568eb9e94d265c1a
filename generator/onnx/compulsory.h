#pragma once

#include <vector>

#include "generator/lowered/lowered.h"
#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// What every run of the program reads and writes, whoever runs it; `layers` are those of the
/// program's steps, in their order. In doubt less:
///   inputs   those of the model that a library call reads whole (a table's rows, say, are not)
///   weights  constants that products multiply by, each once however many layers use it; not what
///            can be folded into those when the model is loaded (biases, normalizations)
///   outputs  those of the model that a library call or a movement makes
Compulsory compulsory(const Program& program, const std::vector<LoweredLayer>& layers);

}  // namespace benanza::onnx
