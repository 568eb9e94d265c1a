#include "record/store/recording.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/error.h"

namespace benanza {
namespace {

constexpr const char* tables = R"(
PRAGMA synchronous = NORMAL;
BEGIN;
CREATE TABLE run(
  command TEXT NOT NULL,
  start_seconds REAL,
  seconds REAL,
  exit_status INTEGER,
  machine TEXT NOT NULL);
CREATE TABLE library(
  source TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE(source, text));
CREATE TABLE call_text(
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  engine TEXT NOT NULL,
  kind TEXT NOT NULL,
  implementation TEXT NOT NULL,
  prop_kind TEXT NOT NULL,
  memory TEXT NOT NULL,
  attributes TEXT NOT NULL,
  auxiliary TEXT NOT NULL,
  problem TEXT NOT NULL,
  lines TEXT NOT NULL,
  UNIQUE(source, engine, kind, implementation, prop_kind, memory, attributes, auxiliary, problem, lines));
CREATE TABLE log_line(
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE);
CREATE TABLE call(
  sequence INTEGER PRIMARY KEY,
  text INTEGER NOT NULL REFERENCES call_text(id),
  process INTEGER,
  thread INTEGER,
  start_seconds REAL,
  arrival_seconds REAL,
  milliseconds REAL);
CREATE TABLE counter(
  name TEXT NOT NULL,
  expression TEXT NOT NULL,
  value REAL,
  running_part REAL);
CREATE VIEW calls AS
  SELECT sequence, start_seconds, arrival_seconds, process, thread, source, engine, kind, implementation,
         prop_kind, memory, attributes, auxiliary, problem, milliseconds
  FROM call JOIN call_text ON call.text = call_text.id ORDER BY sequence;
PRAGMA user_version = 5;
)";
static_assert(recording_schema == 5, "the tables above say their version");

constexpr const char* text_columns =
    "source, engine, kind, implementation, prop_kind, memory, attributes, auxiliary, problem";

void bind_text(sqlite::Statement& statement, const CallText& text, const std::string& lines) {
  statement.bind_all(text.source, text.engine, text.kind, text.implementation, text.prop_kind,
                     text.memory, text.attributes, text.auxiliary, text.problem, lines);
}

CallText read_text(const sqlite::Statement& statement, int column) {
  CallText text;
  for (std::string* field :
       {&text.source, &text.engine, &text.kind, &text.implementation, &text.prop_kind, &text.memory,
        &text.attributes, &text.auxiliary, &text.problem}) {
    *field = statement.text(column++);
  }
  return text;
}

sqlite::Connection create(const std::filesystem::path& path, const RecordedRun& run) {
  sqlite::Connection connection(path, sqlite::Connection::Mode::write);
  connection.execute(tables);
  connection.execute(device_tables);
  connection.execute("COMMIT");
  sqlite::Statement insert(connection,
                           "INSERT INTO run(command, start_seconds, machine) VALUES(?, ?, ?)");
  const std::string command =
      nlohmann::json(run.command).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  insert.run(command, run.start, run.machine);
  return connection;
}

std::size_t cache_place(const CallText& text, const std::string& words, std::size_t size) {
  const std::hash<std::string_view> hash;
  return (hash(text.problem) * 31 + hash(text.memory) * 17 + hash(text.kind) +
          hash(text.implementation) + hash(text.attributes) * 7 + hash(text.auxiliary) * 5 +
          hash(text.prop_kind) * 3 + hash(words) * 11) %
         size;
}

}  // namespace

RecordingWriter::RecordingWriter(const std::filesystem::path& path, const RecordedRun& run)
    : connection_(create(path, run)),
      insert_text_(connection_, std::string("INSERT OR IGNORE INTO call_text(") + text_columns +
                                    ", lines) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      find_text_(connection_,
                 "SELECT id FROM call_text WHERE source = ? AND engine = ? AND kind = ? AND "
                 "implementation = ? AND prop_kind = ? AND memory = ? AND attributes = ? AND "
                 "auxiliary = ? AND problem = ? AND lines = ?"),
      insert_call_(
          connection_,
          "INSERT INTO call(sequence, text, process, thread, start_seconds, arrival_seconds, "
          "milliseconds) VALUES(?, ?, ?, ?, ?, ?, ?)"),
      insert_library_(connection_, "INSERT OR IGNORE INTO library(source, text) VALUES(?, ?)"),
      insert_line_(connection_, "INSERT OR IGNORE INTO log_line(text) VALUES(?)"),
      find_line_(connection_, "SELECT id FROM log_line WHERE text = ?"),
      devices_(connection_),
      cache_(4096) {}

