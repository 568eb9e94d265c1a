#pragma once

#include <span>
#include <vector>

#include "suites/harness/choose/options.h"
#include "suites/harness/run/ledger.h"
#include "suites/harness/run/runner.h"
#include "suites/harness/run/signals.h"

namespace benanza::harness {

/// What searches leave to be measured, and what they have measured.
struct Found {
  std::vector<NamedVariant> variants;
  Tally tally;
};

/// Finds the fastest of the candidates, and of their neighbours (Way::near), for every problem,
/// precision and layout, by a race (race.h). All that is timed is verified before.
///
/// Stored are the first repetitions of the finalists and of the library's first choice, measured
/// like all other rows; one that turns out to be wrong is stored as such, and the next best takes
/// its place. Where nothing works, the first three candidates are stored with their reasons. These
/// rows have the facts "search_tried", the number of candidates, and "search_kept", how many rows
/// of the search have these facts: with all of them, a search is finished and not made again. Other
/// candidates have no rows, unless they crash.
Found search(std::span<const NamedVariant> candidates, const SuiteOptions& options,
             Backend& backend, const Verifier& verifier, ResultStore& store,
             const InterruptGuard& interrupt);

/// Whether the program starts again by itself, without the candidate, when a search has lost the
/// engine: settings that nobody else uses may do that.
bool search_survives_loss(const SuiteOptions& options, const Backend& backend);

}  // namespace benanza::harness
