#pragma once

#include <cstdint>

#include "suites/harness/backend.h"
#include "suites/harness/peaks.h"

namespace benanza::onednn {

/// Measures the arithmetic peak of each precision that `library`, a backend of host primitives,
/// supports, with matrix products and convolutions, and the memory bandwidth with copies, fills and
/// reads far beyond `cache_bytes`. Uses all OpenMP threads and takes the best of several ways and
/// sizes, on random values and on zeros; `possible` also counts one thread's rate times the number
/// of threads. Takes a second or two. Values that are unsupported or do not fit in memory stay
/// unknown.
harness::Peaks measure_peaks(harness::Backend& library, std::int64_t cache_bytes);

}  // namespace benanza::onednn
