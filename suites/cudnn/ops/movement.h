#pragma once

#include <vector>

#include "core/problem/ops/concat.h"
#include "core/problem/ops/copy.h"
#include "suites/cudnn/api/descriptors.h"

namespace benanza::cudnn {

/// The same copy with its axes in the memory order of the result, merged where they can be.
Copy in_order_of_result(const Copy& shape);

/// One cudnnTransformTensor call: copies the box `from` of an input to the box `to` of the result.
struct Move {
  std::size_t input = 0;
  nvidia::TensorFormat from;
  Part to;
};

/// Returns one move, with axes of extent 1 added in front up to 4. Throws Unsupported for a view
/// that repeats elements (a stride of 0), which cuDNN's descriptors refuse.
std::vector<Move> map_movement(const Copy& shape, Precision precision, Layout layout);
/// Returns one move for each part.
std::vector<Move> map_movement(const Concat& shape, Precision precision, Layout layout);

}  // namespace benanza::cudnn
