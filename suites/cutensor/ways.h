#pragma once

#include "suites/cutensor/library.h"
#include "suites/harness/way_table.h"

namespace benanza::cutensor {

using WayTable = harness::WayTable<Library>;

/// The ways of all files in ops/: X.cpp defines register_X(WayTable&).
WayTable way_table();

}  // namespace benanza::cutensor
