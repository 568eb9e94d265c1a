#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/problem/ops/binary.h"
#include "generator/lowered/lowered.h"
#include "generator/onnx/model/node_view.h"

/// Calls shared by several operators.
namespace benanza::onnx {

/// A strided view of a dense tensor: element i0, i1, ... is at offset + sum(i * strides).
struct View {
  Dims dims;
  Dims strides;
  std::int64_t offset = 0;
};

/// Flat positions of a view's elements, in row-major order.
std::vector<std::int64_t> positions(const View& view);

/// `dims`, dense, broadcast to `target` by the rules of ONNX. Throws Error if it does not fit.
View broadcast_view(const Dims& dims, const Dims& target);

/// All of a dense tensor.
View dense_view(const Dims& dims);

/// The elements of `literal` at flat positions `from`.
Literal pick(const Literal& literal, const std::vector<std::int64_t>& from);

/// 0, 1, ... rank - 1.
Dims all_axes(std::size_t rank);

/// `value`, which must not be negative, as an index.
inline std::size_t at(std::int64_t value) { return static_cast<std::size_t>(value); }

/// A rotary embedding of the first elements of every row, of which the rest is passed on.
struct Rotation {
  /// Four axes, rows last.
  Dims rows = {};
  /// As Rotary::table, with an entry per point: half of what is rotated of a row.
  Dims table = {};
  bool interleaved = false;

  /// The rotation and, if it leaves a rest, the copy of the rest; `operands` are the rows, the
  /// cosines and the sines. Throws Error if the rows are shorter than what is rotated of them.
  std::vector<Call> calls(const std::vector<Source>& operands) const;
};

template <std::integral Index>
Source from_input(Index index, float scale = 1) {
  return {Source::Kind::input, static_cast<int>(index), scale};
}
template <std::integral Index>
Source from_call(Index index) {
  return {Source::Kind::call, static_cast<int>(index), 1};
}
inline Source from_attribute(int index) { return {Source::Kind::attribute, index, 1}; }
inline Source from_numbers(std::vector<float> numbers) {
  return {.kind = Source::Kind::attribute, .index = Source::stated, .numbers = std::move(numbers)};
}

inline Call call(Shape shape, std::vector<Source> operands) {
  return {.problem = {std::move(shape), {}}, .operands = std::move(operands)};
}

/// A function of every element of `x`, which has extents `dims`.
inline Call function_call(Dims dims, ActivationKind kind, Source x, float alpha = 0,
                          float beta = 0) {
  return call(Activation{.input = std::move(dims), .kind = kind, .alpha = alpha, .beta = beta},
              {std::move(x)});
}

/// Copies view `from` of input 0 to view `to` of output `output`. Both have the same extents.
Call copy_call(const View& from, const View& to, int output = 0);

/// A contiguous copy of `elements` elements from input `input`, standing for a node that moves as
/// many but chooses which ones when the model runs. Repeats the first element if the input has
/// fewer.
Call proxy_copy(const NodeView& node, std::int64_t elements, int input = 0);

struct ElementwiseOperand {
  Dims dims;
  bool constant = false;
  Source source;
};

/// Input `index` of the node, with extents `dims` or its own.
ElementwiseOperand operand_of(const NodeView& node, std::size_t index, Dims dims);
ElementwiseOperand operand_of(const NodeView& node, std::size_t index);

/// Combines `a` and `b`. Ranks are made equal with leading ones; if the function commutes, the
/// broadcast or constant operand comes second.
Call elementwise_call(BinaryKind kind, ElementwiseOperand a, ElementwiseOperand b);

/// Extents of two tensors broadcast to each other; throws Error if they do not fit.
Dims broadcast_dims(const Dims& a, const Dims& b);

/// Whether a product's data of this type are unsigned bytes (Domain::unsigned_bytes).
bool are_unsigned_bytes(int type);

/// The inputs of a node that are the operands of its product.
struct Factors {
  std::size_t first = 0;
  std::size_t second = 1;
};

/// The convolution given by a node's attributes and the extents of its data and weights, without
/// bias. Throws Error if they do not fit each other.
Call convolution_call(const NodeView& node, Factors factors);
/// The same for data of extents `input` (n, c, spatial extents) and weights of extents `weights` in
/// the order of Conv.
Call convolution_call(const NodeView& node, Factors factors, const Dims& input,
                      const Dims& weights);

/// Adds input `index` of the node, one value per filter, to a convolution's result of extents
/// `output`. Throws Error if the input has another shape.
Call filter_bias(const NodeView& node, std::size_t index, const Dims& output, Source result);

/// A batched matrix product with the rules of MatMul: batches broadcast, a vector is a row or a
/// column. `transpose_a`, `transpose_b`: the last two axes are stored in reverse order.
Call matmul_call(const NodeView& node, Factors factors, bool transpose_a = false,
                 bool transpose_b = false);

/// As matmul_call(), for operands with the given extents and sources.
Call product_call(Dims a, Source a_source, Dims b, Source b_source, bool constant_b,
                  bool transpose_a = false, bool transpose_b = false);

Source last_result(const std::vector<Call>& calls);
/// Appends the call; its result.
Source add_call(std::vector<Call>& calls, Call call);

/// Attributes "activation_alpha" and "activation_beta", as far as the node has them.
std::vector<float> activation_parameters(const NodeView& node);

/// Appends the activation named by attribute "activation" of ONNX Runtime's fused operators, if
/// any.
void add_activation(const NodeView& node, const std::vector<float>& parameters,
                    std::vector<Call>& calls);

}  // namespace benanza::onnx
