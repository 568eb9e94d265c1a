#pragma once

#include <vector>

#include "core/problem/ops/reduction.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// A sum, a mean or a norm as one graph: the elements, their magnitudes or squares, multiplied by
/// ones, and the root or the scale behind it. The reduced axes must be adjacent in memory. Squares
/// are rounded to the data's type. Throws Unsupported for other reductions, at 8 bits, and if
/// anything follows the reduction.
std::vector<GraphCall> reduction_graphs(const Reduction& shape, const harness::Variant& variant);

}  // namespace benanza::cudnn
