#pragma once

#include <cudnn.h>

#include <cstddef>

#include "cudnn/shape.h"
#include "problem/ops/binary.h"

namespace benanza::cudnn {

/// result = op(full_factor * inputs[full], other_factor * inputs[other]), where the extents of
/// `full` are the result's and `other` is broadcast to them.
struct BinaryCall {
  cudnnOpTensorOp_t op = CUDNN_OP_TENSOR_ADD;
  std::size_t full = 0;
  std::size_t other = 1;
  float full_factor = 1;
  float other_factor = 1;
  TensorFormat full_format;
  TensorFormat other_format;
};

/// A difference is a sum with a factor of -1. More than 5 axes are merged where neighbours are
/// broadcast alike. Throws Unsupported for div and prelu, and where both operands are broadcast.
BinaryCall map_binary(const Binary& shape, Precision precision, Layout layout);

/// Extents of `full` and of `other`, which is broadcast to it, with neighbouring axes merged where
/// the row-major order of both allows it.
struct MergedDims {
  Dims full;
  Dims other;
};
MergedDims merge_broadcast(const Dims& full, const Dims& other);

}  // namespace benanza::cudnn
