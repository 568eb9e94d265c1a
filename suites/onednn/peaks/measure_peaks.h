#pragma once

#include <cstdint>

#include "suites/harness/backend.h"
#include "suites/harness/peaks/peaks.h"

namespace benanza::onednn {

/// Measures the arithmetic peak of every precision that `library`, a backend of host primitives,
/// supports, by matrix products and convolutions, and the bandwidth by copies, fills and reads far
/// beyond `cache_bytes`. Takes the best of several ways and sizes on all OpenMP threads, on random
/// values and on zeros; `possible` includes one thread's rate times the threads. Takes a second or
/// two. Peaks that are unsupported or do not fit in memory stay unknown, and so does
/// the bandwidth for unknown caches (0 bytes).
harness::Peaks measure_peaks(harness::Backend& library, std::int64_t cache_bytes);

}  // namespace benanza::onednn
