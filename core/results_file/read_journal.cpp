#include "core/results_file/read_journal.h"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/error.h"

namespace benanza {
namespace {

using RowName = std::pair<std::string, std::int64_t>;

RowName name_of(const Row& row) { return {to_string(row.variant), row.repetition}; }

}  // namespace

std::filesystem::path journal_of(const std::filesystem::path& results) {
  return results.string() + ".journal";
}

std::optional<Origin> parse_origin(std::string_view line) {
  try {
    const auto json = nlohmann::json::parse(line);
    if (json.at("schema") != results_schema) return std::nullopt;
    return Origin{.backend = json.at("backend"), .system = json.at("system").get<System>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::optional<JournalRows> read_journal(const std::filesystem::path& results) {
  std::ifstream file(journal_of(results), std::ios::binary);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  const std::optional<Origin> origin = parse_origin(line);
  if (!origin) return std::nullopt;
  JournalRows journal{.origin = *origin};
  journal.origin.file = results;
  std::map<RowName, std::size_t> places;
  RowParser parser;
  // A line without its end is still being written.
  while (std::getline(file, line) && !file.eof()) {
    try {
      std::optional<Row> row = parser.parse(line);
      if (!row) continue;
      const auto [place, is_new] = places.try_emplace(name_of(*row), journal.rows.size());
      if (is_new) {
        journal.rows.push_back(std::move(*row));
      } else {
        journal.rows[place->second] = std::move(*row);
      }
    } catch (const Error&) {
      // Damaged, as for the suite: its measurement is repeated.
    }
  }
  return journal.rows.empty() ? std::nullopt : std::optional(std::move(journal));
}

void read_rows_and_journal(const std::filesystem::path& results, const ResultsSink& sink,
                           std::string_view remedy) {
  std::optional<JournalRows> journal = read_journal(results);
  if (!journal) return read_rows(results, sink, remedy);
  std::set<RowName> replaced;
  for (const Row& row : journal->rows) replaced.insert(name_of(row));
  if (std::filesystem::exists(results)) {
    read_rows(results,
              {.begin = sink.begin,
               .add =
                   [&](Row&& row) {
                     if (!replaced.contains(name_of(row))) sink.add(std::move(row));
                   }},
              remedy);
  } else {
    sink.begin(journal->origin);
  }
  for (Row& row : journal->rows) sink.add(std::move(row));
}

}  // namespace benanza
