#pragma once

#include <cstdint>

#include "suites/harness/backend.h"
#include "suites/harness/keep/result_store.h"
#include "suites/harness/measure/measure.h"
#include "suites/harness/run/later_pass.h"
#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// Times the fastest variants of problems with weights or caches, and those up to
/// `rotation_contends` as slow (`flush_contends` where caches are flushed for it), once more with
/// weights that come from memory (rotating_call.h), unless one of the first `repetitions` of its
/// rows has that time: rotating_seconds (per call, the median), rotating_copies; or
/// rotating_failed, the reason. Not of calls that overwrite an operand. All arguments must outlive
/// the pass.
LaterPass rotation_pass(Backend& backend, const Verifier& verifier, const ResultStore& store,
                        std::int64_t repetitions, const MeasureOptions& options);
inline constexpr double rotation_contends = 1.5;
inline constexpr double flush_contends = 1.02;

}  // namespace benanza::harness
