#pragma once

#include <optional>
#include <string>

#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// The result of verifying a call.
struct Verification {
  /// Empty if the result is correct, else a one-line description.
  std::optional<std::string> mismatch{};
  /// "tolerance", "rounding_amplification" and "partial_sums" as in core/results_file/row.h; empty
  /// if the tolerance of a plain sum was sufficient.
  Facts facts{};
};

/// Uploads the inputs and verifies with increasing tolerance: that of a plain sum, then that of the
/// rounding_amplification and partial_sums among the way's traits, then that of its transforms.
Verification verify_before_timing(Primitive& primitive, const Variant& variant,
                                  const Traits& traits, const Verifier& verifier);

/// Verifies again, on the inputs as the timed calls left them. This detects a call that fails after
/// many runs, overwrites its operands or relies on a fresh workspace. Inputs that a call consumes
/// by contract are recreated (Primitive::restore()). Empty if the result is still correct, else one
/// line that starts with "after timing".
std::optional<std::string> verify_after_timing(Primitive& primitive, const Variant& variant,
                                               const Traits& traits, const Verifier& verifier);

}  // namespace benanza::harness
