#pragma once

#include "core/problem/problem.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/way_table.h"

namespace benanza::cudnn {

using WayTable = harness::WayTable<Library>;

/// The ways of all operators: every ops/X.cpp and ops/X/X.cpp defines register_X(WayTable&). Plain
/// matrix products are left to cuBLAS.
WayTable way_table();

}  // namespace benanza::cudnn
