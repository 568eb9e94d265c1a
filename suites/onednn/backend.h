#pragma once

#include <memory>

#include "suites/harness/backend.h"

namespace benanza::onednn {

/// oneDNN on the host's processors, with as many threads as OpenMP gives.
std::unique_ptr<harness::Backend> make_backend();

}  // namespace benanza::onednn
