// regress_null_test: measures how often the gate of benanza-regress raises a false alarm, and how
// often it finds a slowdown. It redraws whole rounds of one program against itself, measured for
// real (--measure), again and again; which of a round's two processes is the second side is random.
// With --plant, some calls of the second side are made slower.

#include <fmt/format.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <random>
#include <set>

#include "analysis/input/results.h"
#include "analysis/regress/gate.h"
#include "analysis/regress/process.h"
#include "analysis/regress/round.h"
#include "core/base/file.h"
#include "core/results_file/read_rows.h"

namespace {

using namespace benanza;
using namespace benanza::regress;

/// The rows of one process, by name.
using Rows = std::map<std::string, Row, std::less<>>;

/// Two processes that took turns.
using Processes = std::array<Rows, 2>;

Rows read_process(const std::filesystem::path& file) {
  Rows rows;
  read_rows(file, {.begin = [](const Origin&) {},
                   .add = [&](Row&& row) { rows[to_string(row.variant)] = std::move(row); }});
  return rows;
}

/// Reads whole rounds only: those of a second look hold few calls.
std::vector<Processes> read_rounds(const std::string& folder) {
  constexpr std::string_view before = "_before.json";
  std::vector<Processes> rounds;
  std::size_t most = 0;
  for (const std::filesystem::path& file : analysis::result_files({folder})) {
    std::string name = file.string();
    if (!name.ends_with(before)) continue;
    name.replace(name.size() - before.size(), before.size(), "_after.json");
    if (!std::filesystem::exists(name)) continue;
    rounds.push_back({read_process(file), read_process(name)});
    most = std::max({most, rounds.back()[0].size(), rounds.back()[1].size()});
  }
  std::erase_if(rounds, [&](const Processes& round) {
    return round[0].size() < most || round[1].size() < most;
  });
  return rounds;
}

struct Options {
  std::string folder;
  std::string program;
  int measure = 0;
  Measured measured{.unit = Unit::call};
  int runs = 100;
  double tolerance_percent = 3;
  double factor = 1;
  std::size_t planted = 0;
};

void measure(Options& options) {
  const InterruptGuard interrupt;
  ::signal(SIGPIPE, SIG_IGN);
  const SideOfGate side{.program = options.program};
  options.measured.pace = pace_of(options.measured.backend);
  make_directories(options.folder);
  for (int round = 0; round < options.measure; ++round) {
    run_round(side, side, options.measured, {.number = round}, options.folder,
              [](std::size_t, std::size_t) {});
    fmt::print(stderr, "{} of {} rounds measured\n", round + 1, options.measure);
  }
}

class Deal {
 public:
  Deal(const std::vector<Processes>& rounds, const Options& options, unsigned seed)
      : rounds_(rounds), factor_(options.factor), random_(seed), deck_(rounds.size()) {
    std::iota(deck_.begin(), deck_.end(), std::size_t{0});
    std::ranges::shuffle(deck_, random_);
    std::vector<std::string> names;
    for (const auto& [name, row] : rounds.front()[0]) {
      if (row.status == Status::ok) names.push_back(name);
    }
    std::ranges::shuffle(names, random_);
    names.resize(std::min(names.size(), options.planted));
    planted_.insert(names.begin(), names.end());
  }

  const std::set<std::string, std::less<>>& planted() const { return planted_; }

  RowsOfRound operator()(const Round& round) {
    if (dealt_ == deck_.size()) {
      std::ranges::shuffle(deck_, random_);
      dealt_ = 0;
    }
    const Processes& drawn = rounds_[deck_[dealt_++]];
    const std::size_t first = random_() % 2;
    ++rounds_dealt_;
    RowsOfRound rows{.before = rows_of(drawn[first], round, false),
                     .after = rows_of(drawn[1 - first], round, true)};
    rows_dealt_ += rows.before.size();
    return rows;
  }

  std::size_t rounds_dealt() const { return rounds_dealt_; }
  /// Of one side, over all rounds.
  std::size_t rows_dealt() const { return rows_dealt_; }

