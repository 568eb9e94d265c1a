#pragma once

#include <vector>

#include "generator/lowered/lowered.h"
#include "generator/onnx/model/program.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {

/// What every run of the program must read and write, however it is executed. `layers` are those of
/// the program's steps, in the same order. A lower bound: what is uncertain is left out.
///   inputs   model inputs that a library call reads in full (not a table of which it reads rows),
///            or of which a layer without a call says so (LoweredLayer::reads_whole)
///   weights  constant factors of products, each once even if several layers use it; not constants
///            that can be folded into them when the model is loaded (biases, normalizations); of
///            those of experts, the ones that a token needs
///   outputs  model outputs that a library call or a movement produces, or
///            LoweredLayer::writes_whole; of caches that grow in their own memory (Call::in_place)
///            the new rows
Compulsory compulsory(const Program& program, const std::vector<LoweredLayer>& layers,
                      const OperatorTable& operators);

}  // namespace benanza::onnx
