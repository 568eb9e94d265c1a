#pragma once

#include "suites/harness/way_table.h"

namespace benanza::example {

/// A library that computes on the host and needs no handle.
struct Library {};

using WayTable = harness::WayTable<Library>;

/// The ways of all files of ops/: X.cpp defines register_X(WayTable&).
WayTable way_table();

}  // namespace benanza::example
