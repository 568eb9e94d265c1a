#pragma once

#include <string>
#include <vector>

#include "core/problem/ops/binary.h"
#include "generator/lowered/lowered.h"
#include "generator/onnx/operators/shared/views.h"

/// The calls that several operators are made of.
namespace benanza::onnx {

inline Source from_input(int index, float scale = 1) { return {Source::Kind::input, index, scale}; }
inline Source from_call(int index) { return {Source::Kind::call, index, 1}; }
inline Source from_attribute() { return {Source::Kind::attribute, 0, 1}; }

inline Call call(Shape shape, std::vector<Source> operands) {
  return {.problem = {std::move(shape), {}}, .operands = std::move(operands)};
}

/// A call that moves view `from` of input 0 to view `to` of output `output`; equal extents.
Call copy_call(const View& from, const View& to, int output = 0);

/// A copy of `elements` in one run, as many as the node moves from input `input`, where which ones
/// is known only when the model runs: again and again the first one if the input has fewer.
Call proxy_copy(const NodeView& node, std::int64_t elements, int input = 0);

/// An operand of an elementwise call.
struct ElementwiseOperand {
  Dims dims;
  bool constant = false;
  Source source;
};

/// The call that combines `a` and `b`: ranks made equal by leading ones, and, where the function
/// commutes, the operand that is broadcast or constant second.
Call elementwise_call(BinaryKind kind, ElementwiseOperand a, ElementwiseOperand b);

/// Extents of tensors broadcast against each other; throws Error if they do not fit.
Dims broadcast_dims(const Dims& a, const Dims& b);

/// Which inputs of a node are the operands of its product.
struct Factors {
  std::size_t first = 0;
  std::size_t second = 1;
};

/// The convolution that a node's attributes and the extents of its data and weights ask for,
/// without a bias. Throws Error where they do not fit each other.
Call convolution_call(const NodeView& node, Factors factors);

/// The call that adds input `index` of the node, one value per filter, to a convolution's result of
/// extents `output`. Throws Error where the numbers differ.
Call filter_bias(const NodeView& node, std::size_t index, const Dims& output, Source result);

/// A product of batches of matrices, as MatMul: batches broadcast, a vector is a row or a column.
/// `transpose_a`, `transpose_b`: the last two axes are stored the other way round.
Call matmul_call(const NodeView& node, Factors factors, bool transpose_a = false,
                 bool transpose_b = false);

/// The same for operands of which extents and sources are given.
Call product_call(Dims a, Source a_source, Dims b, Source b_source, bool constant_b,
                  bool transpose_a = false, bool transpose_b = false);

/// The result of the last of `calls`.
Source last_result(const std::vector<Call>& calls);

/// Adds the function that attribute "activation" of ONNX Runtime's fused operators names.
void add_activation(const NodeView& node, const std::vector<float>& parameters,
                    std::vector<Call>& calls);

}  // namespace benanza::onnx
