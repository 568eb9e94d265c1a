#pragma once

#include "suites/cutensor/library.h"

namespace benanza::cutensor {

using SolverTable = harness::SolverTable<Library>;

/// The solvers of all files in ops/: X.cpp defines register_X(SolverTable&).
SolverTable solvers();

}  // namespace benanza::cutensor
