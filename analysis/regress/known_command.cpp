#include "analysis/regress/known_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/regress/process.h"
#include "analysis/regress/round.h"
#include "analysis/regress/side.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/results_file/row.h"

namespace benanza::regress {
namespace {

/// Numbers of rounds after which the ratios are judged.
constexpr std::array<std::size_t, 3> looks{8, 16, 32};

void add_ratios(LogRatios& ratios, const RowsOfRound& rows) {
  const Timings before = timings_of(rows.before, Unit::choice);
  const Timings after = timings_of(rows.after, Unit::choice);
  for (const auto& [unit, one] : before) {
    const auto other = after.find(unit);
    if (other == after.end() || one.status != Status::ok || other->second.status != Status::ok) {
      continue;
    }
    ratios[one.variant.key].push_back(log_ratio(one, other->second));
  }
}

/// The pair was measured with this version as the one before.
bool is_swapped(const JudgedFailure& one) { return one.results < one.evidence.rival; }

Evidence evidence_of(const TurnsRatio& turns, bool swapped, const std::string& rival) {
  const double ratio = swapped ? 1 / turns.ratio : turns.ratio;
  const Finding slower = swapped ? Finding::faster : Finding::slower;
  Evidence made{.text = fmt::format("{:.2f} times the time of {}, in {} rounds of turns", ratio,
                                    rival, turns.rounds)};
  if (turns.finding == Finding::undecided) {
    made.text += ", which do not decide";
  } else {
    made.found = turns.finding == slower;
  }
  return made;
}

namespace fs = std::filesystem;

/// Seconds. Making one call takes longer in some versions: a cold start is seen by the first.
constexpr int problem_seconds = 20;
/// Each ends the suite, which then goes on without that call.
constexpr int most_crashes = 50;
/// Some wrong results need work to be split among that many threads, which few processors do not.
constexpr int many_threads = 8;
constexpr std::string_view threads_variable = "OMP_NUM_THREADS=";

/// Every algorithm: a failure may be in any. Reference code is among "all" where there is nothing
/// else.
void measure(const SideOfGate& side, const fs::path& cases, const fs::path& results,
             std::string_view algorithms, std::vector<std::string> environment) {
  if (fs::exists(results)) return;
  const fs::path err = results.string() + ".err";
  const ChildCommand command{
      .program = side.program,
      .arguments = {"--cases=" + cases.string(), fmt::format("--algorithms={}", algorithms),
                    "--no-rotation", "--budget=0.1",
                    fmt::format("{}={}", problem_limit_flag, problem_seconds),
                    "--benchmark_out=" + results.string()},
      .environment = std::move(environment),
      .out = results.string() + ".out",
      .err = err};
  for (int start = 0; start < most_crashes; ++start) {
    if (Process(command).finish_or_crash()) return;
  }
  Process(command).finish();
}

std::vector<std::string> with_many_threads(std::vector<std::string> environment) {
  std::erase_if(environment,
                [](const std::string& text) { return text.starts_with(threads_variable); });
  environment.push_back(fmt::format("{}{}", threads_variable, many_threads));
  return environment;
}

bool is_of_the_result(const KnownFailure& failure) {
  return failure.symptom == Symptom::wrong_result || failure.symptom == Symptom::crash;
}

bool is_of_reference_code(const KnownFailure& failure) {
  return failure.symptom == Symptom::reference_code;
}

/// Writes the problems of failures that `belongs` selects. Returns whether there are any.
bool write_cases(const fs::path& file, const std::vector<KnownFailure>& failures,
                 bool (*belongs)(const KnownFailure&)) {
  std::vector<KnownFailure> some;
  std::ranges::copy_if(failures, std::back_inserter(some), belongs);
  write_file(file, cases_text(some));
  return !some.empty();
}

/// Measures those problems whose failure one run does not show: with many threads, and with
/// reference code beside better code.
void add_further_runs(VersionResults& results, const SideOfGate& side,
                      const std::vector<KnownFailure>& failures, const fs::path& folder,
                      std::size_t version) {
  const auto file = [&](std::string_view name) {
    return folder / fmt::format("{}.{}", results.backend, name);
  };
  const auto rows_of_run = [&](std::string_view run, std::string_view algorithms,
                               std::vector<std::string> environment) {
    const fs::path out = file(fmt::format("{}.{}.json", version, run));
    measure(side, file(fmt::format("{}.cases", run)), out, algorithms, std::move(environment));
    return read_version(out.string()).rows;
  };
  if (write_cases(file("threads.cases"), failures, is_of_the_result)) {
    add_failing_rows(results,
                     rows_of_run("threads", "all", with_many_threads(environment_of(side))));
  }
  if (write_cases(file("reference.cases"), failures, is_of_reference_code)) {
    add_direct_rows(results, rows_of_run("reference", "with-reference", environment_of(side)));
  }
}

}  // namespace

TurnsRatios compare_in_turns(const RunRound& run) {
  const double level = GateOptions{}.level / static_cast<double>(looks.size());
  LogRatios ratios;
  std::map<std::string, Finding, std::less<>> found;
  std::size_t rounds = 0;
  for (const std::size_t look : looks) {
    for (; rounds < look; ++rounds) {
      add_ratios(ratios, run({.number = static_cast<int>(rounds)}));
    }
    found = findings(ratios, std::log(turns_factor), level);
    const bool is_open = std::ranges::any_of(
        found, [](const auto& one) { return one.second == Finding::undecided; });
    if (!is_open) break;
  }
  TurnsRatios made;
  for (const auto& [key, values] : ratios) {
    made[key] = {std::exp(trimmed_mean(values)), found.at(key), rounds};
  }
  return made;
}

void decide_in_turns(std::vector<JudgedFailure>& judged,
                     const std::function<TurnsRatios(const TurnsRequest&)>& compare) {
  using Pair = std::tuple<const VersionResults*, const VersionResults*, Precision>;
  const auto pair_of = [](const JudgedFailure& one) {
    const auto [before, after] = std::minmax(one.evidence.rival, one.results);
    return Pair{before, after, one.failure->precision};
  };
  std::map<Pair, std::set<std::string>> wanted;
  for (const JudgedFailure& one : judged) {
    if (one.evidence.rival != nullptr) wanted[pair_of(one)].insert(one.failure->key);
  }
  std::map<Pair, TurnsRatios> answers;
  for (const auto& [pair, keys] : wanted) {
    const auto& [before, after, precision] = pair;
    answers[pair] = compare({before, after, precision, {keys.begin(), keys.end()}});
  }
  for (JudgedFailure& one : judged) {
    if (one.evidence.rival == nullptr) continue;
    const TurnsRatios& answer = answers.at(pair_of(one));
    const auto turns = answer.find(one.failure->key);
    if (turns == answer.end()) {
      if (one.verdict != KnownVerdict::unreported) continue;
      one.evidence.found = std::nullopt;
      one.evidence.text += ", at another moment: an alarm needs turns";
      one.verdict = verdict_of(one.presence, one.evidence);
      continue;
    }
    one.evidence = evidence_of(turns->second, is_swapped(one), one.evidence.rival->version_text);
    one.verdict = verdict_of(one.presence, one.evidence);
  }
}

void add_failing_rows(VersionResults& results, std::vector<Row> more) {
  for (Row& row : more) {
    if (row.status != Status::incorrect && row.status != Status::failed) continue;
    row.reason += fmt::format(" ({} threads)", many_threads);
    results.rows.push_back(std::move(row));
  }
}

void add_direct_rows(VersionResults& results, std::vector<Row> more) {
  for (Row& row : more) {
    if (facts_of(row).contains(as_in_model_fact)) results.rows.push_back(std::move(row));
  }
}

VersionList parse_version_list(const std::string& text) {
  const std::size_t equals = text.find('=');
  VersionList made{.backend = text.substr(0, equals)};
  if (equals != std::string::npos) {
    made.places = text::split<std::string>(std::string_view(text).substr(equals + 1), ',');
    if (made.places.back().empty()) made.places.pop_back();
  }
  if (made.backend.empty() || made.places.empty()) {
    throw Error("--versions " + text +
                ": write LIBRARY=PLACE[,PLACE...], as onednn=here,/opt/onednn");
  }
  return made;
}

std::vector<VersionResults> known_results(const VersionList& list,
                                          const std::vector<KnownFailure>& failures,
                                          const fs::path& own, const fs::path& folder) {
  std::vector<KnownFailure> wanted;
  std::ranges::copy_if(failures, std::back_inserter(wanted),
                       [&](const KnownFailure& one) { return one.library == list.backend; });
  if (wanted.empty()) throw Error("the lists have no failure of " + list.backend);
  make_directories(folder);
  const fs::path cases = folder / (list.backend + ".cases");
  write_file(cases, cases_text(wanted));
  // What is not there is told before anything is measured.
  std::vector<std::optional<SideOfGate>> sides;
  for (const std::string& place : list.places) {
    sides.emplace_back();
    if (!fs::is_regular_file(place)) {
      sides.back() = side_of(place, list.backend, own / ("bench_" + list.backend));
    }
  }
  std::vector<VersionResults> made;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    fs::path results = list.places[i];
    if (sides[i]) {
      results = folder / fmt::format("{}.{}.json", list.backend, i);
      measure(*sides[i], cases, results, "all", environment_of(*sides[i]));
    }
    made.push_back(read_version(results.string()));
    if (!sides[i] || list.backend != "onednn") continue;
    add_further_runs(made.back(), *sides[i], wanted, folder, i);
  }
  return made;
}

