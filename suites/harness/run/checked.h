#pragma once

#include <optional>
#include <string>

#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// A verified primitive.
struct Checked {
  /// Empty if the result is right, else one line.
  std::optional<std::string> mismatch{};
  /// "tolerance", "rounding_amplification" and "partial_sums" as in core/results_file/row.h; empty
  /// where the tolerance of a plain sum was enough.
  Facts facts{};
};

/// Uploads the inputs and verifies with the narrowest tolerance first: that of a plain sum, then
/// the primitive's rounding_amplification() and partial_sums(), then what the algorithm's name
/// allows (transforms()).
Checked check_before_timing(Primitive& primitive, const Variant& variant, const Verifier& verifier);

/// Verifies again, on the inputs that the calls since then have left: a call that breaks after many
/// runs, that overwrites its operands or that counts on a fresh workspace is found. What a call
/// uses up by its contract is there again (Primitive::restore()). Empty if the result is still
/// right, else one line that says "after timing".
std::optional<std::string> check_after_timing(Primitive& primitive, const Variant& variant,
                                              const Verifier& verifier);

}  // namespace benanza::harness
