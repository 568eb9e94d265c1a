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

/// Empty if the line is no origin, or of another schema.
std::optional<Origin> parse_origin(std::string_view line) {
  try {
    const auto json = nlohmann::json::parse(line);
    if (json.at("schema") != results_schema) return std::nullopt;
    return Origin{.backend = json.at("backend"), .system = json.at("system").get<System>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

/// Without those that are still being written.
std::vector<std::string> complete_lines(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line) && !file.eof();) lines.push_back(line);
  return lines;
}

}  // namespace

std::filesystem::path journal_of(const std::filesystem::path& results) {
  return results.string() + ".journal";
}

std::optional<JournalRows> parse_journal(std::span<const std::string> lines) {
  if (lines.empty()) return std::nullopt;
  std::optional<Origin> origin = parse_origin(lines.front());
  if (!origin) return std::nullopt;
  JournalRows journal{.origin = *std::move(origin)};
  std::map<RowName, std::size_t> places;
  RowParser parser;
  for (const std::string& line : lines.subspan(1)) {
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
      // Damaged.
    }
  }
  return journal;
}

std::optional<JournalRows> read_journal(const std::filesystem::path& results) {
  std::optional<JournalRows> journal = parse_journal(complete_lines(journal_of(results)));
  if (!journal || journal->rows.empty()) return std::nullopt;
  journal->origin.file = results;
  return journal;
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