void RecordingWriter::begin() {
  if (!transaction_) transaction_.emplace(connection_);
}

std::string RecordingWriter::numbers_of(std::string_view lines) {
  std::string numbers;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    insert_line_.run(lines.substr(0, end));
    find_line_.bind(1, lines.substr(0, end));
    find_line_.step();
    numbers += (numbers.empty() ? "" : " ") + std::to_string(find_line_.integer(0));
    find_line_.reset();
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return numbers;
}

std::int64_t RecordingWriter::id_of(const CallText& text, const std::string& words) {
  Known& known = cache_[cache_place(text, words, cache_.size())];
  if (known.id != 0 && known.text == text && known.words == words) return known.id;
  const std::string lines = numbers_of(words);
  bind_text(insert_text_, text, lines);
  insert_text_.run();
  bind_text(find_text_, text, lines);
  find_text_.step();
  known = {text, words, find_text_.integer(0)};
  find_text_.reset();
  return known.id;
}

void RecordingWriter::add(const ArrivedCall& call) {
  if (is_paused_) return;
  begin();
  insert_call_.run(next_sequence_, id_of(call.text, call.words), call.process, call.thread,
                   call.started, call.arrived, call.milliseconds);
  ++next_sequence_;
}

void RecordingWriter::add(std::int64_t process, double run_start, const Event& event) {
  begin();
  devices_.add(process, run_start, event);
}

void RecordingWriter::add_library(std::string_view source, std::string_view text) {
  begin();
  insert_library_.run(source, text);
}

void RecordingWriter::add(const CountedValue& value) {
  begin();
  sqlite::Statement insert(
      connection_, "INSERT INTO counter(name, expression, value, running_part) VALUES(?, ?, ?, ?)");
  insert.run(value.name, value.expression, value.value, value.running_part);
}

void RecordingWriter::add_kernel_metric(std::string_view name, std::string_view expression) {
  begin();
  sqlite::Statement insert(connection_,
                           "INSERT OR IGNORE INTO kernel_metric(name, expression) VALUES(?, ?)");
  insert.run(name, expression);
}

void RecordingWriter::flush() {
  if (!transaction_) return;
  transaction_->commit();
  transaction_.reset();
}

void RecordingWriter::finish(double seconds, std::int64_t exit_status) {
  begin();
  sqlite::Statement update(connection_, "UPDATE run SET seconds = ?, exit_status = ?");
  update.run(seconds, exit_status);
  flush();
}

std::filesystem::path existing_recording(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) {
    throw Error(path.string() + ": is no file; record a program with benanza-record");
  }
  return path;
}

RecordingReader::RecordingReader(const std::filesystem::path& path,
                                 const std::vector<record::Log>& logs)
    : connection_(existing_recording(path), sqlite::Connection::Mode::read) {
  sqlite::Statement version(connection_, "PRAGMA user_version");
  version.step();
  schema_ = version.integer(0);
  version.reset();
  sqlite::Statement table(connection_,
                          "SELECT count(*) FROM sqlite_master WHERE name IN ('run', 'call', "
                          "'call_text', 'library')");
  table.step();
  if (table.integer(0) != 4) {
    throw Error(path.string() + ": is no recording; make one with benanza-record");
  }
  if (schema_ < 1 || schema_ > recording_schema) {
    throw Error(path.string() + ": has schema " + std::to_string(schema_) +
                ", this program knows up to " + std::to_string(recording_schema) +
                "; record the program anew");
  }
  read_texts(logs);
}

RecordedRun RecordingReader::run() const {
  sqlite::Statement row(connection_,
                        "SELECT command, start_seconds, seconds, exit_status, machine FROM run");
  if (!row.step()) throw Error(connection_.path().string() + ": holds no run; record it anew");
  const auto command = nlohmann::json::parse(row.text(0), nullptr, false);
  RecordedRun run{.start = row.optional_real(1),
                  .seconds = row.optional_real(2),
                  .exit_status = row.optional_integer(3),
                  .machine = std::string(row.text(4))};
  if (command.is_array()) {
    for (const auto& word : command) {
      if (word.is_string()) run.command.push_back(word.get<std::string>());
    }
  }
  return run;
}

