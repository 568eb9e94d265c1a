#include "analysis/regress/round.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "analysis/regress/process.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/results_file/read_rows.h"

namespace benanza::regress {
namespace {

std::string asked(const Measured& measured, const Round& round) {
  return fmt::format("{}\n--budget={}\nvisits={}\nplaces={}\n",
                     fmt::join(arguments_of(measured, round), "\n"), measured.budget,
                     measured.pace.visits, measured.pace.places);
}

namespace fs = std::filesystem;

/// The variants that the two processes set up at a time; empty: that side has none.
using Turn = std::array<std::string, 2>;

/// Returns the units with the name of the library's first choice of each, in order.
std::vector<std::pair<std::string, std::string>> units_in(std::string_view names, Unit unit) {
  std::vector<std::pair<std::string, std::string>> units;
  std::set<std::string> seen;
  while (!names.empty()) {
    const std::string name(names.substr(0, names.find('\n')));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    std::string of = unit_name(parse_variant_name(name), unit);
    if (seen.insert(of).second) units.emplace_back(std::move(of), name);
  }
  return units;
}

std::vector<Turn> turns_of(std::string_view before, std::string_view after, Unit unit) {
  std::vector<Turn> turns;
  std::map<std::string, std::size_t> places;
  for (auto& [name_of_unit, name] : units_in(before, unit)) {
    places[name_of_unit] = turns.size();
    turns.push_back({name, ""});
  }
  for (auto& [name_of_unit, name] : units_in(after, unit)) {
    const auto place = places.find(name_of_unit);
    if (place == places.end()) {
      turns.push_back({"", name});
    } else {
      turns[place->second][1] = name;
    }
  }
  return turns;
}

/// The suites' own filter may have let other variants pass.
void keep_only(std::vector<Turn>& turns, const std::vector<VariantName>& wanted) {
  std::set<std::string> names{""};
  for (const VariantName& variant : wanted) names.insert(to_string(variant));
  std::erase_if(turns, [&](const Turn& turn) {
    return !names.contains(turn[0]) || !names.contains(turn[1]);
  });
}

template <class Number>
Number number(const std::string& text) {
  if (const auto value = text::number<Number>(text)) return *value;
  throw Error('"' + text + "\" is no answer of a suite");
}

class Visitor {
 public:
  Visitor(Process& before, Process& after, const Round& round, Pace pace)
      : sides_{&before, &after}, round_(round), pace_(pace) {}

  void visit(const Turn& turn) {
    tell_each(turn, [&](std::size_t side) { return "begin " + turn[side]; });
    // Use equally many calls per sample on both sides, for the same overhead per sample.
    std::int64_t calls = 0;
    std::vector<std::size_t> there;
    for (const std::size_t side : {0U, 1U}) {
      if (turn[side].empty()) continue;
      const auto own = number<std::int64_t>(sides_[side]->listen());
      calls = std::max(calls, own);
      if (own > 0) there.push_back(side);
    }
    if (!round_.before_first()) std::ranges::reverse(there);
    for (int visit = 0; visit < pace_.visits; ++visit) {
      if (visit > 0 && place_of(visit) != place_of(visit - 1)) move(there);
      for (const std::size_t side : there) sides_[side]->ask(fmt::format("visit {}", calls));
      std::ranges::reverse(there);
    }
    tell_each(turn, [](std::size_t) { return std::string("end"); });
    for (const std::size_t side : {0U, 1U}) {
      if (!turn[side].empty()) sides_[side]->listen();
    }
  }

 private:
  int place_of(int visit) const { return visit * pace_.places / pace_.visits; }

  /// A call that cannot be set up again has visits of no time from here on, and a row without one.
  void move(const std::vector<std::size_t>& there) {
    for (const std::size_t side : there) sides_[side]->tell("move");
    for (const std::size_t side : there) sides_[side]->listen();
  }

  template <class Words>
  void tell_each(const Turn& turn, const Words& words) {
    for (const std::size_t side : {0U, 1U}) {
      if (!turn[side].empty()) sides_[side]->tell(words(side));
    }
  }

  std::array<Process*, 2> sides_;
  const Round& round_;
  Pace pace_;
};

}  // namespace

std::filesystem::path KeptRounds::file(int number, const char* ending) const {
  return folder_ / fmt::format("{:03}{}", number, ending);
}

std::vector<Row> rows_in(const std::filesystem::path& file) {
  std::vector<Row> rows;
  read_rows(file, {.begin = [](const Origin&) {},
                   .add = [&](Row&& row) { rows.push_back(std::move(row)); }});
  return rows;
}

std::optional<RowsOfRound> KeptRounds::find(const Round& round) const {
  if (!std::filesystem::exists(file(round.number, ".round"))) return std::nullopt;
  return RowsOfRound{.before = rows_in(file(round.number, "_before.json")),
                     .after = rows_in(file(round.number, "_after.json"))};
}

void KeptRounds::need_same(const Measured& measured, const Round& round) const {
  const std::filesystem::path mark = file(round.number, ".round");
  if (!std::filesystem::exists(mark) || read_file(mark) == asked(measured, round)) return;
  throw Error(folder_.string() + ": holds another comparison: --fresh discards it");
}

void KeptRounds::add(const Measured& measured, const Round& round) const {
  write_file(file(round.number, ".round"), asked(measured, round));
}

int KeptRounds::count() const {
  int number = 0;
  while (std::filesystem::exists(file(number, ".round"))) ++number;
  return number;
}

GateOptions with_rounds(GateOptions options, int rounds) {
  const int left = rounds - options.screening_rounds;
  if (left < 1) {
    throw Error(fmt::format("{} whole rounds are kept, {} are the least to judge by", rounds,
                            options.screening_rounds + 1));
  }
  std::erase_if(options.looks, [&](int look) { return look >= left; });
  options.looks.push_back(left);
  return options;
}

RowsOfRound run_round(const SideOfGate& before, const SideOfGate& after, const Measured& measured,
                      const Round& round, const fs::path& folder, const Progress& progress) {
  const auto file = [&](bool is_before, const char* ending) {
    return folder / fmt::format("{:03}_{}{}", round.number, is_before ? "before" : "after", ending);
  };
  const auto start = [&](bool is_before) {
    std::vector<std::string> words = arguments_of(measured, round);
    words.emplace_back("--serve");
    words.push_back("--budget=" + measured.budget);
    words.push_back("--benchmark_out=" + file(is_before, ".json").string());
    const SideOfGate& side = is_before ? before : after;
    std::vector<std::string> variables = environment_of(side);
    // Only the first process waits for the GPU lock, for both.
    if (!is_before) variables.emplace_back("BENANZA_GPU_LOCK=none");
    return Process({.program = side.program,
                    .arguments = std::move(words),
                    .environment = std::move(variables),
                    .out = "/dev/null",
                    .err = file(is_before, ".log")});
  };
  Process one = start(true);
  Process other = start(false);
  const std::string names = one.listen();
  const Unit unit = round.only.empty() ? measured.unit : Unit::call;
  std::vector<Turn> turns = turns_of(names, other.listen(), unit);
  if (!round.only.empty()) keep_only(turns, round.only);
  Visitor visitor(one, other, round, measured.pace);
  for (std::size_t done = 0; done < turns.size(); ++done) {
    progress(done, turns.size());
    visitor.visit(turns[done]);
  }
  one.finish();
  other.finish();
  return {.before = rows_in(file(true, ".json")), .after = rows_in(file(false, ".json"))};
}

}  // namespace benanza::regress
