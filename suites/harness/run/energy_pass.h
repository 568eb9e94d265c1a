#pragma once

#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// True if the row has its energy.
bool has_energy(const Row& row);

/// Sets up the variant and measures its energy for `seconds`: energy_joules (per call),
/// energy_watts, energy_window_seconds, energy_busy_share, energy_error (relative), energy_source;
/// or energy_failed, the reason. Library errors do not throw, except EngineLost.
Facts energy_of_variant(Backend& backend, const Variant& variant, const Verifier& verifier,
                        double seconds);

}  // namespace benanza::harness
