#pragma once

#include "suites/harness/backend.h"
#include "suites/nvidia/run/context.h"

namespace benanza::nvidia {

/// Measures the device's peaks on random values and on zeros: the arithmetic peak of every
/// supported precision, from large matrix products of `products`, whose primitives must be
/// CudaPrimitives, and the bandwidth. Every NVIDIA suite checks its measurements against them.
/// Takes a second or two. Throws what CUDA and the library's calls throw, unless something is
/// unsupported or does not fit in memory: that peak then stays unknown.
harness::Peaks measure_peaks(CudaContext& context, harness::Backend& products);

}  // namespace benanza::nvidia
