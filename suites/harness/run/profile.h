#pragma once

#include <cstdint>

#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// Returns whether the row holds the profile of `kinds` (see Backend::profile_kinds()).
bool is_profiled(const Row& row, std::string_view kinds);

/// Returns the row with these facts, which replace older ones of the same name, and with "profiled"
/// = `kinds`.
Row with_profile(Row row, const Facts& facts, std::string_view kinds);

/// Sets up the variant, runs it `calls` times as in a timed sample, and once more under the
/// backend's profiler. If that fails, "profile_failed" contains the reason. Library errors do not
/// throw, except EngineLost.
Facts profile_variant(Backend& backend, const Variant& variant, const Verifier& verifier,
                      std::int64_t calls, bool cold);

}  // namespace benanza::harness
