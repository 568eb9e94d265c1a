#pragma once

#include <cstdint>
#include <vector>

#include "suites/harness/choose/options.h"
#include "suites/harness/measure/measure.h"
#include "suites/harness/run/ledger.h"
#include "suites/harness/run/runner.h"
#include "suites/harness/run/signals.h"

namespace benanza::harness {

/// Times a verified primitive in short visits that alternate with those of another process, so that
/// both are exposed to the same changes on the machine. Samples are as short as the clock allows,
/// so that some of them are not interrupted by other work on the processors.
class Visits {
 public:
  /// Warms up. All arguments must outlive this object; `options.budget_seconds` is the budget of
  /// one visit.
  Visits(Primitive& primitive, Stopwatch& stopwatch, const MeasureOptions& options);

  /// Goes on with another primitive of the same variant, after warming it up.
  void go_on_with(Primitive& primitive);

  /// Number of calls needed to make a sample of this primitive long enough.
  std::int64_t calls() const { return calls_; }
  /// Takes samples of `calls` calls each for one budget, at least five, and returns their 1/6
  /// quantile in seconds per call (the fastest if there are five).
  double visit(std::int64_t calls);

  /// The outcome, with one sample for each visit. Throws std::runtime_error if there was no visit.
  Outcome outcome() const;

 private:
  Primitive* primitive_;
  Stopwatch& stopwatch_;
  MeasureOptions options_;
  std::int64_t calls_ = 1;
  Outcome outcome_{};
};

/// Measures on request, so that two processes can take turns every few milliseconds (--serve, used
/// by benanza-regress). Messages have the format of core/base/child.h. The suite first sends the
/// names of its variants, one per line. Then it answers these requests:
///   "begin NAME"   sets up the variant, verifies it and warms up; answers the number of calls per
///                  sample, Visits::calls(), or 0 if that failed
///   "visit CALLS"  times it for one budget; answers the seconds per call, or 0 if that failed
///   "move"         sets the variant up again with its operands elsewhere in memory; answers 1, or
///                  0 if that failed
///   "end"          verifies it again and stores its row, with one sample for each visit; answers
///                  the status
/// until the input ends, a signal arrives or the engine is lost.
Tally serve(std::vector<NamedVariant>& variants, const SuiteOptions& options, Backend& backend,
            const Verifier& verifier, ResultStore& store, const InterruptGuard& interrupt);

}  // namespace benanza::harness
