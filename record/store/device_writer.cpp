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

template <class... Values>
void DeviceWriter::insert(const char* table, const Values&... values) {
  auto found = statements_.find(table);
  if (found == statements_.end()) {
    std::string sql = std::string("INSERT OR IGNORE INTO ") + table + " VALUES(?";
    for (std::size_t column = 1; column < sizeof...(values); ++column) sql += ", ?";
    found = statements_.try_emplace(table, connection_, sql + ')').first;
  }
  found->second.run(values...);
}

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

  void operator()(const NoteEvent& note) const { insert("note", note.is_error, note.text); }

  void operator()(const DeviceEvent& device) const {
    const std::string capability =
        std::to_string(device.capability_major) + '.' + std::to_string(device.capability_minor);
    insert("device", device.id, device.name, capability, device.multiprocessors,
           device.memory_bytes);
  }

  void operator()(const LostEvent& lost) const {
    sqlite::Statement(writer_.connection_,
                      "UPDATE process SET lost_events = lost_events + ? WHERE id = ?")
        .run(lost.events, id_);
  }

  void operator()(const CounterEvent& counted) const {
    const auto& [x, y, z] = counted.grid;
    const auto& [block_x, block_y, block_z] = counted.block;
    insert("kernel_counter", counted.launch, name(counted.kernel), x, y, z, block_x, block_y,
           block_z, name(counted.counter), counted.value);
  }

  void operator()(const KernelEvent& kernel) const {
    if (!process_.offset) return;
    const Launched& at = kernel.at;
    const auto& [x, y, z] = kernel.grid;
    const auto& [block_x, block_y, block_z] = kernel.block;
    insert("kernel", time(at.start), time(at.end), name(kernel.name), at.device, at.context,
           at.stream, at.correlation, graph(at.graph), graph(at.node), x, y, z, block_x, block_y,
           block_z, kernel.registers, kernel.static_shared_bytes, kernel.dynamic_shared_bytes);
  }

  void operator()(const CopyEvent& copy) const {
    if (!process_.offset) return;
    const Launched& at = copy.at;
    insert("copy", time(at.start), time(at.end), name(copy.direction), copy.bytes, at.device,
           at.context, at.stream, at.correlation, graph(at.graph), graph(at.node));
  }

  void operator()(const GraphEvent& event) const {
    if (!process_.offset) return;
    const Launched& at = event.at;
    insert("graph_launch", time(at.start), time(at.end), at.device, at.context, at.stream,
           at.correlation, graph(at.graph));
  }

  void operator()(const ApiEvent& api) const {
    if (!process_.offset) return;
    insert("api", api.thread, time(api.start), time(api.end), name(api.name), api.correlation,
           api.result);
  }

  void operator()(const MemoryEvent& memory) const {
    if (!process_.offset) return;
    insert("memory", time(memory.time), memory.device, memory.is_freed, name(memory.kind),
           memory.address, memory.bytes);
  }

  void operator()(const MarkerEvent& marker) const {
    if (!process_.offset) return;
    if (marker.kind == MarkerEvent::Kind::begin) {
      insert("range", marker.thread, time(marker.time), std::nullopt, name(marker.name),
             name(marker.domain));
      process_.open[marker.id] = writer_.connection_.last_id();
    } else if (const auto open = process_.open.extract(marker.id)) {
      const auto [update, is_new] = writer_.statements_.try_emplace(
          "range end", writer_.connection_, "UPDATE range SET end_nanoseconds = ? WHERE rowid = ?");
      update->second.run(time(marker.time), open.mapped());
    }
  }

 private:
  /// A row of the process: the values of all other columns, from left to right.
  template <class... Values>
  void insert(const char* table, const Values&... values) const {
    writer_.insert(table, id_, values...);
  }
  std::int64_t time(std::int64_t told) const { return told + *process_.offset; }
  std::int64_t name(std::string_view told) const { return writer_.id_of(told); }
  /// The number of a graph or node; NULL if it is 0.
  static std::optional<std::uint64_t> graph(std::uint64_t number) {
    return number == 0 ? std::nullopt : std::optional(number);
  }

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
  insert("name(text)", name);
  sqlite::Statement find(connection_, "SELECT id FROM name WHERE text = ?");
  find.bind(1, name);
  find.step();
  return names_.emplace(std::move(text), find.integer(0)).first->second;
}

void DeviceWriter::add(std::int64_t process, double run_start, const Event& event) {
  if (processes_.try_emplace(process).second) insert("process(id)", process);
  std::visit(EventWriter(*this, process, run_start), event);
}

}  // namespace benanza
