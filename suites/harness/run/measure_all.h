#pragma once

#include <vector>

#include "suites/harness/choose/options.h"
#include "suites/harness/run/ledger.h"
#include "suites/harness/run/runner.h"
#include "suites/harness/run/signals.h"

namespace benanza::harness {

/// Measures the variants that are not finished yet: takes this process' share of the repetitions
/// (RunPlace::until()), takes those of the fastest once more that had company, and times the
/// fastest with weights from memory; if none are left then, profiles them and measures their
/// energy, as the options ask for. Every row is stored as soon as it is known. Google Benchmark
/// must be initialised. Call it only once. Rethrows an exception of the store after the run has
/// ended. A search replaces `variants` by what it has found.
Tally measure_all(std::vector<NamedVariant>& variants, const SuiteOptions& options,
                  Backend& backend, const Verifier& verifier, ResultStore& store,
                  const InterruptGuard& interrupt);

}  // namespace benanza::harness
