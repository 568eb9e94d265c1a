#pragma once

#include <memory>

#include "suites/harness/backend.h"

namespace benanza::eigen {

/// Products with sparse matrices on the host's processors; other problems leave no row. Eigen is
/// headers: what is measured is what the compiler of this build made of them.
std::unique_ptr<harness::Backend> make_backend();

}  // namespace benanza::eigen
