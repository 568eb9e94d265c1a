#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "suites/harness/backend.h"
#include "suites/harness/measure/measure.h"
#include "suites/harness/outcome.h"

namespace benanza::harness {

/// Runs the primitive once and compares its result with a reference, as closely as the traits
/// demand. Returns empty if they agree, else one line: which element, its value, the expected
/// value.
using Verifier =
    std::function<std::optional<std::string>(Primitive&, const Variant&, const Traits&)>;

/// Sets up the variant, verifies it, times it, and verifies it again. A disturbed timing is
/// repeated once; if it is disturbed again, the row says so. Library errors do not throw: refusals,
/// wrong results and failures become outcomes, each with its reason.
Outcome run_variant(Backend& backend, const Variant& variant, const Verifier& verifier,
                    const MeasureOptions& options);

Outcome refused(Status status, std::string_view reason);
/// Of a variant that ended the program for one of these reasons: it is not tried again.
Outcome lost(std::string_view reason);
inline constexpr std::string_view crashed_reason = "crashed: a signal ended the program";
inline constexpr std::string_view hung_reason = "hung: no answer in time";
/// Returns the result of `work`, or the outcome that represents the exception it throws.
Outcome caught(const std::function<Outcome()>& work);

}  // namespace benanza::harness
