#pragma once

#include <vector>

#include "core/problem/ops/concat.h"
#include "core/problem/ops/copy.h"
#include "suites/cudnn/api/shape.h"

namespace benanza::cudnn {

/// One cudnnTransformTensor: the box `from` of an input becomes the box `to` of the result.
struct Move {
  std::size_t input = 0;
  nvidia::TensorFormat from;
  Part to;
};

/// One move; axes of extent 1 come first until there are 4. Throws Unsupported for a view that
/// repeats elements (a step of 0), which cuDNN's descriptors refuse.
std::vector<Move> map_movement(const Copy& shape, Precision precision, Layout layout);
/// One move for every part.
std::vector<Move> map_movement(const Concat& shape, Precision precision, Layout layout);

}  // namespace benanza::cudnn
