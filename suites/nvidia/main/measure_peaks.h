#pragma once

#include "suites/harness/backend.h"
#include "suites/nvidia/run/context.h"

namespace benanza::nvidia {

/// Arithmetic peak of every precision that the device has, by the large matrix products of
/// `products`, whose primitives are CudaPrimitives, and its bandwidth, on random values and on
/// zeros: what every NVIDIA suite holds its measurements against. Takes a second or two. Throws
/// what CUDA and the library's calls throw, but for what is unsupported or does not fit: that peak
/// stays unknown.
harness::Peaks measure_peaks(CudaContext& context, harness::Backend& products);

}  // namespace benanza::nvidia
