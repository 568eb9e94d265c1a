#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/sqlite.h"
#include "core/results_file/read_rows.h"

namespace benanza::analysis {

/// True if the file begins as an SQLite database does.
bool is_database(const std::filesystem::path& path);

/// What an import did.
struct ImportCount {
  std::size_t files = 0;
  std::size_t added = 0;
  /// Rows that were in the database already.
  std::size_t known = 0;
};

/// How many variants of one backend, precision and layout ended how, of how many problems.
struct DatabaseTally {
  std::string backend{};
  std::string precision{};
  std::string layout{};
  std::size_t problems = 0;
  std::size_t rows = 0;
  std::map<Status, std::size_t> by_status{};
};

/// Results in one file, for joining by key without reading the rest. One system for each backend.
/// Every member throws Error, one line.
class Database {
 public:
  /// To read. Throws if there is none, or another program's.
  explicit Database(const std::filesystem::path& path);

  std::vector<Origin> origins();
  std::vector<DatabaseTally> tallies();
  /// Every row of these problems, in the order of the keys, those of one in the order of import.
  void find(const std::set<std::string, std::less<>>& keys, const std::function<void(Row&&)>& add);
  /// Every row of one backend, or of all if it is empty, in the order of import.
  void all(const std::string& backend, const std::function<void(Row&&)>& add);

 private:
  sqlite::Connection connection_;
  sqlite::Statement find_problem_;
  sqlite::Statement find_rows_;
};

/// Where to look for rows of one problem that may be equal.
using RowHash = std::int64_t (*)(const Row& row);
std::int64_t row_hash(const Row& row);

/// Adds the files' rows to the database, creating it if there is none: all of them, or none where
/// one is no results file or was measured on another system than the backend's results that are
/// there. A row that is there already (equal variant, repetition, outcome and samples) is not added
/// again; rows that differ are never mistaken for one, whatever `hash` says.
ImportCount import_results(const std::filesystem::path& database,
                           const std::vector<std::filesystem::path>& files,
                           RowHash hash = row_hash);

}  // namespace benanza::analysis
