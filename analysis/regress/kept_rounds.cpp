#include "analysis/regress/kept_rounds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/results_file/read_rows.h"

namespace benanza::regress {
namespace {

std::string asked(const Measured& measured, const Round& round) {
  return fmt::format("{}\n--budget={}\nvisits={}\nplaces={}\n",
                     fmt::join(arguments_of(measured, round), "\n"), measured.budget,
                     measured.pace.visits, measured.pace.places);
}

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

}  // namespace benanza::regress
