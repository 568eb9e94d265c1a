#pragma once

#include <vector>

#include "core/problem/ops/rotary.h"
#include "suites/cudnn/primitive/graph_solver.h"

namespace benanza::cudnn {

/// One graph with two results, the halves of every row, where they are in memory. The library takes
/// strided tensors of three axes only: throws Unsupported where the tables leave more.
std::vector<GraphCall> rotary_graphs(const Rotary& shape, const harness::Variant& variant);

}  // namespace benanza::cudnn
