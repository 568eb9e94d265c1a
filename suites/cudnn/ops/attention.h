#pragma once

#include <vector>

#include "core/problem/ops/attention.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// Returns a graph of its parts, a pattern that the library recognizes; of few queries a second
/// one, and one of a single operation. At fp8, the last one takes single queries. Problem::packed
/// is not looked at.
std::vector<GraphCall> attention_graphs(const Attention& shape, const harness::Variant& variant);

/// `scores` where the row's index is not below the column's, counted from the last row and column,
/// the lowest float elsewhere.
OperationGraph::Id lower_triangle(OperationGraph& graph, const Dims& dims,
                                  OperationGraph::Id scores);

/// `scores` where the column's index plus `window` is above the row's, both counted from the last,
/// the lowest float elsewhere.
OperationGraph::Id last_keys(OperationGraph& graph, const Dims& dims, std::int64_t window,
                             OperationGraph::Id scores);

}  // namespace benanza::cudnn
