#pragma once

#include <vector>

#include "core/problem/ops/copy.h"
#include "suites/cudnn/primitive/graph_solver.h"

namespace benanza::cudnn {

/// One identity operation between two orders of the same elements. A stride of 0, which repeats an
/// element, becomes a broadcast axis of extent 1. Throws Unsupported at 8 bits.
std::vector<GraphCall> copy_graphs(const Copy& shape, const harness::Variant& variant);

}  // namespace benanza::cudnn
