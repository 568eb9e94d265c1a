#pragma once

#include <memory>

#include "suites/harness/backend.h"
#include "suites/onednn/options.h"

namespace benanza::onednn {

/// oneDNN on the host's processors, with as many threads as OpenMP gives.
std::unique_ptr<harness::Backend> make_backend(const CpuOptions& options = {});

}  // namespace benanza::onednn
