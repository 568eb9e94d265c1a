#pragma once

#include "generator/lowered/lowered.h"

namespace benanza::onnx {

/// Removes from an operator of attention the sums with masks that hide nothing (Read), and its work
/// of them.
void drop_idle_masks(LoweredLayer& layer);

}  // namespace benanza::onnx