void take_turns(const VersionList& list, const fs::path& own, const fs::path& folder,
                const std::vector<VersionResults>& versions, std::vector<JudgedFailure>& judged) {
  const auto compare = [&](const TurnsRequest& request) -> TurnsRatios {
    const std::size_t before = static_cast<std::size_t>(request.before - versions.data());
    const std::size_t after = static_cast<std::size_t>(request.after - versions.data());
    const auto& places = list.places;
    if (fs::is_regular_file(places[before]) || fs::is_regular_file(places[after])) return {};
    const auto side = [&](std::size_t version) {
      return side_of(places[version], list.backend, own / ("bench_" + list.backend));
    };
    const Measured measured{.backend = list.backend,
                            .problems = request.keys,
                            .precisions = {std::string(to_string(request.precision))},
                            .pace = pace_of(list.backend)};
    const fs::path rounds = folder / fmt::format("{}.{}.{}.{}", list.backend, before, after,
                                                 to_string(request.precision));
    make_directories(rounds);
    const KeptRounds kept(rounds);
    return compare_in_turns([&](const Round& round) {
      kept.need_same(measured, round);
      if (auto rows = kept.find(round)) return *std::move(rows);
      RowsOfRound rows = run_round(side(before), side(after), measured, round, rounds,
                                   [](std::size_t, std::size_t) {});
      kept.add(measured, round);
      return rows;
    });
  };
  decide_in_turns(judged, compare);
}

}  // namespace benanza::regress
