#include "analysis/input/database.h"

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "analysis/input/database_schema.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

using sqlite::Connection;
using sqlite::Statement;
namespace fs = std::filesystem;

constexpr std::string_view row_columns =
    "m.precision, m.layout, m.algorithm, m.cold, m.repetition, m.status, m.reason, m.samples, "
    "m.workspace_bytes, m.heuristic_rank, m.tensor_cores, m.facts, s.backend";

/// A query for row_columns, then `more`, of the rows that the clauses `which` select.
std::string select_rows(std::string_view more, std::string_view which) {
  std::string query = "SELECT ";
  query += row_columns;
  query += more;
  query += " FROM measurements m JOIN systems s ON s.id = m.system ";
  query += which;
  return query;
}

/// Reads a row from `columns`, in the order of row_columns, which lack the key.
Row read_row(RowParser& parser, const Statement& columns, std::string key, const fs::path& path) {
  const auto precision = parse_precision(columns.text(0));
  const auto layout = parse_layout(columns.text(1));
  const std::int64_t status = columns.integer(5);
  if (!precision || !layout || status < 0 || status > static_cast<std::int64_t>(Status::failed)) {
    throw Error(path.string() + ": a row of " + key + " makes no sense; import the results anew");
  }
  Row row{.variant = {.key = std::move(key),
                      .precision = *precision,
                      .layout = *layout,
                      .backend = std::string(columns.text(12)),
                      .algorithm = std::string(columns.text(2)),
                      .cold = columns.integer(3) != 0},
          .repetition = columns.integer(4),
          .status = static_cast<Status>(status),
          .reason = std::string(columns.text(6)),
          .workspace_bytes = columns.optional_integer(8)};
  if (const auto rank = columns.optional_integer(9)) row.heuristic_rank = static_cast<int>(*rank);
  parser.add_members(row, columns.text(11));
  const std::span<const std::byte> bytes = columns.blob(7);
  row.samples.resize(bytes.size() / sizeof(double));
  if (!bytes.empty()) {
    std::memcpy(row.samples.data(), bytes.data(), row.samples.size() * sizeof(double));
  }
  if (row.status == Status::ok && row.samples.empty()) {
    throw Error(path.string() + ": a row of " + row.variant.key +
                " has no samples; import the results anew");
  }
  return row;
}

/// 64-bit hash (FNV-1a for text) to find a row of a problem that may be equal. It may collide.
class Hash {
 public:
  Hash& add(std::string_view bytes) {
    for (const char byte : bytes) {
      value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
    // Hash the length too, so that moving characters between adjacent strings changes the hash.
    value_ = (value_ ^ bytes.size()) * 0x100000001b3U;
    return *this;
  }
  Hash& add(std::uint64_t value) {
    value_ = (value_ ^ value) * 0x9e3779b97f4a7c15U;
    value_ ^= value_ >> 29;
    return *this;
  }
  std::int64_t value() const { return static_cast<std::int64_t>(value_); }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

/// Returns true if importing `b` after `a` would add nothing.
bool is_same(const Row& a, const Row& b) {
  return a.variant == b.variant && a.repetition == b.repetition && a.status == b.status &&
         a.reason == b.reason && a.samples == b.samples;
}

}  // namespace

std::int64_t row_hash(const Row& row) {
  const VariantName& variant = row.variant;
  Hash hash;
  hash.add(to_string(variant.precision))
      .add(to_string(variant.layout))
      .add(variant.backend)
      .add(variant.algorithm)
      .add(variant.cold ? 1U : 0U)
      .add(static_cast<std::uint64_t>(row.repetition))
      .add(static_cast<std::uint64_t>(row.status))
      .add(row.reason);
  for (const double sample : row.samples) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &sample, sizeof bits);
    hash.add(bits);
  }
  // Those of older databases are of the first process.
  if (const std::int64_t process = row.process_number(); process != 1) {
    hash.add(static_cast<std::uint64_t>(process));
  }
  return hash.value();
}

