#pragma once

#include "core/problem/problem.h"
#include "suites/cublas/library.h"
#include "suites/harness/solver.h"

namespace benanza::cublas {

using SolverTable = harness::SolverTable<Library>;

/// Of every file of ops/, in the order of their names: X.cpp defines register_X(SolverTable&). What
/// a caller of cuBLAS gets first comes first, then what can be chosen.
SolverTable solvers();

/// All are matrix products, and have no layout but the plain one.
inline std::vector<Layout> plain_layout(const Gemm&) { return {Layout::plain}; }

}  // namespace benanza::cublas
