#pragma once

#include <functional>
#include <memory>

#include "suites/harness/backend.h"
#include "suites/harness/program/bench_main.h"
#include "suites/nvidia/run/context.h"

namespace benanza::nvidia {

/// Measures the device's peaks on random values and on zeros: the arithmetic peak of every
/// supported precision, from large matrix products of `products`, whose primitives must be
/// CudaPrimitives, and the bandwidth. Every NVIDIA suite checks its measurements against them.
/// Takes a second or two. Throws what CUDA and the library's calls throw, unless something is
/// unsupported or does not fit in memory: that peak then stays unknown.
harness::Peaks measure_peaks(CudaContext& context, harness::Backend& products);

using MakeBackend = std::function<std::unique_ptr<harness::Backend>(LazyContext&)>;

/// The parts of an NVIDIA suite.
struct CudaSuite {
  MakeBackend backend;
  /// The backend whose matrix products measure the device's peaks; null: they stay unknown.
  MakeBackend products;
};

template <class CudaBackend>
std::unique_ptr<harness::Backend> make_backend(LazyContext& device) {
  return std::make_unique<CudaBackend>(device);
}

/// main() of an NVIDIA suite: parses the CUDA flags, then calls harness::bench_main(). The GPU is
/// opened on first use; if there is none, prints one line on stderr and returns Exit::skipped.
int suite_main(int argc, char** argv, const CudaSuite& suite,
               const harness::Registration& registration, const harness::Verifier& verifier);

}  // namespace benanza::nvidia
