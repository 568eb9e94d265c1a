#pragma once

#include <map>
#include <vector>

#include "core/problem/least_work.h"
#include "generator/lowered/lowered.h"
#include "generator/onnx/model/program.h"

/// What layers read at least of tensors that they do not read whole.
namespace benanza::onnx {

/// Whether the step may have nothing to do: what picks its elements may find none.
bool may_be_empty(const Program& program, const Step& step);

/// By tensor the largest known part of it that a layer reads. Tensors without elements have none.
using Parts = std::map<const Value*, PartRead>;
void add_part(Parts& parts, const Value* value, const PartRead& part);

/// Adds so much of what the file stores of `value`.
void add_share(const Program& program, const Value& value, const Share& share, Parts& parts);

/// Adds to `parts` what is picked at least of each constant of which `value` shows slices, as
/// models that look experts up have.
void add_picked(const Program& program, const Value& value, Parts& parts);

/// The stored tensors of which layers read parts, and the largest.
Parts parts_of_weights(const Program& program, const std::vector<LoweredLayer>& layers);

/// The known parts of the model's inputs that layers read.
Parts parts_of_inputs(const Program& program, const std::vector<LoweredLayer>& layers);

}  // namespace benanza::onnx
