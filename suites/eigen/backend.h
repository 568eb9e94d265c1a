#pragma once

#include <memory>

#include "suites/harness/backend.h"
#include "suites/harness/way_table.h"

namespace benanza::eigen {

/// Eigen computes on the host and needs no handle.
struct Library {};

using WayTable = harness::WayTable<Library>;

/// The ways of all files in ops/: X.cpp defines register_X(WayTable&).
WayTable way_table();

/// Products with sparse matrices on the host CPU; other problems get no row. Eigen is header-only,
/// so the measured code is what this build's compiler made of it.
std::unique_ptr<harness::Backend> make_backend();

}  // namespace benanza::eigen
