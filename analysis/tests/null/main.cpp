// regress_null_test: how often does the gate of benanza-regress raise an alarm about nothing, and
// how often does it find what is slower? Processes of one program, measured for real
// (benanza-regress --before here --after here --out FOLDER), are dealt out again and again: the two
// that took turns stay together, for what disturbed one disturbed the other, and which of them is
// the second side is drawn. With --plant, some calls of the second side are made slower.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <random>
#include <set>

#include "analysis/input/results.h"
#include "analysis/regress/gate.h"
#include "core/results_file/read_rows.h"

namespace {

using namespace benanza;
using namespace benanza::regress;

/// The rows of one process, by name.
using Process = std::map<std::string, std::vector<Row>, std::less<>>;

/// Two that took turns.
using Pair = std::array<Process, 2>;

Process read_process(const std::filesystem::path& file) {
  Process process;
  read_rows(file,
            {.begin = [](const Origin&) {},
             .add = [&](Row&& row) { process[to_string(row.variant)].push_back(std::move(row)); }});
  return process;
}

/// Whole runs only: rounds of a second look hold few calls.
std::vector<Pair> read_pairs(const std::string& folder) {
  constexpr std::string_view before = "_before.json";
  std::vector<Pair> pairs;
  std::size_t most = 0;
  for (const std::filesystem::path& file : analysis::result_files({folder})) {
    std::string name = file.string();
    if (!name.ends_with(before)) continue;
    name.replace(name.size() - before.size(), before.size(), "_after.json");
    if (!std::filesystem::exists(name)) continue;
    pairs.push_back({read_process(file), read_process(name)});
    most = std::max({most, pairs.back()[0].size(), pairs.back()[1].size()});
  }
  std::erase_if(pairs,
                [&](const Pair& pair) { return pair[0].size() < most || pair[1].size() < most; });
  return pairs;
}

struct Options {
  std::string folder;
  int runs = 100;
  double tolerance_percent = 3;
  double factor = 1;
  std::size_t planted = 0;
};

class Deal {
 public:
  Deal(const std::vector<Pair>& pairs, const Options& options, unsigned seed)
      : pairs_(pairs), factor_(options.factor), random_(seed), deck_(pairs.size()) {
    std::iota(deck_.begin(), deck_.end(), std::size_t{0});
    std::ranges::shuffle(deck_, random_);
    std::vector<std::string> names;
    for (const auto& [name, rows] : pairs.front()[0]) {
      if (rows.front().status == Status::ok) names.push_back(name);
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
    const Pair& pair = pairs_[deck_[dealt_++]];
    const std::size_t first = random_() % 2;
    RowsOfRound rows;
    rows.before = rows_of(pair[first], round, false);
    rows.after = rows_of(pair[1 - first], round, true);
    return rows;
  }

 private:
  std::vector<Row> rows_of(const Process& process, const Round& round, bool after) const {
    std::vector<Row> rows;
    const auto add = [&](const std::string& name, const std::vector<Row>& from) {
      for (Row row : from) {
        if (after && planted_.contains(name)) {
          for (double& sample : row.samples) sample *= factor_;
        }
        rows.push_back(std::move(row));
      }
    };
    if (round.only.empty()) {
      for (const auto& [name, from] : process) add(name, from);
    }
    for (const VariantName& variant : round.only) {
      const auto found = process.find(to_string(variant));
      if (found != process.end()) add(found->first, found->second);
    }
    return rows;
  }

  const std::vector<Pair>& pairs_;
  double factor_;
  std::mt19937 random_;
  std::vector<std::size_t> deck_;
  std::size_t dealt_ = 0;
  std::set<std::string, std::less<>> planted_;
};

int run(const Options& options) {
  const std::vector<Pair> pairs = read_pairs(options.folder);
  if (pairs.size() < 2) {
    throw std::runtime_error(options.folder +
                             ": fewer than 2 pairs NNN_before.json, NNN_after.json");
  }
  const GateOptions gate{.unit = Unit::call, .tolerance = options.tolerance_percent / 100};
  int with_alarm = 0;
  std::size_t compared = 0;
  std::size_t planted = 0;
  std::size_t found = 0;
  std::size_t false_alarms = 0;
  for (int run = 0; run < options.runs; ++run) {
    Deal deal(pairs, options, static_cast<unsigned>(run));
    const GateAnswer answer = judge(gate, std::ref(deal));
    compared = answer.compared;
    planted += deal.planted().size();
    std::size_t wrong = answer.all_slower ? 1 : 0;
    for (const Judged& one : answer.judged) {
      if (!is_regression(one.verdict)) continue;
      ++(deal.planted().contains(one.unit) ? found : wrong);
    }
    false_alarms += wrong;
    with_alarm += wrong > 0 ? 1 : 0;
  }
  fmt::print(
      "{} pairs of processes, {} calls compared, tolerance {:g}%, {} runs: {} with a false alarm "
      "({} "
      "rows)\n",
      pairs.size(), compared, options.tolerance_percent, options.runs, with_alarm, false_alarms);
  if (planted > 0) {
    fmt::print("planted {} times {:g}: {} found ({:.1f}%)\n", planted, options.factor, found,
               100.0 * static_cast<double>(found) / static_cast<double>(planted));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program(
      "Deals pairs of real processes out to two sides and counts the gate's verdicts.");
  Options options;
  program.add_option("FOLDER", options.folder, "Results of processes of one program")->required();
  program.add_option("--runs", options.runs, "How often");
  program.add_option("--tolerance", options.tolerance_percent, "In percent");
  program.add_option("--plant", options.factor,
                     "Calls of the second side take so many times as long");
  program.add_option("--calls", options.planted, "How many of them");
  CLI11_PARSE(program, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "regress_null_test: {}\n", error.what());
    return 1;
  }
}
