#pragma once

#include <vector>

#include "core/problem/ops/cast.h"
#include "core/problem/ops/layer_normalization_gradient.h"
#include "core/problem/ops/reduction.h"
#include "core/problem/ops/rotary.h"
#include "core/problem/ops/select.h"
#include "core/problem/problem.h"
#include "suites/cudnn/primitive/graph_call.h"

// The graphs of operators whose files declare nothing else.
namespace benanza::cudnn {

/// Returns one pointwise graph of a batch normalization with constant statistics, and its steps.
std::vector<GraphCall> batch_normalization_graphs(const BatchNormalization& shape,
                                                  const harness::Variant& variant);

/// Returns one graph of the identity between tensors of two types. Throws Unsupported if both types
/// are the same.
std::vector<GraphCall> cast_graphs(const Cast& shape, const harness::Variant& variant);

/// Returns graphs of one matrix product with its epilogue and steps. Throws Unsupported for a
/// product without any, which is left to cuBLAS, in 8 bits, and if an operand is broadcast along
/// only some axes of the batch.
std::vector<GraphCall> gemm_graphs(const Gemm& shape, const harness::Variant& variant);

/// Returns graphs of the library's gradient of a layer or RMS normalization, with statistics in
/// fp32. It always scales (by ones if the problem does not) and always computes the gradients of
/// scale and, except for RMS, of bias (ignored if the problem does not have them). In half
/// precision a second graph ("fp32vectors.") has scale and the vectors' gradients in fp32. Throws
/// Unsupported at int8.
std::vector<GraphCall> layer_normalization_gradient_graphs(const LayerNormalizationGradient& shape,
                                                           const harness::Variant& variant);

/// A sum, a mean or a norm as one graph: the elements, their magnitudes or squares, multiplied by
/// ones, and the root or the scale behind it. The reduced axes must be adjacent in memory. Squares
/// are rounded to the data's type. Throws Unsupported for other reductions, at 8 bits, and if
/// anything follows the reduction.
std::vector<GraphCall> reduction_graphs(const Reduction& shape, const harness::Variant& variant);

/// One elementwise call that reduces what it computes, whose result the library stores as fp32: of
/// rows, or of all columns. Throws Unsupported for other axes, and for results that are no plain
/// sum, maximum or minimum in fp32.
std::vector<GraphCall> reduced_graphs(const Reduction& shape, const harness::Variant& variant);

/// The same, and an elementwise call that takes the root or converts the result.
std::vector<GraphCall> reduced_sequences(const Reduction& shape, const harness::Variant& variant);

/// Returns one graph with two results, the halves of every row, stored in place as parts of the
/// row. The library supports strided tensors of three axes only: throws Unsupported if the tables
/// need more.
std::vector<GraphCall> rotary_graphs(const Rotary& shape, const harness::Variant& variant);

/// Returns one graph with the condition in the variant's precision, as comparisons here produce it,
/// and one with a byte per boolean, as frameworks store it. Throws Unsupported at int8.
std::vector<GraphCall> select_graphs(const Select& shape, const harness::Variant& variant);

}  // namespace benanza::cudnn
