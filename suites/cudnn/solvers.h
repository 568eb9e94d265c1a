#pragma once

#include "core/problem/problem.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/solver.h"

namespace benanza::cudnn {

using SolverTable = harness::SolverTable<Library>;

/// The solvers of all operators: every ops/X.cpp and ops/X/X.cpp defines register_X(SolverTable&).
/// Plain matrix products are left to cuBLAS.
SolverTable solvers();

}  // namespace benanza::cudnn
