#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "suites/harness/backend.h"
#include "suites/harness/measure/measure.h"
#include "suites/harness/outcome.h"

namespace benanza::harness {

/// Runs the primitive once and compares its result with a reference. Empty if they agree, else one
/// line: which element, what it is, what was expected.
using Verifier = std::function<std::optional<std::string>(Primitive&, const Variant&)>;

/// Sets up the variant, verifies it, only then times it, and verifies it again. What was disturbed
/// is timed once more; if it is disturbed again, the row says so. Never throws for the library's
/// sake: a refusal, a wrong result and a failure are outcomes, each with its reason.
Outcome run_variant(Backend& backend, const Variant& variant, const Verifier& verifier,
                    const MeasureOptions& options);

Outcome refused(Status status, std::string_view reason);
/// Of a variant that ended the program, by one of these reasons: it is not tried again.
Outcome lost(std::string_view reason);
inline constexpr std::string_view crashed_reason = "crashed: a signal ended the program";
inline constexpr std::string_view hung_reason = "hung: the device did not answer in time";
/// What `work` returns, or the outcome that stands for what it throws.
Outcome caught(const std::function<Outcome()>& work);

/// `text` without line breaks and surrounding blanks; "no reason given" if nothing is left.
std::string one_line(std::string_view text);

}  // namespace benanza::harness
