#pragma once

#include <vector>

#include "core/problem/ops/attention.h"
#include "suites/cudnn/primitive/graph_solver.h"

namespace benanza::cudnn {

/// Its parts, as a pattern that the library knows, and one operation for all of it.
std::vector<GraphCall> attention_graphs(const Attention& shape, const harness::Variant& variant);

}  // namespace benanza::cudnn
