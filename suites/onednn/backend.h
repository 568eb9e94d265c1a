#pragma once

#include <memory>

#include "suites/harness/backend.h"
#include "suites/onednn/options.h"

namespace benanza::onednn {

/// Makes the backend of oneDNN on the host's CPUs, with as many threads as OpenMP provides.
std::unique_ptr<harness::Backend> make_backend(const CpuOptions& options = {});

}  // namespace benanza::onednn
