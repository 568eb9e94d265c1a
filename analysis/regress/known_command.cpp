#include "analysis/regress/known_command.h"

#include <fmt/format.h>

#include <utility>

#include "analysis/regress/kept_rounds.h"
#include "analysis/regress/known_turns.h"
#include "analysis/regress/process.h"
#include "analysis/regress/round.h"
#include "analysis/regress/side.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"

namespace benanza::regress {
namespace {

namespace fs = std::filesystem;

/// Seconds. Making one call takes longer in some versions: a cold start is seen by the first.
constexpr int problem_seconds = 20;
/// Each ends the suite, which then goes on without that call.
constexpr int most_crashes = 50;
/// Some wrong results need work to be split among that many threads, which few processors do not.
constexpr int many_threads = 8;
constexpr std::string_view threads_variable = "OMP_NUM_THREADS=";

/// Every algorithm: a failure may be in any. Reference code is among them where there is nothing
/// else.
void measure(const SideOfGate& side, const fs::path& cases, const fs::path& results,
             std::vector<std::string> environment) {
  const fs::path err = results.string() + ".err";
  const ChildCommand command{
      .program = side.program,
      .arguments = {"--cases=" + cases.string(), "--algorithms=all", "--no-rotation",
                    "--budget=0.1", fmt::format("{}={}", problem_limit_flag, problem_seconds),
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

}  // namespace

void add_failing_rows(VersionResults& results, std::vector<Row> more) {
  for (Row& row : more) {
    if (row.status != Status::incorrect && row.status != Status::failed) continue;
    row.reason += fmt::format(" ({} threads)", many_threads);
    results.rows.push_back(std::move(row));
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
  std::vector<KnownFailure> of_results;
  for (const KnownFailure& one : failures) {
    if (one.library != list.backend) continue;
    wanted.push_back(one);
    if (is_of_the_result(one)) of_results.push_back(one);
  }
  if (wanted.empty()) throw Error("the lists have no failure of " + list.backend);
  make_directories(folder);
  const fs::path cases = folder / (list.backend + ".cases");
  write_file(cases, cases_text(wanted));
  const fs::path split_cases = folder / (list.backend + ".threads.cases");
  write_file(split_cases, cases_text(of_results));
  const bool has_threads = list.backend == "onednn" && !of_results.empty();
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
      if (!fs::exists(results)) measure(*sides[i], cases, results, environment_of(*sides[i]));
    }
    made.push_back(read_version(results.string()));
    if (!sides[i] || !has_threads) continue;
    const fs::path split = folder / fmt::format("{}.{}.threads.json", list.backend, i);
    if (!fs::exists(split)) {
      measure(*sides[i], split_cases, split, with_many_threads(environment_of(*sides[i])));
    }
    add_failing_rows(made.back(), read_version(split.string()).rows);
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
