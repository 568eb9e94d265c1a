#pragma once

#include <cstdint>

#include "suites/harness/backend.h"
#include "suites/harness/keep/result_store.h"
#include "suites/harness/run/later_pass.h"
#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// Measures the energy of each of the fastest variants for `seconds`, unless one of the first
/// `repetitions` of its rows has it: energy_joules (per call), energy_watts, energy_window_seconds,
/// energy_busy_share, energy_error (relative), energy_source; or energy_failed, the reason. The
/// backend must have a meter. All arguments must outlive the pass.
LaterPass energy_pass(Backend& backend, const Verifier& verifier, const ResultStore& store,
                      std::int64_t repetitions, double seconds);

}  // namespace benanza::harness
