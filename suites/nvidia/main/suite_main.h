#pragma once

#include <functional>
#include <memory>

#include "suites/harness/backend.h"
#include "suites/nvidia/run/context.h"

namespace benanza {

using MakeCudaBackend = std::function<std::unique_ptr<Backend>(CudaContext&)>;

/// main() of an NVIDIA suite: takes the CUDA flags, opens the GPU, waits until no other suite
/// measures on it, and hands over to `bench`. Where there is no GPU: one line on stderr, and 77.
/// Any other error: one line, and 1.
int cuda_suite_main(int argc, char** argv, const MakeCudaBackend& make,
                    const std::function<int(int, char**, Backend&)>& bench);

}  // namespace benanza
