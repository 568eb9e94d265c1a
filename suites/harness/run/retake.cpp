#include "suites/harness/run/retake.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "suites/harness/report/progress.h"
#include "suites/harness/run/near_fastest.h"

namespace benanza::harness {
namespace {

using Repetition = std::pair<const NamedVariant*, std::int64_t>;

/// A process leaves what other processes of its run took: they would not be of different ones any
/// more.
bool may_retake(const ResultStore& store, const Row& row) {
  if (row.process_number() == store.process()) return true;
  return store.process() == store.first_process() && !store.is_of_this_run(row);
}

/// Empty where most had company: there is little hope for better.
std::vector<Repetition> crowded_of_the_fastest(std::span<const NamedVariant> variants,
                                               std::int64_t repetitions, const ResultStore& store) {
  std::vector<Repetition> crowded;
  std::size_t rows = 0;
  const std::set<std::string> fastest = fastest_variants(store.rows());
  for (const NamedVariant& variant : variants) {
    if (!fastest.contains(variant.name)) continue;
    for (const Row& row : store.ok_rows(variant.name, repetitions)) {
      if (!may_retake(store, row)) continue;
      ++rows;
      if (row.had_company()) crowded.emplace_back(&variant, row.repetition);
    }
  }
  if (2 * crowded.size() > rows) crowded.clear();
  return crowded;
}

void retake(const Repetition& repetition, GuardedRunner& runner, Ledger& ledger) {
  const auto& [row, outcome] = runner.take(*repetition.first, repetition.second);
  const bool is_better = row.status == Status::ok && !row.had_company();
  // A lost engine is stored: the next run must not try the row again.
  if (is_better || outcome.engine_lost) ledger.replace(row, outcome);
}

}  // namespace

void retake_crowded(std::span<const NamedVariant> variants, std::int64_t repetitions,
                    GuardedRunner& runner, Ledger& ledger) {
  // A row that is replaced can make another variant the fastest.
  std::set<Repetition> tried;
  for (;;) {
    auto crowded = crowded_of_the_fastest(variants, repetitions, ledger.rows());
    std::erase_if(crowded, [&](const Repetition& row) { return !tried.insert(row).second; });
    if (crowded.empty()) return;
    Progress progress(static_cast<std::int64_t>(crowded.size()));
    std::int64_t done = 0;
    for (const Repetition& repetition : crowded) {
      if (!ledger.goes_on()) return;
      progress.show(done++, repetition.first->name);
      retake(repetition, runner, ledger);
    }
  }
}

}  // namespace benanza::harness
