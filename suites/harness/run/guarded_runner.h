#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/results_file/row.h"
#include "suites/harness/backend.h"
#include "suites/harness/choose/variants.h"
#include "suites/harness/run/ledger.h"
#include "suites/harness/run/runner.h"
#include "suites/harness/run/signals.h"

namespace benanza::harness {

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
