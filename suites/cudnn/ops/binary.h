#pragma once

#include <cudnn.h>

#include <cstddef>
#include <vector>

#include "core/problem/ops/binary.h"
#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/primitive/elementwise_graph.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {

/// Whether the library gets the tensors' own axes, or as few axes as the memory order allows.
enum class Folding { none, folded };

/// result = op(full_factor * inputs[full], other_factor * inputs[other]), where `full` has the
/// result's extents and `other` is broadcast to them.
struct BinaryCall {
  cudnnOpTensorOp_t op = CUDNN_OP_TENSOR_ADD;
  std::size_t full = 0;
  std::size_t other = 1;
  float full_factor = 1;
  float other_factor = 1;
  nvidia::TensorFormat full_format;
  nvidia::TensorFormat other_format;
};

/// Maps a difference to a sum with a factor of -1. Operands with more than 5 axes are always
/// folded. Throws Unsupported for div and prelu, and if both operands are broadcast.
BinaryCall map_binary(const Binary& shape, Precision precision, Layout layout, Folding folding);

/// Returns a call whose result is `factor` (above zero) times this one's.
BinaryCall scaled(BinaryCall call, float factor);

/// Returns "op_tensor" (a new result) for all operations and "add_tensor" (in place, as frameworks
/// add a bias) for sums and differences; each also with ".folded" if the channels are innermost and
/// one operand is broadcast, where the library is slow unless it gets a matrix.
struct BinaryAlgorithm {
  harness::Algorithm name;
  bool in_place = false;
  Folding folding = Folding::none;
};
std::vector<BinaryAlgorithm> binary_algorithms(const Binary& shape, Layout layout);

/// Returns one pointwise graph; for a comparison two, with two ways of storing its booleans as
/// numbers. Throws Unsupported if the library does not have the operation.
std::vector<GraphCall> binary_graphs(const Binary& shape, const harness::Variant& variant);

}  // namespace benanza::cudnn
