#include "record/store/device_writer.h"

#include <cmath>
#include <variant>

#include "core/library/kernel_name.h"

namespace benanza {

const char* const device_tables = R"(
CREATE TABLE process(
  id INTEGER PRIMARY KEY,
  lost_events INTEGER NOT NULL DEFAULT 0);
CREATE TABLE note(
  process INTEGER NOT NULL,
  is_error INTEGER NOT NULL,
  text TEXT NOT NULL,
  UNIQUE(process, text));
CREATE TABLE device(
  process INTEGER NOT NULL,
  id INTEGER NOT NULL,
  name TEXT NOT NULL,
  compute_capability TEXT NOT NULL,
  multiprocessors INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL,
  UNIQUE(process, id));
CREATE TABLE name(
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE);
CREATE TABLE kernel(
  process INTEGER NOT NULL,
  start_nanoseconds INTEGER NOT NULL,
  end_nanoseconds INTEGER NOT NULL,
  name INTEGER NOT NULL REFERENCES name(id),
  device INTEGER NOT NULL,
  context INTEGER NOT NULL,
  stream INTEGER NOT NULL,
  correlation INTEGER NOT NULL,
  graph INTEGER,
  node INTEGER,
  grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  registers INTEGER NOT NULL,
  static_shared_bytes INTEGER NOT NULL,
  dynamic_shared_bytes INTEGER NOT NULL);
CREATE TABLE copy(
  process INTEGER NOT NULL,
  start_nanoseconds INTEGER NOT NULL,
  end_nanoseconds INTEGER NOT NULL,
  direction INTEGER NOT NULL REFERENCES name(id),
  bytes INTEGER NOT NULL,
  device INTEGER NOT NULL,
  context INTEGER NOT NULL,
  stream INTEGER NOT NULL,
  correlation INTEGER NOT NULL,
  graph INTEGER,
  node INTEGER);
CREATE TABLE graph_launch(
  process INTEGER NOT NULL,
  start_nanoseconds INTEGER NOT NULL,
  end_nanoseconds INTEGER NOT NULL,
  device INTEGER NOT NULL,
  context INTEGER NOT NULL,
  stream INTEGER NOT NULL,
  correlation INTEGER NOT NULL,
  graph INTEGER);
CREATE TABLE api(
  process INTEGER NOT NULL,
  thread INTEGER NOT NULL,
  start_nanoseconds INTEGER NOT NULL,
  end_nanoseconds INTEGER NOT NULL,
  name INTEGER NOT NULL REFERENCES name(id),
  correlation INTEGER NOT NULL,
  result INTEGER NOT NULL);
CREATE TABLE range(
  process INTEGER NOT NULL,
  thread INTEGER NOT NULL,
  start_nanoseconds INTEGER NOT NULL,
  end_nanoseconds INTEGER,
  name INTEGER NOT NULL REFERENCES name(id),
  domain INTEGER NOT NULL REFERENCES name(id));
CREATE TABLE memory(
  process INTEGER NOT NULL,
  time_nanoseconds INTEGER NOT NULL,
  device INTEGER NOT NULL,
  is_freed INTEGER NOT NULL,
  kind INTEGER NOT NULL REFERENCES name(id),
  address INTEGER NOT NULL,
  bytes INTEGER NOT NULL);
CREATE TABLE kernel_counter(
  process INTEGER NOT NULL,
  launch INTEGER NOT NULL,
  kernel INTEGER NOT NULL REFERENCES name(id),
  grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  counter INTEGER NOT NULL REFERENCES name(id),
  value REAL NOT NULL);
CREATE TABLE kernel_metric(
  name TEXT NOT NULL,
  expression TEXT NOT NULL,
  UNIQUE(name, expression));
)";

/// Fills a row of a table from left to right.
class DeviceWriter::Row {
 public:
  Row(DeviceWriter& writer, const char* table, int columns)
      : writer_(writer), statement_(prepared(writer, table, columns)) {}

  Row& integer(std::int64_t value) {
    statement_.bind(++at_, value);
    return *this;
  }
  Row& integer(std::optional<std::int64_t> value) {
    statement_.bind(++at_, value);
    return *this;
  }
  Row& name(std::string_view text) { return integer(writer_.id_of(text)); }
  Row& text(std::string_view text) {
    statement_.bind(++at_, text);
    return *this;
  }
  Row& real(double value) {
    statement_.bind_real(++at_, value);
    return *this;
  }
  /// The number of a graph or node; NULL if it is 0.
  Row& graph(std::uint64_t number) {
    return integer(number == 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(number)));
  }
  void insert() { statement_.run(); }

 private:
  static sqlite::Statement& prepared(DeviceWriter& writer, const char* table, int columns) {
    const auto found = writer.statements_.find(table);
    if (found != writer.statements_.end()) return found->second;
    std::string sql = std::string("INSERT OR IGNORE INTO ") + table + " VALUES(?";
    for (int column = 1; column < columns; ++column) sql += ", ?";
    sql += ')';
    return writer.statements_.try_emplace(table, writer.connection_, sql).first->second;
  }

  DeviceWriter& writer_;
  sqlite::Statement& statement_;
  int at_ = 0;
};

class DeviceWriter::EventWriter {
 public:
  EventWriter(DeviceWriter& writer, std::int64_t id, double run_start)
      : writer_(writer), id_(id), run_start_(run_start), process_(writer.processes_.at(id)) {}

  void operator()(const ClockEvent& clock) const {
    // In two steps, because a double cannot hold nanoseconds since 1970 exactly.
    const auto seconds = static_cast<std::int64_t>(std::floor(run_start_));
    const auto rest = static_cast<std::int64_t>((run_start_ - std::floor(run_start_)) * 1e9);
    process_.offset = clock.unix_nanoseconds - clock.time - seconds * 1'000'000'000 - rest;
  }