namespace {

std::vector<Origin> read_origins(const Connection& connection) {
  using nlohmann::json;
  std::vector<Origin> origins;
  Statement statement(connection, "SELECT backend, system, peaks FROM systems ORDER BY backend");
  while (statement.step()) {
    try {
      Origin& origin =
          origins.emplace_back(Origin{.backend = std::string(statement.text(0)),
                                      .system = json::parse(statement.text(1)).get<System>(),
                                      .file = connection.path()});
      const json measured = json::parse(statement.text(2));
      for (const auto& [name, value] : measured.items()) {
        if (value.is_array()) {
          origin.anchors[name] = value.get<std::vector<double>>();
        } else {
          origin.peaks[name] = value.get<double>();
        }
      }
    } catch (const json::exception&) {
      throw Error(connection.path().string() +
                  ": its systems make no sense; import the results anew");
    }
  }
  return origins;
}

/// Inserts rows within an open transaction.
class RowInserter {
 public:
  RowInserter(Connection& connection, RowHash hash)
      : connection_(connection),
        hash_(hash),
        find_problem_(connection, "SELECT id FROM problems WHERE key = ?1"),
        add_problem_(connection, "INSERT INTO problems(key) VALUES(?1)"),
        add_row_(connection,
                 "INSERT INTO measurements(problem, hash, system, precision, layout, "
                 "algorithm, cold, repetition, status, reason, samples, workspace_bytes, "
                 "heuristic_rank, tensor_cores, facts) "
                 "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15) "
                 "ON CONFLICT(problem, hash) DO NOTHING"),
        find_row_(connection, select_rows("", "WHERE m.problem = ?1 AND m.hash = ?2")) {}

  /// Sets the backend and system of the rows that are added next.
  void begin(const Origin& origin) {
    PeakValues peaks = origin.peaks;
    AnchorTimes anchors = origin.anchors;
    for (const Origin& known : read_origins(connection_)) {
      if (known.backend != origin.backend) continue;
      require_same_system(known, origin);
      for (const auto& [name, value] : known.peaks) peaks[name] = std::max(peaks[name], value);
      anchors = known.anchors;
      add_anchors(anchors, origin.anchors);
      if (peaks == known.peaks && anchors == known.anchors) return select(origin.backend);
    }
    Statement add(connection_,
                  "INSERT INTO systems(backend, system, peaks) VALUES(?1, ?2, ?3) "
                  "ON CONFLICT(backend) DO UPDATE SET peaks = excluded.peaks");
    const std::string system = nlohmann::json(origin.system).dump();
    nlohmann::json measured = peaks;
    for (const auto& [name, seconds] : anchors) measured[name] = seconds;
    const std::string peak_text = measured.dump();
    add.bind(1, std::string_view(origin.backend));
    add.bind(2, std::string_view(system));
    add.bind(3, std::string_view(peak_text));
    add.run();
    select(origin.backend);
  }

  /// Returns false if the row was already there.
  bool add(const Row& row) {
    const VariantName& variant = row.variant;
    if (variant.backend != backend_) {
      throw Error(to_string(variant) + ": a row of another backend than its file's, " + backend_);
    }
    const std::int64_t problem = problem_id(variant.key);
    add_row_.bind(1, problem);
    add_row_.bind(3, system_);
    add_row_.bind(4, to_string(variant.precision));
    add_row_.bind(5, to_string(variant.layout));
    add_row_.bind(6, std::string_view(variant.algorithm));
    add_row_.bind(7, std::int64_t{variant.cold});
    add_row_.bind(8, row.repetition);
    add_row_.bind(9, static_cast<std::int64_t>(row.status));
    add_row_.bind(10, std::string_view(row.reason));
    add_row_.bind(11, std::span<const double>(row.samples));
    add_row_.bind(12, row.workspace_bytes);
    add_row_.bind(13, row.heuristic_rank);
    add_row_.bind(14, row.tensor_cores());
    const std::string members = members_text(row);
    add_row_.bind(15, std::string_view(members));
    // On a hash collision with a different row, try the next number.
    for (auto hash = static_cast<std::uint64_t>(hash_(row));; ++hash) {
      add_row_.bind(2, static_cast<std::int64_t>(hash));
      add_row_.run();
      if (connection_.changes() > 0) return true;
      if (is_same(row, held_row(problem, static_cast<std::int64_t>(hash), variant.key)))
        return false;
    }
  }

 private:
  void select(const std::string& backend) {
    backend_ = backend;
    Statement find(connection_, "SELECT id FROM systems WHERE backend = ?1");
    find.bind(1, std::string_view(backend));
    find.step();
    system_ = find.integer(0);
  }

  Row held_row(std::int64_t problem, std::int64_t hash, const std::string& key) {
    find_row_.bind(1, problem);
    find_row_.bind(2, hash);
    find_row_.step();
    Row row = read_row(parser_, find_row_, key, connection_.path());
    find_row_.reset();
    return row;
  }

  std::int64_t problem_id(const std::string& key) {
    const auto [known, added] = problems_.try_emplace(key, 0);
    if (!added) return known->second;
    find_problem_.bind(1, std::string_view(key));
    if (find_problem_.step()) {
      known->second = find_problem_.integer(0);
      find_problem_.reset();
    } else {
      add_problem_.bind(1, std::string_view(key));
      add_problem_.run();
      known->second = connection_.last_id();
    }
    return known->second;
  }

