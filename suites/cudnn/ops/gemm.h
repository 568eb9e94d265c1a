#pragma once

#include <vector>

#include "core/problem/problem.h"
#include "suites/cudnn/primitive/graph_call.h"

namespace benanza::cudnn {

/// Returns graphs of one matrix product with its epilogue and steps. Throws Unsupported for a
/// product without any, which is left to cuBLAS, in 8 bits, and if an operand is broadcast along
/// only some axes of the batch.
std::vector<GraphCall> gemm_graphs(const Gemm& shape, const harness::Variant& variant);

}  // namespace benanza::cudnn
