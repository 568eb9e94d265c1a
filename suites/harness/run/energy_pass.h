#pragma once

#include <set>
#include <span>
#include <string>

#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// Names of the variants whose energy is of interest: for every problem and precision the fastest
/// and those that take at most 5% longer, by the trimmed mean of their ok rows.
std::set<std::string> fastest_variants(std::span<const Row> rows);

/// True if the row has its energy.
bool has_energy(const Row& row);

/// Sets up the variant and measures its energy for `seconds`: energy_joules (per call),
/// energy_watts, energy_window_seconds, energy_busy_share, energy_error (relative), energy_source;
/// or energy_failed, the reason. Library errors do not throw, except EngineLost.
Facts energy_of_variant(Backend& backend, const Variant& variant, const Verifier& verifier,
                        double seconds);

}  // namespace benanza::harness
