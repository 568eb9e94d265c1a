#pragma once

#include <vector>

#include "core/problem/ops/cast.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// Returns one graph of the identity between tensors of two types. Throws Unsupported if both types
/// are the same.
std::vector<GraphCall> cast_graphs(const Cast& shape, const harness::Variant& variant);

}  // namespace benanza::cudnn
