#pragma once

#include "suites/cusparse/library.h"

namespace benanza::cusparse {

using SolverTable = harness::SolverTable<Library>;

/// The solvers of all files in ops/: X.cpp defines register_X(SolverTable&).
SolverTable solvers();

}  // namespace benanza::cusparse
