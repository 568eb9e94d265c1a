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

/// Returns true if the file starts with the SQLite signature.
bool is_database(const std::filesystem::path& path);

/// The counts of an import.
struct ImportCount {
  std::size_t files = 0;
  std::size_t added = 0;
  /// Rows that were already in the database.
  std::size_t known = 0;
};

/// The rows of one backend, precision and layout, by status, and the number of their problems.
struct DatabaseTally {
  std::string backend{};
  std::string precision{};
  std::string layout{};
  std::size_t problems = 0;
  std::size_t rows = 0;
  std::map<Status, std::size_t> by_status{};
};

/// A results database: rows of several backends, looked up by key without reading the rest. Each
/// backend has one system. Every member function throws Error with a one-line message.
class Database {
 public:
  /// Opens it for reading. Throws if there is no such file or another program wrote it.
  explicit Database(const std::filesystem::path& path);

  std::vector<Origin> origins();
  std::vector<DatabaseTally> tallies();
  /// Passes every row of these problems to `add`, by key and, within a key, in order of import.
  void find(const std::set<std::string, std::less<>>& keys, const std::function<void(Row&&)>& add);
  /// Passes every row of `backend` (empty: of all backends) to `add`, in order of import.
  void all(const std::string& backend, const std::function<void(Row&&)>& add);

 private:
  sqlite::Connection connection_;
  RowParser parser_;
  sqlite::Statement find_problem_;
  sqlite::Statement find_rows_;
};

/// Hashes the parts of a row that distinguish it from the other rows of its problem.
using RowHash = std::int64_t (*)(const Row& row);
std::int64_t row_hash(const Row& row);

/// Adds the rows of `files` to the database, creating it if there is none. Adds nothing if a file
/// is not a results file or was measured on another system than the backend's results in the
/// database. Skips rows that are already there (equal variant, repetition, outcome and samples).
/// Handles hash collisions: different rows are never taken for equal, whatever `hash` returns.
ImportCount import_results(const std::filesystem::path& database,
                           const std::vector<std::filesystem::path>& files,
                           RowHash hash = row_hash);

}  // namespace benanza::analysis