 private:
  std::vector<Row> rows_of(const Rows& from, const Round& round, bool after) const {
    std::vector<Row> rows;
    const auto add = [&](Row row, const std::string& name) {
      if (after && planted_.contains(name)) {
        for (double& sample : row.samples) sample *= factor_;
      }
      rows.push_back(std::move(row));
    };
    if (round.only.empty()) {
      for (const auto& [name, row] : from) add(row, name);
    }
    for (const VariantName& variant : round.only) {
      const auto found = from.find(to_string(variant));
      if (found != from.end()) add(found->second, found->first);
    }
    return rows;
  }

  const std::vector<Processes>& rounds_;
  double factor_;
  std::mt19937 random_;
  std::vector<std::size_t> deck_;
  std::size_t dealt_ = 0;
  std::size_t rounds_dealt_ = 0;
  std::size_t rows_dealt_ = 0;
  std::set<std::string, std::less<>> planted_;
};

int run(const Options& options) {
  const std::vector<Processes> rounds = read_rounds(options.folder);
  if (rounds.size() < 2) {
    throw std::runtime_error(options.folder +
                             ": fewer than 2 rounds NNN_before.json, NNN_after.json; --measure");
  }
  const GateOptions gate{.unit = Unit::call,
                         .tolerance = options.tolerance_percent / 100,
                         .looks = pace_of(options.measured.backend).looks};
  int with_alarm = 0;
  std::size_t compared = 0;
  std::size_t planted = 0;
  std::size_t found = 0;
  std::size_t false_alarms = 0;
  std::size_t rounds_dealt = 0;
  std::size_t rows_dealt = 0;
  for (int run = 0; run < options.runs; ++run) {
    Deal deal(rounds, options, static_cast<unsigned>(run));
    const GateAnswer answer = judge(gate, std::ref(deal));
    compared = answer.compared;
    planted += deal.planted().size();
    std::size_t wrong = answer.all_slower ? 1 : 0;
    for (const Judged& one : answer.judged) {
      if (!is_regression(one.verdict)) continue;
      ++(deal.planted().contains(one.unit) ? found : wrong);
    }
    false_alarms += wrong;
    rounds_dealt += deal.rounds_dealt();
    rows_dealt += deal.rows_dealt();
    with_alarm += wrong > 0 ? 1 : 0;
  }
  fmt::print(
      "{} rounds, {} calls compared, tolerance {:g}%, {} runs: {} with a false alarm ({} rows)\n",
      rounds.size(), compared, options.tolerance_percent, options.runs, with_alarm, false_alarms);
  fmt::print("a run takes {} rounds and measures {} calls on either side, on average\n",
             rounds_dealt / static_cast<std::size_t>(options.runs),
             rows_dealt / static_cast<std::size_t>(options.runs));
  if (planted > 0) {
    fmt::print("planted {} times {:g}: {} found ({:.1f}%)\n", planted, options.factor, found,
               100.0 * static_cast<double>(found) / static_cast<double>(planted));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program(
      "Deals rounds of real processes out to two sides and counts the gate's verdicts.");
  Options options;
  program.add_option("FOLDER", options.folder, "Results of processes of one program")->required();
  program.add_option("--measure", options.measure, "Measure so many rounds into it first");
  program.add_option("--program", options.program, "The suite: build/bin/bench_onednn")->required();
  std::string algorithms = "all";
  program.add_option("--algorithms", algorithms, "As benanza-regress has it")
      ->check(CLI::IsMember({"best", "all"}));
  program.add_option("--graph", options.measured.graphs, "As benanza-regress has it");
  program.add_option("--precision", options.measured.precisions, "As benanza-regress has it");
  program.add_option("--filter", options.measured.filter, "As benanza-regress has it");
  program.add_option("--problem", options.measured.problems, "As benanza-regress has it");
  program.add_option("--budget", options.measured.budget, "As benanza-regress has it");
  program.add_option("--runs", options.runs, "How often");
  program.add_option("--tolerance", options.tolerance_percent, "In percent");
  program.add_option("--plant", options.factor,
                     "Calls of the second side take so many times as long");
  program.add_option("--calls", options.planted, "How many of them");
  CLI11_PARSE(program, argc, argv);
  try {
    // "bench_onednn"
    const std::string name = std::filesystem::path(options.program).filename();
    options.measured.unit = algorithms == "best" ? Unit::choice : Unit::call;
    options.measured.backend = name.substr(name.find('_') + 1);
    if (options.measure > 0) measure(options);
    return run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "regress_null_test: {}\n", error.what());
    return 1;
  }
}
