#pragma once

#include <vector>

#include "core/problem/ops/attention_gradient.h"
#include "suites/cudnn/primitive/graph_solver.h"

namespace benanza::cudnn {

/// Returns a graph of the gradient's parts, a pattern that the library recognizes.
std::vector<GraphCall> attention_gradient_graphs(const AttentionGradient& shape,
                                                 const harness::Variant& variant);

/// The graph for fp8, without an added mask.
GraphCall attention_gradient_of_8_bits(const AttentionGradient& shape,
                                       const harness::Variant& variant);

/// A call that has the gradient's operands, K and V as columns, but no operation and no result.
GraphCall attention_gradient_operands(const AttentionGradient& shape, Precision precision,
                                      cudnnDataType_t type);
/// Dense tensors: the gradients of Q, K and V.
std::vector<nvidia::TensorFormat> attention_gradient_results(const AttentionGradient& shape,
                                                             Precision precision);

/// The same memory with the last two axes swapped.
nvidia::TensorFormat with_axes_swapped(nvidia::TensorFormat format);

}  // namespace benanza::cudnn
