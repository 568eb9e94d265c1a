#pragma once

#include "suites/harness/way_table.h"

namespace benanza::eigen {

/// Eigen computes on the host and needs no handle.
struct Library {};

using WayTable = harness::WayTable<Library>;

/// The ways of all files in ops/: X.cpp defines register_X(WayTable&).
WayTable way_table();

}  // namespace benanza::eigen