std::vector<std::string> RecordingReader::libraries() const {
  std::vector<std::string> list;
  sqlite::Statement row(connection_, "SELECT text FROM library ORDER BY rowid");
  while (row.step()) list.emplace_back(row.text(0));
  return list;
}

void RecordingReader::read_texts(const std::vector<record::Log>& logs) {
  std::unordered_map<std::int64_t, std::string> lines;
  if (schema_ >= 5) {
    sqlite::Statement row(connection_, "SELECT id, text FROM log_line");
    while (row.step()) lines.emplace(row.integer(0), row.text(1));
  }
  sqlite::Statement row(connection_, std::string("SELECT id, ") + text_columns +
                                         (schema_ < 5 ? ", ''" : ", lines") + " FROM call_text");
  while (row.step()) {
    CallText stored = read_text(row, 1);
    std::string words;
    std::istringstream numbers{std::string(row.text(10))};
    for (std::int64_t line = 0; numbers >> line;) words += lines[line] + '\n';
    if (words.empty()) {
      texts_.emplace(row.integer(0), std::move(stored));
    } else if (const auto call = record::call_of(logs, stored.source, words)) {
      texts_.emplace(row.integer(0), call_text(*call));
    }
  }
}

const CallText* RecordingReader::text(std::int64_t row) const {
  const auto found = texts_.find(row);
  return found == texts_.end() ? nullptr : &found->second;
}

std::vector<CallTotal> RecordingReader::totals() const {
  std::vector<CallTotal> list;
  // Words that differ may mean the same.
  std::map<CallText, std::size_t> places;
  sqlite::Statement row(connection_,
                        "SELECT text, count(*), total(milliseconds), count(milliseconds), "
                        "min(sequence) AS first FROM call GROUP BY text ORDER BY first");
  while (row.step()) {
    const CallText* const call = text(row.integer(0));
    if (call == nullptr) continue;
    const auto [place, is_new] = places.try_emplace(*call, list.size());
    if (is_new) list.push_back({.text = *call, .first = row.integer(4)});
    CallTotal& total = list[place->second];
    total.calls += row.integer(1);
    total.seconds += row.real(2) * 1e-3;
    total.timed_calls += row.integer(3);
  }
  return list;
}

void RecordingReader::for_each(const std::function<void(const ArrivedCall& call)>& use) const {
  sqlite::Statement row(connection_,
                        std::string("SELECT text, start_seconds, arrival_seconds, process, "
                                    "milliseconds, ") +
                            (schema_ == 1 ? "NULL" : "thread") + " FROM call ORDER BY sequence");
  while (row.step()) {
    const CallText* const call = text(row.integer(0));
    if (call == nullptr) continue;
    use({.text = *call,
         .started = row.optional_real(1),
         .arrived = row.optional_real(2),
         .process = row.optional_integer(3),
         .thread = row.optional_integer(5),
         .milliseconds = row.optional_real(4)});
  }
}

std::vector<std::uint32_t> RecordingReader::sequence() const {
  // Numbered by first appearance, as in totals().
  std::map<CallText, std::uint32_t> places;
  std::unordered_map<std::int64_t, std::uint32_t> of_row;
  std::vector<std::uint32_t> list;
  sqlite::Statement row(connection_, "SELECT text FROM call ORDER BY sequence");
  while (row.step()) {
    const CallText* const call = text(row.integer(0));
    if (call == nullptr) continue;
    const auto [known, is_new] = of_row.try_emplace(row.integer(0));
    if (is_new) {
      known->second =
          places.try_emplace(*call, static_cast<std::uint32_t>(places.size())).first->second;
    }
    list.push_back(known->second);
  }
  return list;
}

std::vector<CountedValue> RecordingReader::counters() const {
  std::vector<CountedValue> list;
  if (schema_ == 1) return list;
  sqlite::Statement row(connection_,
                        "SELECT name, value, running_part, expression FROM counter ORDER BY rowid");
  while (row.step()) {
    list.push_back({.name = std::string(row.text(0)),
                    .value = row.optional_real(1),
                    .running_part = row.optional_real(2),
                    .expression = std::string(row.text(3))});
  }
  return list;
}

}  // namespace benanza