  void operator()(const NoteEvent& note) const {
    row("note", 3).integer(note.is_error ? 1 : 0).text(note.text).insert();
  }

  void operator()(const DeviceEvent& device) const {
    row("device", 6)
        .integer(device.id)
        .text(device.name)
        .text(std::to_string(device.capability_major) + '.' +
              std::to_string(device.capability_minor))
        .integer(device.multiprocessors)
        .integer(static_cast<std::int64_t>(device.memory_bytes))
        .insert();
  }

  void operator()(const LostEvent& lost) const {
    sqlite::Statement update(writer_.connection_,
                             "UPDATE process SET lost_events = lost_events + ? WHERE id = ?");
    update.bind(1, static_cast<std::int64_t>(lost.events));
    update.bind(2, id_);
    update.run();
  }

  void operator()(const CounterEvent& counted) const {
    Row row = this->row("kernel_counter", 11);
    row.integer(static_cast<std::int64_t>(counted.launch)).name(counted.kernel);
    for (const std::int32_t extent : counted.grid) row.integer(extent);
    for (const std::int32_t extent : counted.block) row.integer(extent);
    row.name(counted.counter).real(counted.value).insert();
  }

  void operator()(const KernelEvent& kernel) const {
    if (!process_.offset) return;
    Row row = this->row("kernel", 19);
    row.integer(time(kernel.at.start)).integer(time(kernel.at.end));
    row.name(kernel.name).integer(kernel.at.device).integer(kernel.at.context);
    row.integer(kernel.at.stream).integer(kernel.at.correlation);
    row.graph(kernel.at.graph).graph(kernel.at.node);
    for (const std::int32_t extent : kernel.grid) row.integer(extent);
    for (const std::int32_t extent : kernel.block) row.integer(extent);
    row.integer(kernel.registers).integer(kernel.static_shared_bytes);
    row.integer(kernel.dynamic_shared_bytes).insert();
  }

  void operator()(const CopyEvent& copy) const {
    if (!process_.offset) return;
    Row row = this->row("copy", 11);
    row.integer(time(copy.at.start)).integer(time(copy.at.end));
    row.name(copy.direction).integer(static_cast<std::int64_t>(copy.bytes));
    row.integer(copy.at.device).integer(copy.at.context).integer(copy.at.stream);
    row.integer(copy.at.correlation).graph(copy.at.graph).graph(copy.at.node).insert();
  }

  void operator()(const GraphEvent& graph) const {
    if (!process_.offset) return;
    Row row = this->row("graph_launch", 8);
    row.integer(time(graph.at.start)).integer(time(graph.at.end));
    row.integer(graph.at.device).integer(graph.at.context).integer(graph.at.stream);
    row.integer(graph.at.correlation).graph(graph.at.graph).insert();
  }

  void operator()(const ApiEvent& api) const {
    if (!process_.offset) return;
    Row row = this->row("api", 7);
    row.integer(api.thread).integer(time(api.start)).integer(time(api.end));
    row.name(api.name).integer(api.correlation).integer(api.result).insert();
  }

  void operator()(const MemoryEvent& memory) const {
    if (!process_.offset) return;
    Row row = this->row("memory", 7);
    row.integer(time(memory.time)).integer(memory.device);
    row.integer(memory.is_freed ? 1 : 0).name(memory.kind);
    row.integer(static_cast<std::int64_t>(memory.address));
    row.integer(static_cast<std::int64_t>(memory.bytes)).insert();
  }

  void operator()(const MarkerEvent& marker) const {
    if (!process_.offset) return;
    if (marker.kind == MarkerEvent::Kind::begin) {
      Row row = this->row("range", 6);
      row.integer(marker.thread).integer(time(marker.time));
      row.integer(std::nullopt).name(marker.name).name(marker.domain).insert();
      process_.open[marker.id] = writer_.connection_.last_id();
    } else if (const auto open = process_.open.extract(marker.id)) {
      const auto [update, is_new] = writer_.statements_.try_emplace(
          "range end", writer_.connection_, "UPDATE range SET end_nanoseconds = ? WHERE rowid = ?");
      update->second.bind(1, time(marker.time));
      update->second.bind(2, open.mapped());
      update->second.run();
    }
  }

 private:
  /// A row that begins with the process.
  Row row(const char* table, int columns) const {
    Row row(writer_, table, columns);
    row.integer(id_);
    return row;
  }
  std::int64_t time(std::int64_t told) const { return told + *process_.offset; }

  DeviceWriter& writer_;
  std::int64_t id_;
  double run_start_;
  Process& process_;
};

DeviceWriter::DeviceWriter(const sqlite::Connection& connection) : connection_(connection) {}

std::int64_t DeviceWriter::id_of(std::string_view told) {
  constexpr std::size_t most_names = 1 << 15;
  std::string text(told);
  const auto found = names_.find(text);
  if (found != names_.end()) return found->second;
  if (names_.size() >= most_names) names_.clear();
  const std::string name = readable_name(told);
  sqlite::Statement insert(connection_, "INSERT OR IGNORE INTO name(text) VALUES(?)");
  insert.bind(1, name);
  insert.run();
  sqlite::Statement find(connection_, "SELECT id FROM name WHERE text = ?");
  find.bind(1, name);
  find.step();
  return names_.emplace(std::move(text), find.integer(0)).first->second;
}

void DeviceWriter::add(std::int64_t process, double run_start, const Event& event) {
  if (processes_.try_emplace(process).second) {
    Row(*this, "process(id)", 1).integer(process).insert();
  }
  std::visit(EventWriter(*this, process, run_start), event);
}

}  // namespace benanza
