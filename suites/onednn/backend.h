#pragma once

#include <memory>

#include "suites/harness/backend.h"

namespace benanza {

/// oneDNN on the host's processors, with as many threads as OpenMP gives.
std::unique_ptr<Backend> make_onednn_backend();

}  // namespace benanza
