#pragma once

#include <cstdint>

#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// Has every asked-for profile of this row been taken? `kinds` as Backend::profile_kinds().
bool is_profiled(const Row& row, std::string_view kinds);

/// The row with the facts of a profile in place of older ones, and "profiled": `kinds`.
Row with_profile(Row row, const Facts& facts, std::string_view kinds);

/// Sets the variant up, has it run `calls` times as when it was timed, and once more under the
/// backend's profiler. Where that fails, "profile_failed" says why; never throws for the library's
/// sake, but for EngineLost.
Facts profile_variant(Backend& backend, const Variant& variant, const Verifier& verifier,
                      std::int64_t calls, bool cold);

}  // namespace benanza::harness
