#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/results_file/row.h"
#include "suites/harness/backend.h"
#include "suites/harness/choose/variants.h"
#include "suites/harness/measure/measure.h"
#include "suites/harness/outcome.h"
#include "suites/harness/run/ledger.h"
#include "suites/harness/run/signals.h"

namespace benanza::harness {

/// Runs the primitive once and compares its result with a reference, as closely as the traits
/// demand. Returns empty if they agree, else one line: which element, its value, the expected
/// value.
using Verifier =
    std::function<std::optional<std::string>(Primitive&, const Variant&, const Traits&)>;

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

/// Sets up the variant, verifies it, times it, and verifies it again. A disturbed timing is
/// repeated once; if it is disturbed again, the row says so. Library errors do not throw: refusals,
/// wrong results and failures become outcomes, each with its reason.
Outcome run_variant(Backend& backend, const Variant& variant, const Verifier& verifier,
                    const MeasureOptions& options);

Outcome refused(Status status, std::string_view reason);
/// How a variant ends the program: by a signal, or by the end of its time.
enum class Loss { crashed, hung };
std::string_view reason_of(Loss loss);
/// Of a variant that ended the program: it is not tried again.
Outcome lost(Loss loss);
/// Returns the result of `work`, or the outcome that represents the exception it throws.
Outcome caught(const std::function<Outcome()>& work);

/// Scope guard around what may crash the program or hang: the journal then ends with a row that
/// says so, and standard error with where it happened and how to go on.
class RowGuard {
 public:
  /// `place`: "at NAME" of the variant. `row_of`: the row to leave.
  RowGuard(CrashGuard& crash, std::string_view backend, const std::string& place,
           const std::function<Row(Loss loss)>& row_of);
  RowGuard(const RowGuard&) = delete;
  RowGuard& operator=(const RowGuard&) = delete;
  ~RowGuard() { crash_.forget(); }

 private:
  CrashGuard& crash_;
};

/// A repetition of a variant that was taken.
struct Taken {
  Row row;
  Outcome outcome;
};

/// Measures repetitions of variants. If one crashes the program, the journal ends with its row.
/// Once a problem at a precision has taken MeasureOptions::problem_seconds, its other repetitions
/// are `unsupported` for that reason.
class GuardedRunner {
 public:
  /// All arguments must outlive this object.
  GuardedRunner(Backend& backend, const Verifier& verifier, const MeasureOptions& options,
                CrashGuard& crash, const Ledger& ledger)
      : backend_(backend), verifier_(verifier), options_(options), crash_(crash), ledger_(ledger) {}

  Taken take(const NamedVariant& variant, std::int64_t repetition);

 private:
  Outcome outcome_of(const NamedVariant& variant);

  Backend& backend_;
  const Verifier& verifier_;
  const MeasureOptions& options_;
  CrashGuard& crash_;
  const Ledger& ledger_;
  /// By problem and precision.
  std::map<std::string, double> spent_seconds_{};
};

}  // namespace benanza::harness
