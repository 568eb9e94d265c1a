#pragma once

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace benanza::sqlite {

struct Closer {
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

/// An open database file. Every member, and Statement's, throws Error with the file's name.
class Connection {
 public:
  enum class Mode { read, write };
  /// Mode::write creates the file if it does not exist.
  Connection(std::filesystem::path path, Mode mode);

  const std::filesystem::path& path() const { return path_; }
  sqlite3* get() const { return handle_.get(); }
  /// Runs one or more statements without results.
  void execute(const char* sql);
  std::int64_t last_id() const { return sqlite3_last_insert_rowid(handle_.get()); }
  /// The number of rows that the last INSERT added.
  int changes() const { return sqlite3_changes(handle_.get()); }
  /// Throws unless `code` is one of SQLITE_OK, SQLITE_ROW, SQLITE_DONE.
  void check(int code) const;

 private:
  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Closer> handle_;
};

/// A prepared statement. Parameters are numbered from 1, columns from 0. Bound texts and blobs must
/// outlive the next run of the statement.
class Statement {
 public:
  Statement(const Connection& connection, std::string_view sql);

  void bind(int at, std::int64_t value);
  void bind(int at, double value);
  void bind(int at, std::string_view value);
  void bind(int at, std::span<const double> values);
  void bind(int at, std::nullopt_t);
  template <std::integral T>
  void bind(int at, T value) {
    bind(at, static_cast<std::int64_t>(value));
  }
  void bind(int at, const char* value) { bind(at, std::string_view(value)); }
  void bind(int at, const std::string& value) { bind(at, std::string_view(value)); }
  template <class T>
  void bind(int at, const std::optional<T>& value) {
    if (value) {
      bind(at, *value);
    } else {
      bind(at, std::nullopt);
    }
  }
  /// Advances to the next row of the result; returns false if there is none, and the statement may
  /// be bound again.
  bool step();
  /// Runs it to completion, after which it may be bound again.
  void run();
  /// The same with these values of all parameters.
  template <class... Values>
  void run(const Values&... values) {
    bind_all(values...);
    run();
  }
  template <class... Values>
  void bind_all(const Values&... values) {
    int at = 0;
    (bind(++at, values), ...);
  }
  /// Discards the rest of the result.
  void reset() { sqlite3_reset(handle_.get()); }

  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  std::optional<std::int64_t> optional_integer(int column) const;
  double real(int column) const { return sqlite3_column_double(handle_.get(), column); }
  std::optional<double> optional_real(int column) const;
  /// Valid until the next step.
  std::string_view text(int column) const;
  std::span<const std::byte> blob(int column) const;

 private:
  const Connection& connection_;
  std::unique_ptr<sqlite3_stmt, Closer> handle_;
};

/// A transaction; rolled back on destruction unless committed.
class Transaction {
 public:
  enum class Kind { read, write };
  explicit Transaction(Connection& connection, Kind kind = Kind::write);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Connection& connection_;
  bool open_ = true;
};

}  // namespace benanza::sqlite
