#pragma once

#include <vector>

#include "core/problem/ops/select.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// Returns one graph with the condition in the variant's precision, as comparisons here produce it,
/// and one with a byte per boolean, as frameworks store it. Throws Unsupported at int8.
std::vector<GraphCall> select_graphs(const Select& shape, const harness::Variant& variant);

}  // namespace benanza::cudnn
