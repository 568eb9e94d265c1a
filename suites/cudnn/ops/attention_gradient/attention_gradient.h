#pragma once

#include <vector>

#include "core/problem/ops/attention_gradient.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// Returns a graph of the gradient's parts, a pattern that the library recognizes.
std::vector<GraphCall> attention_gradient_graphs(const AttentionGradient& shape,
                                                 const harness::Variant& variant);

}  // namespace benanza::cudnn
