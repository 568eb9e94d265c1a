#pragma once

#include <cstdint>

#include "suites/harness/backend.h"
#include "suites/harness/peaks.h"

namespace benanza::onednn {

/// Arithmetic of every precision that `library`, a backend of host primitives, has, by its matrix
/// products and convolutions, and bandwidth by copies, fills and reads far beyond `cache_bytes`,
/// all on as many threads as OpenMP takes: the best of several ways and sizes, on random values and
/// on zeros; possible is also as often what one thread does alone. Takes a second or two. What is
/// unsupported or does not fit stays unknown.
harness::Peaks measure_peaks(harness::Backend& library, std::int64_t cache_bytes);

}  // namespace benanza::onednn
