#pragma once

#include "suites/harness/solver.h"

namespace benanza::eigen {

/// Eigen computes on the host and needs no handle.
struct Library {};

using SolverTable = harness::SolverTable<Library>;

/// The solvers of all files in ops/: X.cpp defines register_X(SolverTable&).
SolverTable solvers();

}  // namespace benanza::eigen
