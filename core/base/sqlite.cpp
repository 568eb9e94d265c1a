#include "core/base/sqlite.h"

#include "core/base/error.h"

namespace benanza::sqlite {

Connection::Connection(std::filesystem::path path, Mode mode) : path_(std::move(path)) {
  // Readers open for writing, too, if permitted: the next program to open the database must roll
  // back an import that was killed. A connection is used by one thread only, so it needs no
  // mutexes.
  const int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (mode == Mode::write ? SQLITE_OPEN_CREATE : 0);
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path_.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  check(code);
  constexpr int patience_milliseconds = 5000;
  check(sqlite3_busy_timeout(handle, patience_milliseconds));
  // A row takes about a kilobyte; use larger pages so that several fit.
  execute(mode == Mode::read ? "PRAGMA query_only = 1" : "PRAGMA page_size = 16384");
}

void Connection::check(int code) const {
  switch (code) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
      return;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(path_.string() + ": another program is writing to this database; try again");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      throw Error(path_.string() + ": is damaged, or not a database; make it anew");
    default:
      throw Error(path_.string() + ": database: " + sqlite3_errmsg(handle_.get()));
  }
}

void Connection::execute(const char* sql) {
  check(sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr));
}

Statement::Statement(const Connection& connection, std::string_view sql) : connection_(connection) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v2(connection.get(), sql.data(), static_cast<int>(sql.size()),
                                      &handle, nullptr);
  handle_.reset(handle);
  connection_.check(code);
}

void Statement::bind(int at, std::int64_t value) {
  connection_.check(sqlite3_bind_int64(handle_.get(), at, value));
}

void Statement::bind(int at, std::string_view value) {
  // SQLite binds a null pointer as NULL.
  const char* text = value.data() == nullptr ? "" : value.data();
  connection_.check(
      sqlite3_bind_text64(handle_.get(), at, text, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind(int at, std::span<const double> values) {
  // SQLite binds a null pointer as NULL.
  if (values.empty()) return connection_.check(sqlite3_bind_zeroblob(handle_.get(), at, 0));
  connection_.check(
      sqlite3_bind_blob64(handle_.get(), at, values.data(), values.size_bytes(), SQLITE_STATIC));
}

void Statement::bind(int at, double value) {
  connection_.check(sqlite3_bind_double(handle_.get(), at, value));
}

void Statement::bind(int at, std::nullopt_t) {
  connection_.check(sqlite3_bind_null(handle_.get(), at));
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  sqlite3_reset(handle_.get());
  connection_.check(code);
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  if (sqlite3_column_type(handle_.get(), column) == SQLITE_NULL) return std::nullopt;
  return integer(column);
}

std::optional<double> Statement::optional_real(int column) const {
  if (sqlite3_column_type(handle_.get(), column) == SQLITE_NULL) return std::nullopt;
  return real(column);
}

std::string_view Statement::text(int column) const {
  const auto* data = sqlite3_column_text(handle_.get(), column);
  if (data == nullptr) return {};
  return {reinterpret_cast<const char*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

std::span<const std::byte> Statement::blob(int column) const {
  const void* data = sqlite3_column_blob(handle_.get(), column);
  if (data == nullptr) return {};
  return {static_cast<const std::byte*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

Transaction::Transaction(Connection& connection, Kind kind) : connection_(connection) {
  connection_.execute(kind == Kind::read ? "BEGIN" : "BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (open_) sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  connection_.execute("COMMIT");
  open_ = false;
}

}  // namespace benanza::sqlite