  Connection& connection_;
  RowHash hash_;
  RowParser parser_;
  Statement find_problem_;
  Statement add_problem_;
  Statement add_row_;
  Statement find_row_;
  std::unordered_map<std::string, std::int64_t> problems_;
  std::string backend_;
  std::int64_t system_ = 0;
};

const fs::path& require_database(const fs::path& path) {
  if (fs::is_directory(path)) throw Error(path.string() + ": is a folder, not a database");
  if (!fs::exists(path)) throw Error(path.string() + ": there is no such database");
  if (!is_database(path)) throw Error(path.string() + ": is not a database");
  return path;
}

}  // namespace

bool is_database(const fs::path& path) {
  constexpr std::string_view magic("SQLite format 3\0", 16);
  std::string head(magic.size(), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return in && head == magic;
}

Database::Database(const fs::path& path)
    : connection_(require_database(path), Connection::Mode::read),
      find_problem_((require_tables(connection_), connection_),
                    "SELECT id FROM problems WHERE key = ?1"),
      // Sort the ids before reading any row: sorting whole rows would copy them.
      find_rows_(connection_,
                 select_rows("",
                             "WHERE m.id IN (SELECT id FROM measurements WHERE problem = ?1) "
                             "ORDER BY m.id")) {
  // Map the file into memory rather than copying its pages.
  connection_.execute("PRAGMA mmap_size = 4294967296");
}

std::vector<Origin> Database::origins() { return read_origins(connection_); }

std::vector<DatabaseTally> Database::tallies() {
  std::vector<DatabaseTally> tallies;
  Statement statement(
      connection_,
      "SELECT s.backend, m.precision, m.layout, m.status, count(*) FROM measurements m "
      "JOIN systems s ON s.id = m.system GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4");
  while (statement.step()) {
    const auto is = [&](const DatabaseTally& tally) {
      return tally.backend == statement.text(0) && tally.precision == statement.text(1) &&
             tally.layout == statement.text(2);
    };
    if (tallies.empty() || !is(tallies.back())) {
      tallies.push_back({.backend = std::string(statement.text(0)),
                         .precision = std::string(statement.text(1)),
                         .layout = std::string(statement.text(2))});
    }
    const auto count = static_cast<std::size_t>(statement.integer(4));
    tallies.back().by_status[static_cast<Status>(statement.integer(3))] += count;
    tallies.back().rows += count;
  }
  Statement problems(
      connection_,
      "SELECT count(DISTINCT m.problem) FROM measurements m JOIN systems s ON s.id = m.system "
      "GROUP BY s.backend, m.precision, m.layout ORDER BY s.backend, m.precision, m.layout");
  for (std::size_t i = 0; i < tallies.size() && problems.step(); ++i) {
    tallies[i].problems = static_cast<std::size_t>(problems.integer(0));
  }
  return tallies;
}

void Database::find(const std::set<std::string, std::less<>>& keys,
                    const std::function<void(Row&&)>& add) {
  const sqlite::Transaction one_lock_for_all(connection_, sqlite::Transaction::Kind::read);
  for (const std::string& key : keys) {
    find_problem_.bind(1, std::string_view(key));
    if (!find_problem_.step()) continue;
    find_rows_.bind(1, find_problem_.integer(0));
    find_problem_.reset();
    while (find_rows_.step()) add(read_row(parser_, find_rows_, key, connection_.path()));
  }
}

void Database::all(const std::string& backend, const std::function<void(Row&&)>& add) {
  Statement rows(connection_, select_rows(", p.key",
                                          "JOIN problems p ON p.id = m.problem "
                                          "WHERE ?1 = '' OR s.backend = ?1 ORDER BY m.id"));
  rows.bind(1, std::string_view(backend));
  while (rows.step()) add(read_row(parser_, rows, std::string(rows.text(13)), connection_.path()));
}

ImportCount import_results(const fs::path& path, const std::vector<fs::path>& files, RowHash hash) {
  if (fs::exists(path) && !fs::is_empty(path)) require_database(path);
  const bool created = !fs::exists(path);
  ImportCount count;
  try {
    Connection connection(path, Connection::Mode::write);
    // In KiB: keep pages in memory rather than write them out and read them again.
    connection.execute("PRAGMA cache_size = -131072");
    sqlite::Transaction transaction(connection);
    create_tables(connection);
    RowInserter inserter(connection, hash);
    for (const fs::path& file : files) {
      read_rows(file,
                {.begin = [&](const Origin& origin) { inserter.begin(origin); },
                 .add = [&](Row&& row) { ++(inserter.add(row) ? count.added : count.known); }});
      ++count.files;
    }
    transaction.commit();
  } catch (...) {
    std::error_code ignored;
    if (created) fs::remove(path, ignored);
    throw;
  }
  return count;
}

}  // namespace benanza::analysis
