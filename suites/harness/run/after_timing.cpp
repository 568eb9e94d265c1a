// What a session does when everything is timed.
#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "suites/harness/run/energy_pass.h"
#include "suites/harness/run/near_fastest.h"
#include "suites/harness/run/profile.h"
#include "suites/harness/run/session.h"

namespace benanza::harness {

/// A process leaves what other processes of its run took: they would not be of different ones any
/// more.
bool Session::may_retake(const Row& row) const {
  if (row.process_number() == store_.process()) return true;
  return store_.process() == store_.first_process() && !store_.is_of_this_run(row);
}

void Session::retake_crowded() {
  // A row that is replaced can make another variant the fastest.
  std::set<std::pair<const NamedVariant*, std::int64_t>> tried;
  for (;;) {
    std::vector<std::pair<const NamedVariant*, std::int64_t>> crowded;
    std::size_t rows = 0;
    const std::set<std::string> fastest = fastest_variants(store_.rows());
    for (const NamedVariant& variant : variants_) {
      if (!fastest.contains(variant.name)) continue;
      for (const Row& row : ok_rows(variant.name)) {
        if (!may_retake(row)) continue;
        ++rows;
        if (row.had_company()) crowded.emplace_back(&variant, row.repetition);
      }
    }
    // Where most had company, there is little hope for better.
    if (2 * crowded.size() > rows) return;
    std::erase_if(crowded, [&](const auto& row) { return !tried.insert(row).second; });
    if (crowded.empty()) return;
    Progress progress(static_cast<std::int64_t>(crowded.size()));
    std::int64_t done = 0;
    for (const auto& [variant, repetition] : crowded) {
      if (interrupt_.signal() != 0 || error_ || !tally_.lost_at.empty()) return;
      progress.show(done++, variant->name);
      retake(*variant, repetition);
    }
  }
}

void Session::retake(const NamedVariant& variant, std::int64_t repetition) {
  const Work cost = work(variant.variant.problem, variant.variant.precision);
  const Outcome outcome = guarded_outcome(variant, repetition, cost);
  if (outcome.engine_lost) tally_.lost_at = variant.name;
  const Row row = row_of(variant, repetition, cost, outcome);
  // A lost engine is stored: the next run must not try the row again.
  if (!outcome.engine_lost && (row.status != Status::ok || row.had_company())) return;
  try {
    store_.add(row);
  } catch (...) {
    error_ = std::current_exception();
    return;
  }
  tally_.timed_seconds += outcome.timed_seconds;
  tally_.phases += outcome.phases;
  const auto taken = taken_.find(variant.name);
  const bool is_of_this_run =
      taken != taken_.end() && std::ranges::find(taken->second, repetition) != taken->second.end();
  if (is_of_this_run && !row.is_disturbed()) --tally_.disturbed;
}

void Session::add_facts(const LaterPass& pass) {
  std::vector<const NamedVariant*> due;
  for (const NamedVariant& variant : variants_) {
    if (!pass.rows_due(variant).empty()) due.push_back(&variant);
  }
  Progress progress(static_cast<std::int64_t>(due.size()));
  std::int64_t done = 0;
  for (const NamedVariant* const variant : due) {
    if (interrupt_.signal() != 0 || error_ || !tally_.lost_at.empty()) return;
    progress.show(done++, variant->name);
    add_facts(pass, *variant);
  }
}

void Session::add_facts(const LaterPass& pass, const NamedVariant& variant) {
  const std::vector<Row> rows = pass.rows_due(variant);
  const auto failed = [&](std::string_view reason) {
    return Facts{{pass.failure, one_line(reason)}};
  };
  const auto words = [&](std::string_view what, std::string_view reason) {
    return CrashGuard::Words{row_text(pass.completed(rows.front(), failed(reason))),
                             last_message(what, pass.where, variant.name)};
  };
  crash_.expect(words("crashed", crashed_reason), words("hung", hung_reason));
  Facts found;
  try {
    found = pass.measure(variant.variant, rows.front());
  } catch (const EngineLost& loss) {
    found = failed(loss.what());
    tally_.lost_at = variant.name;
  }
  crash_.forget();
  try {
    for (const Row& row : rows) store_.add(pass.completed(row, found));
  } catch (...) {
    error_ = std::current_exception();
  }
}

void Session::profile_all() {
  const std::string kinds = backend_.profile_kinds();
  if (kinds.empty()) return;
  const auto rows_due = [&](const NamedVariant& variant) {
    std::vector<Row> rows = ok_rows(variant.name);
    // One that crashed the profiler would do it again.
    const bool is_hopeless = std::ranges::any_of(rows, [&](const Row& row) {
      return is_profiled(row, kinds) && !row.profile_failed.empty();
    });
    std::erase_if(rows, [&](const Row& row) { return is_hopeless || is_profiled(row, kinds); });
    return rows;
  };
  add_facts({.failure = "profile_failed",
             .where = "while profiling",
             .rows_due = rows_due,
             .measure =
                 [&](const Variant& variant, const Row& row) {
                   return profile_variant(backend_, variant, verifier_,
                                          row.calls_per_sample.value_or(1), options_.measure.cold);
                 },
             .completed = [&](const Row& row,
                              const Facts& facts) { return with_profile(row, facts, kinds); }});
}

void Session::energy_all() {
  if (!options_.energy_seconds) return;
  const std::set<std::string> fastest = fastest_variants(store_.rows());
  const auto rows_due = [&](const NamedVariant& variant) {
    std::vector<Row> rows;
    if (fastest.contains(variant.name)) rows = ok_rows(variant.name);
    if (std::ranges::any_of(rows, has_energy)) rows.clear();
    return rows;
  };
  add_facts({.failure = "energy_failed",
             .where = "while measuring the energy of",
             .rows_due = rows_due,
             .measure =
                 [&](const Variant& variant, const Row&) {
                   return energy_of_variant(backend_, variant, verifier_, *options_.energy_seconds);
                 },
             .completed = with_facts});
}

std::vector<Row> Session::ok_rows(const std::string& name) const {
  std::vector<Row> rows;
  for (std::int64_t repetition = 0; repetition < options_.repetitions; ++repetition) {
    const Row* const row = store_.find(name, repetition);
    if (row != nullptr && row->status == Status::ok) rows.push_back(*row);
  }
  return rows;
}

}  // namespace benanza::harness
