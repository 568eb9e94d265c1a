#include "analysis/regress/known_verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "analysis/render/table.h"
#include "core/base/error.h"
#include "core/results_file/origin.h"
#include "core/results_file/read_rows.h"
#include "core/results_file/row.h"
#include "core/statistics/summary.h"

namespace benanza::regress {
namespace {

using namespace analysis;

constexpr std::array verdict_words{"found", "missed",   "unreported", "quiet",
                                   "seen",  "not seen", "unknown"};
using Rows = std::vector<const Row*>;

Rows rows_of(const KnownFailure& failure, const VersionResults& results) {
  Rows rows;
  for (const Row& row : results.rows) {
    const bool same = row.variant.key == failure.key && row.variant.precision == failure.precision;
    if (same && !row.variant.cold) rows.push_back(&row);
  }
  return rows;
}

double seconds(const Row& row) { return median(row.samples); }

/// Null if none has a time.
const Row* fastest(const Rows& rows) {
  const Row* best = nullptr;
  for (const Row* row : rows) {
    if (row->status != Status::ok) continue;
    if (best == nullptr || seconds(*row) < seconds(*best)) best = row;
  }
  return best;
}

/// Another program may have made the fastest call longer.
bool had_company(const Rows& rows) {
  const Row* best = fastest(rows);
  return best != nullptr && best->is_disturbed();
}

/// A number of a version; empty if it has none.
using Measure = std::optional<double> (*)(const Rows& rows);

std::optional<double> best_seconds(const Rows& rows) {
  const Row* best = fastest(rows);
  if (best == nullptr) return std::nullopt;
  return seconds(*best);
}

/// Of the layout whose choice is the fastest.
std::optional<double> choice_seconds(const Rows& rows) {
  std::optional<double> least;
  for (const Row* row : rows) {
    if (row->status != Status::ok || row->heuristic_rank != 1) continue;
    least = std::min(least.value_or(seconds(*row)), seconds(*row));
  }
  return least;
}

/// The least that a call needs which is nearly as fast as the fastest: which of them is the fastest
/// is chance.
std::optional<double> workspace(const Rows& rows) {
  const std::optional<double> best = best_seconds(rows);
  std::optional<double> least;
  for (const Row* row : rows) {
    if (row->status != Status::ok || !row->workspace_bytes) continue;
    if (seconds(*row) > equal_factor * *best) continue;
    const auto bytes = static_cast<double>(*row->workspace_bytes);
    least = std::min(least.value_or(bytes), bytes);
  }
  return least;
}

/// The longest, since what a process makes later finds kernels in caches.
std::optional<double> setup_seconds(const Rows& rows) {
  std::optional<double> longest;
  for (const Row* row : rows) {
    const Facts facts = facts_of(*row);
    const auto fact = facts.find("setup_seconds");
    if (fact == facts.end()) continue;
    const double* value = std::get_if<double>(&fact->second);
    if (value != nullptr) longest = std::max(longest.value_or(0), *value);
  }
  return longest;
}

bool is_known_defect(const Row& row) { return facts_of(row).contains(known_defect_fact); }
bool is_crash(const Row& row) { return facts_of(row).contains(crashed_fact); }

/// By a wrong result or the end of the program: which of them a bad access shows as depends on what
/// lies in memory.
Evidence by_result(const Rows& rows, Symptom symptom) {
  const auto shows = [&](const Row* row) {
    if (row->status == Status::incorrect) return true;
    return row->status == Status::failed && (symptom == Symptom::crash || is_crash(*row));
  };
  auto shown = std::ranges::find_if(rows, shows);
  // A call that is known to be wrong, or to crash, is not made.
  if (shown == rows.end()) {
    shown = std::ranges::find_if(rows, [](const Row* row) { return is_known_defect(*row); });
  }
  if (shown != rows.end()) return {true, (*shown)->variant.algorithm + ": " + (*shown)->reason};
  if (fastest(rows) != nullptr) return {false, ""};
  return {std::nullopt, rows.front()->reason};
}

/// By the calls that are made as the model has the problem, if some are: others may go around.
Evidence by_reference(const Rows& rows) {
  Rows direct = rows;
  std::erase_if(direct, [](const Row* row) { return !facts_of(*row).contains(as_in_model_fact); });
  const Row* const called = fastest(direct);
  const Row* const best = called != nullptr ? called : fastest(rows);
  if (best == nullptr) return {std::nullopt, rows.front()->reason};
  return {best->reference, best->variant.algorithm};
}

/// The library's choice against its own fastest call.
Evidence by_choice(const Rows& rows) {
  const Row* best = fastest(rows);
  const auto choice = std::ranges::find_if(
      rows, [](const Row* row) { return row->status == Status::ok && row->heuristic_rank == 1; });
  if (best == nullptr || choice == rows.end()) return {std::nullopt, "no choice has a time"};
  const double ratio = seconds(**choice) / seconds(*best);
  return {ratio > slow_factor,
          fmt::format("{} takes {:.2f} times as long as {}", (*choice)->variant.algorithm, ratio,
                      best->variant.algorithm)};
}

struct Limit {
  Measure measure;
  double factor;
  double least_difference;
  const char* what;
  /// Other programs make it longer.
  bool is_time = false;
};

/// What a comparison lacks.
std::string no_healthy_version(const KnownFailure& failure) {
  std::string wanted;
  if (failure.from) wanted = "before " + failure.from->text();
  if (failure.fixed)
    wanted += (wanted.empty() ? "from " : " or from ") + failure.fixed->text() + " on";
  return "no version without it to compare with" + (wanted.empty() ? "" : ": needs one " + wanted);
}

Evidence by_comparison(const KnownFailure& failure, const Rows& rows, const Limit& limit,
                       std::span<const VersionResults* const> healthy) {
  const std::optional<double> mine = limit.measure(rows);
  if (!mine) return {std::nullopt, fmt::format("no {}: {}", limit.what, rows.front()->reason)};
  std::optional<double> best;
  const VersionResults* rival = nullptr;
  bool is_disturbed = limit.is_time && had_company(rows);
  for (const VersionResults* other : healthy) {
    const Rows others = rows_of(failure, *other);
    const std::optional<double> its = limit.measure(others);
    if (!its || (best && *its >= *best)) continue;
    is_disturbed = is_disturbed || (limit.is_time && had_company(others));
    best = its;
    rival = other;
  }
  if (!best) return {std::nullopt, no_healthy_version(failure)};
  const bool more = *mine > limit.factor * *best && *mine - *best > limit.least_difference;
  const std::string ratio =
      *best > 0 ? fmt::format("{:.2f} times", *mine / *best) : fmt::format("{:.3g}, not 0,", *mine);
  const std::string text = fmt::format("{} the {} of {}", ratio, limit.what, rival->version_text);
  if (is_disturbed) return {std::nullopt, text + ", disturbed", rival};
  if (limit.is_time && more && *mine < apart_factor * *best) {
    return {std::nullopt, text + ", too near for times of different moments", rival};
  }
  // A busy machine doubles times: turns confirm what is slower.
  const bool is_near = limit.is_time && *mine * apart_factor > *best &&
                       *mine < (more ? beyond_doubt_factor : apart_factor) * *best;
  return {more, text, is_near ? rival : nullptr};
}

/// By the fastest calls and, where both sides have one, by the library's choice: a fast way that it
/// never chose by itself is no loss to those who ask it.
Evidence by_time(const KnownFailure& failure, const Rows& rows,
                 std::span<const VersionResults* const> healthy) {
  const Evidence fastest_calls =
      by_comparison(failure, rows, {best_seconds, slow_factor, 0, "time", true}, healthy);
  const bool have_choice =
      choice_seconds(rows) && std::ranges::any_of(healthy, [&](const VersionResults* other) {
        return choice_seconds(rows_of(failure, *other)).has_value();
      });
  if (!fastest_calls.found.value_or(false) || !have_choice) return fastest_calls;
  return by_comparison(failure, rows, {choice_seconds, slow_factor, 0, "time of the choice", true},
                       healthy);
}

Evidence by_symptom(const KnownFailure& failure, const Rows& rows,
                    std::span<const VersionResults* const> healthy) {
  switch (failure.symptom) {
    case Symptom::wrong_result:
    case Symptom::crash:
      return by_result(rows, failure.symptom);
    case Symptom::reference_code:
      return by_reference(rows);
    case Symptom::worse_choice:
      return by_choice(rows);
    case Symptom::slow:
      return by_time(failure, rows, healthy);
    case Symptom::memory:
      return by_comparison(failure, rows,
                           {workspace, memory_factor, least_memory_bytes, "workspace"}, healthy);
    case Symptom::cold_start:
      return by_comparison(failure, rows,
                           {setup_seconds, cold_factor, least_cold_seconds, "setup time"}, healthy);
  }
  return {};
}

Cell by_source(const JudgedFailure& one) {
  constexpr std::array words{"present", "not present", "unknown"};
  return cell(std::string(words.at(static_cast<std::size_t>(one.presence))));
}

}  // namespace

VersionResults read_version(const std::string& file) {
  VersionResults made;
  read_rows(file, {.begin =
                       [&](const Origin& origin) {
                         made.backend = origin.backend;
                         made.system = origin.system;
                       },
                   .add = [&](Row&& row) { made.rows.push_back(std::move(row)); }});
  const std::optional<std::string> text = library_version(made.backend, made.system);
  if (!text) {
    throw Error(file + ": does not name the version of " + made.backend + ": measure again");
  }
  made.version_text = *text;
  const auto version = Version::parse(*text);
  if (!version) throw Error(file + ": \"" + *text + "\" is no version: measure again");
  made.version = *version;
  return made;
}

Evidence evidence(const KnownFailure& failure, const VersionResults& results,
                  std::span<const VersionResults* const> healthy) {
  const Rows rows = rows_of(failure, results);
  if (rows.empty()) return {std::nullopt, "not measured"};
  Evidence made = by_symptom(failure, rows, healthy);
  const auto left = std::ranges::count_if(rows, &Row::over_limit);
  if (left > 0) {
    made.text += fmt::format("{}{} {} left out: {}", made.text.empty() ? "" : "; ", left,
                             left == 1 ? "call" : "calls", problem_limit_flag);
  }
  return made;
}

std::string_view to_string(KnownVerdict verdict) {
  return verdict_words.at(static_cast<std::size_t>(verdict));
}

KnownVerdict verdict_of(Presence presence, const Evidence& evidence) {
  if (!evidence.found) return KnownVerdict::unknown;
  if (presence == Presence::yes) {
    return *evidence.found ? KnownVerdict::found : KnownVerdict::missed;
  }
  if (presence == Presence::no) {
    return *evidence.found ? KnownVerdict::unreported : KnownVerdict::quiet;
  }
  return *evidence.found ? KnownVerdict::seen : KnownVerdict::not_seen;
}

std::vector<JudgedFailure> judge_failures(std::span<const KnownFailure> failures,
                                          std::span<const VersionResults> versions) {
  std::vector<JudgedFailure> judged;
  for (const KnownFailure& failure : failures) {
    const auto presence_in = [&](const VersionResults& one) {
      return presence(failure, one.version, one.system);
    };
    std::vector<const VersionResults*> healthy;
    for (const VersionResults& one : versions) {
      const bool fits = one.backend == failure.library && presence_in(one) == Presence::no;
      if (fits) healthy.push_back(&one);
    }
    for (const VersionResults& one : versions) {
      if (one.backend != failure.library) continue;
      JudgedFailure& made = judged.emplace_back();
      made.failure = &failure;
      made.results = &one;
      made.presence = presence_in(one);
      std::vector<const VersionResults*> others = healthy;
      std::erase(others, &one);
      made.evidence = evidence(failure, one, others);
      // Worth the time only where the source may be contradicted.
      if (made.presence == Presence::no && made.evidence.found == false) {
        made.evidence.rival = nullptr;
      }
      made.verdict = verdict_of(made.presence, made.evidence);
    }
  }
  return judged;
}

bool any_found(std::span<const JudgedFailure> judged) {
  return std::ranges::any_of(
      judged, [](const JudgedFailure& one) { return one.evidence.found.value_or(false); });
}

Section known_section(std::span<const JudgedFailure> judged) {
  Section section;
  std::map<KnownVerdict, int> counts;
  for (const JudgedFailure& one : judged) ++counts[one.verdict];
  std::string text;
  for (const auto& [verdict, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(verdict));
    section.facts[std::string(to_string(verdict))] = count;
  }
  section.heading = "known failures";
  section.add(text.empty() ? "no results of these libraries" : text);
  section.csv_facts.clear();
  const Table<JudgedFailure> table{
      {"verdict", "verdict", &JudgedFailure::verdict},
      {"library", "library", [](const JudgedFailure& one) { return one.failure->library; }},
      {"version", "version", [](const JudgedFailure& one) { return one.results->version_text; }},
      {"by its source", "by_source", by_source},
      {"what", "what", [](const JudgedFailure& one) { return one.failure->symptom; }},
      {"evidence", "evidence", [](const JudgedFailure& one) { return one.evidence.text; },
       any_width},
      {"precision", "precision", [](const JudgedFailure& one) { return one.failure->precision; }},
      {"problem", "problem", [](const JudgedFailure& one) { return one.failure->key; }, any_width},
      {"source", "source", [](const JudgedFailure& one) { return one.failure->source; },
       any_width}};
  section.add(table.sheet(judged, {.name = "known_failures", .all_rows = true}));
  return section;
}

}  // namespace benanza::regress
