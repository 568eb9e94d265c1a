#include "suites/harness/run/measure_all.h"

#include <utility>

#include "suites/harness/report/run_progress.h"
#include "suites/harness/run/crash.h"
#include "suites/harness/run/due_repetitions.h"
#include "suites/harness/run/energy_pass.h"
#include "suites/harness/run/guarded_runner.h"
#include "suites/harness/run/ledger.h"
#include "suites/harness/run/profile_pass.h"
#include "suites/harness/run/queue.h"
#include "suites/harness/run/retake.h"
#include "suites/harness/run/rotation_pass.h"
#include "suites/harness/run/search.h"
#include "suites/harness/run/session.h"

namespace benanza::harness {
namespace {

/// Removes the first-choice mark from existing rows of the variant, because this run requests other
/// algorithms, too.
void forget_first_choice(const NamedVariant& variant, ResultStore& store,
                         std::int64_t repetitions) {
  for (std::int64_t repetition = 0; repetition < repetitions; ++repetition) {
    const Row* const row = store.find(variant.name, repetition);
    if (row == nullptr || !row->first_choice) continue;
    Row other = *row;
    other.first_choice = false;
    store.add(std::move(other));
  }
}

RunProgress progress_of(std::span<const NamedVariant> variants, const SuiteOptions& options,
                        const ResultStore& store) {
  std::int64_t before = 0;
  for (const NamedVariant& variant : variants) {
    before += store.finished(variant.name, options.repetitions);
  }
  return {options.progress, std::ssize(variants) * options.repetitions, before};
}

}  // namespace

Tally measure_all(std::vector<NamedVariant>& variants, const SuiteOptions& options,
                  Backend& backend, const Verifier& verifier, ResultStore& store,
                  const InterruptGuard& interrupt) {
  const std::int64_t until = options.place.until(options.repetitions);
  Tally start;
  if (options.selection.algorithms == AlgorithmSet::search) {
    Found found = search(variants, options, backend, verifier, store, interrupt);
    variants = std::move(found.variants);
    start = std::move(found.tally);
  } else {
    start = tally_at_start(variants, store, until);
  }
  for (const NamedVariant& variant : variants) {
    if (!variant.first_choice) forget_first_choice(variant, store, options.repetitions);
  }
  CrashGuard crash(store.journal_descriptor());
  Ledger ledger(store, interrupt, std::move(start));
  DueRepetitions due(variants, store, until);
  Queue queue(backend, due.variants());
  GuardedRunner runner(backend, verifier, options.measure, crash, ledger);
  RunProgress progress = progress_of(variants, options, store);
  Session(options, queue, due, runner, ledger, progress).run();
  retake_crowded(variants, options.repetitions, runner, ledger);
  progress.finish();
  const bool is_to_go_on = options.place.number < options.place.count &&
                           is_anything_due(variants, store, options.repetitions);
  if (!is_to_go_on && options.rotates_weights && !options.measure.cold) {
    add_facts(rotation_pass(backend, verifier, store, options.repetitions, options.measure),
              variants, backend.name(), crash, ledger);
  }
  // A profiler changes the state of the device, so everything is timed first.
  if (!is_to_go_on) {
    add_facts(profile_pass(backend, verifier, store, options.repetitions, options.measure.cold),
              variants, backend.name(), crash, ledger);
  }
  if (!is_to_go_on && options.energy_seconds) {
    add_facts(energy_pass(backend, verifier, store, options.repetitions, *options.energy_seconds),
              variants, backend.name(), crash, ledger);
  }
  Tally tally = ledger.tally();
  tally.is_to_go_on = is_to_go_on;
  return tally;
}

}  // namespace benanza::harness
