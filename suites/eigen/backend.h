#pragma once

#include <memory>

#include "suites/harness/backend.h"

namespace benanza::eigen {

/// Products with sparse matrices on the host CPU; other problems get no row. Eigen is header-only,
/// so the measured code is what this build's compiler made of it.
std::unique_ptr<harness::Backend> make_backend();

}  // namespace benanza::eigen
