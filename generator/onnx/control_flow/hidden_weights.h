#pragma once

#include <set>
#include <vector>

#include "generator/onnx/model/program.h"

namespace benanza::onnx {

/// Weights that the products in a body read.
struct HiddenWeights {
  /// Of the graph around the body.
  std::set<const Value*> outer = {};
  /// Of the body itself.
  std::vector<Tensor> own = {};
};

/// Those of a Loop, Scan or SequenceMap, and of loops in it, and of the model that a search for
/// tokens runs first; of an If what both branches read, and the own ones of the branch with fewer.
HiddenWeights hidden_weights(const Step& step);

}  // namespace benanza::onnx
