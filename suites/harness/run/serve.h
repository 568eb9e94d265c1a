#pragma once

#include <vector>

#include "suites/harness/choose/options.h"
#include "suites/harness/run/ledger.h"
#include "suites/harness/run/runner.h"
#include "suites/harness/run/signals.h"

namespace benanza::harness {

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
