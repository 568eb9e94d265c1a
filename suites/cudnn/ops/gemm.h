#pragma once

#include <vector>

#include "core/problem/problem.h"
#include "suites/cudnn/primitive/graph_solver.h"

namespace benanza::cudnn {

/// One matrix product, its epilogue and its steps as a graph. Throws Unsupported for a product
/// without any, which cuBLAS does as well, in 8 bits, and where an operand is repeated for some
/// axes of the batch only.
std::vector<GraphCall> gemm_graphs(const Gemm& shape, const harness::Variant& variant);

}  // namespace benanza::cudnn
