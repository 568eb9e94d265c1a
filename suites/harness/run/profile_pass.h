#pragma once

#include <cstdint>

#include "suites/harness/backend.h"
#include "suites/harness/keep/result_store.h"
#include "suites/harness/run/later_pass.h"
#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// Profiles every variant once for the first `repetitions` of its ok rows, if the backend's
/// profile_kinds() name something that they lack: runs it as many times as in a timed sample (one
/// `cold` call), and once more under the backend's profiler. If that fails, "profile_failed"
/// contains the reason, and the variant is not profiled again. All arguments must outlive the pass.
LaterPass profile_pass(Backend& backend, const Verifier& verifier, const ResultStore& store,
                       std::int64_t repetitions, bool cold);

}  // namespace benanza::harness
