#include "analysis/input/database_schema.h"

#include "core/base/error.h"

namespace benanza::analysis {
namespace {

// The application id in the file's header, "BnZ1", by which `file` and this program recognise it.
constexpr std::int64_t application = 0x426e5a31;
constexpr std::int64_t schema = 1;

std::int64_t pragma(const sqlite::Connection& connection, const char* sql) {
  sqlite::Statement statement(connection, sql);
  statement.step();
  const std::int64_t value = statement.integer(0);
  statement.reset();
  return value;
}

bool is_empty(const sqlite::Connection& connection) {
  return pragma(connection, "SELECT count(*) FROM sqlite_schema") == 0;
}

}  // namespace

void create_tables(sqlite::Connection& connection) {
  if (!is_empty(connection)) return require_tables(connection);
  connection.execute(R"(
    PRAGMA application_id = 1114528305;
    PRAGMA user_version = 1;
    CREATE TABLE systems(
      id INTEGER PRIMARY KEY,
      backend TEXT NOT NULL UNIQUE,
      system TEXT NOT NULL,
      peaks TEXT NOT NULL);
    CREATE TABLE problems(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
    CREATE TABLE measurements(
      id INTEGER PRIMARY KEY,
      problem INTEGER NOT NULL REFERENCES problems(id),
      hash INTEGER NOT NULL,
      system INTEGER NOT NULL REFERENCES systems(id),
      precision TEXT NOT NULL,
      layout TEXT NOT NULL,
      algorithm TEXT NOT NULL,
      cold INTEGER NOT NULL,
      repetition INTEGER NOT NULL,
      status INTEGER NOT NULL,
      reason TEXT NOT NULL,
      samples BLOB NOT NULL,
      workspace_bytes INTEGER,
      heuristic_rank INTEGER,
      tensor_cores INTEGER,
      facts TEXT NOT NULL);
    CREATE UNIQUE INDEX measurements_of_problem ON measurements(problem, hash);)");
}

void require_tables(const sqlite::Connection& connection) {
  const std::string path = connection.path().string();
  if (is_empty(connection)) throw Error(path + ": is an empty database; import results into it");
  if (pragma(connection, "PRAGMA application_id") != application) {
    throw Error(path + ": is a database of another program, not of benanza-analyze");
  }
  if (const auto found = pragma(connection, "PRAGMA user_version"); found != schema) {
    throw Error(path + ": is a database of schema " + std::to_string(found) + ", not " +
                std::to_string(schema) + "; import the results anew");
  }
}

}  // namespace benanza::analysis
