#pragma once

#include "generator/onnx/lowering.h"

namespace benanza::onnx {

/// Which inputs of a node are the operands of its product.
struct Factors {
  std::size_t first = 0;
  std::size_t second = 1;
};

/// The convolution that a node's attributes and the extents of its data and weights ask for,
/// without a bias. Throws Error where they do not fit each other.
Call convolution_call(const Site& site, Factors factors);

/// A product of batches of matrices, as MatMul: batches broadcast, a vector is a row or a column.
/// `transpose_a`, `transpose_b`: the last two axes are stored the other way round.
Call matmul_call(const Site& site, Factors factors, bool transpose_a = false,
                 bool transpose_b = false);

/// The same for operands of which extents and sources are given.
Call product_call(Dims a, Source a_source, Dims b, Source b_source, bool constant_b,
                  bool transpose_a = false, bool transpose_b = false);

namespace lower {

/// alpha * op(A) op(B) + beta * C. A factor of a constant operand goes into that operand when the
/// model is loaded; any other factor but 1 is a call of its own.
Lowered gemm(const Site& site);

}  // namespace lower

}  // namespace benanza::onnx
