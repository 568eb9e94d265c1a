#pragma once

#include <vector>

#include "core/problem/ops/rotary.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// Returns one graph with two results, the halves of every row, stored in place as parts of the
/// row. The library supports strided tensors of three axes only: throws Unsupported if the tables
/// need more.
std::vector<GraphCall> rotary_graphs(const Rotary& shape, const harness::Variant& variant);

}  // namespace benanza::cudnn
