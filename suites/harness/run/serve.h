#pragma once

#include <span>

#include "suites/harness/run/session.h"

namespace benanza::harness {

/// Measures what it is told when it is told, so that two processes can take turns every few
/// milliseconds (--serve, used by benanza-regress). Messages as core/base/child.h has them; the
/// suite first says the names of its variants, one a line. Then it answers:
///   "begin NAME"   sets the variant up, verifies it and warms up: the calls that a sample should
///                  take, as Visits::calls(); 0 where that failed
///   "visit CALLS"  times it for a budget: the seconds of a call; 0 where that failed
///   "end"          verifies it again and keeps its row, with a sample for each visit: its status
/// until there are no more, or a signal comes.
Tally serve(std::span<const NamedVariant> variants, const SuiteOptions& options, Backend& backend,
            const Verifier& verifier, ResultStore& store, const InterruptGuard& interrupt);

}  // namespace benanza::harness
