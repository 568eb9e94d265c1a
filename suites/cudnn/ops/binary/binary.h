#pragma once

#include <cudnn.h>

#include <cstddef>
#include <vector>

#include "core/problem/ops/binary.h"
#include "suites/cudnn/api/shape.h"
#include "suites/cudnn/primitive/elementwise_graph.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {

/// Whether the library sees the tensors' own axes, or as few axes as the memory allows.
enum class Folding { none, folded };

/// result = op(full_factor * inputs[full], other_factor * inputs[other]), where the extents of
/// `full` are the result's and `other` is broadcast to them.
struct BinaryCall {
  cudnnOpTensorOp_t op = CUDNN_OP_TENSOR_ADD;
  std::size_t full = 0;
  std::size_t other = 1;
  float full_factor = 1;
  float other_factor = 1;
  nvidia::TensorFormat full_format;
  nvidia::TensorFormat other_format;
};

/// A difference is a sum with a factor of -1. Operands with more than 5 axes are always folded.
/// Throws Unsupported for div and prelu, and where both operands are broadcast.
BinaryCall map_binary(const Binary& shape, Precision precision, Layout layout, Folding folding);

/// The call whose result is `factor` (above zero) times this one's.
BinaryCall scaled(BinaryCall call, float factor);

/// "op_tensor" (a new result) for all; "add_tensor" (in place, as frameworks add a bias) for sums
/// and differences; each with ".folded" where the channels lie innermost and one operand is
/// broadcast: the library is slow there unless it is shown a matrix.
std::vector<harness::Algorithm> binary_algorithms(const Binary& shape, Layout layout);

/// Extents of `full` and of `other`, which is broadcast to it, both row-major, with neighbouring
/// axes merged that are broadcast alike.
struct MergedDims {
  Dims full;
  Dims other;
};
MergedDims merge_broadcast(const Dims& full, const Dims& other);

/// One graph, of the library's functions of every element. Throws Unsupported where it has none.
std::vector<GraphCall> binary_graphs(const Binary& shape, const harness::Variant& variant);

}  // namespace benanza::cudnn
