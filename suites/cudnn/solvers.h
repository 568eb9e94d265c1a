#pragma once

#include "core/problem/problem.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/solver.h"

namespace benanza::cudnn {

using SolverTable = harness::SolverTable<Library>;

/// Of every file X.cpp of ops/ and every ops/X/X.cpp: it defines register_X(SolverTable&). Matrix
/// products belong to cuBLAS.
SolverTable solvers();

}  // namespace benanza::cudnn
