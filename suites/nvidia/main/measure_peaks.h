#pragma once

#include "suites/nvidia/run/peaks.h"

namespace benanza {

/// Arithmetic peak of every precision that the device has, by cuBLAS' large products, and its
/// bandwidth: what every NVIDIA suite holds its measurements against. Takes under a second. Throws
/// what CUDA and cuBLAS calls throw, but for what is unsupported or does not fit: that peak stays
/// unknown.
Peaks measure_peaks(CudaContext& context);

}  // namespace benanza
