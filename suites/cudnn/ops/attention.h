#pragma once

#include <vector>

#include "core/problem/ops/attention.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// Returns a graph of its parts, a pattern that the library recognizes; of few queries a second
/// one, and one of a single operation. Problem::packed is not looked at.
std::vector<GraphCall> attention_graphs(const Attention& shape, const harness::Variant& variant);

/// Whether one query's heads with the same keys can be the queries of one head, which see all keys.
bool heads_can_be_queries(const Attention& shape);
/// Elements of a head: with more, at fp8, the library's engines for few queries end in an illegal
/// access (9.19, H200: 8 sequences, 2 queries, 2,048 keys, heads of 256).
inline constexpr std::int64_t most_fp8_elements = 128;
/// The pattern with heads as queries, in the same memory: at fp8, no engine for Hopper takes single
/// queries (9.19).
GraphCall heads_as_queries(const Attention& shape, const harness::Variant& variant);

/// `scores` where the row's index is not below the column's, counted from the last row and column,
/// the lowest float elsewhere.
OperationGraph::Id lower_triangle(OperationGraph& graph, const Dims& dims,
                                  OperationGraph::Id scores);

/// `scores` where the column's index plus `window` is above the row's, both counted from the last,
/// the lowest float elsewhere.
OperationGraph::Id last_keys(OperationGraph& graph, const Dims& dims, std::int64_t window,
                             OperationGraph::Id scores);

}  // namespace benanza::cudnn
