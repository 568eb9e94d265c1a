#include "record/store/device_reader.h"

#include <algorithm>
#include <unordered_map>

#include "core/library/kernel_name.h"

namespace benanza {
namespace {

using Work = DeviceRecording::Work;

class Reader {
 public:
  explicit Reader(const sqlite::Connection& connection) : connection_(connection) {}

  DeviceRecording read() {
    if (!has_table("kernel")) return {};
    read_names();
    read_processes();
    read_work();
    read_calls();
    if (has_table("memory")) read_memory();
    if (has_table("kernel_counter")) read_counters();
    return std::move(result_);
  }

 private:
  bool has_table(std::string_view name) const {
    sqlite::Statement table(connection_, "SELECT count(*) FROM sqlite_master WHERE name = ?");
    table.bind(1, name);
    table.step();
    return table.integer(0) == 1;
  }

  void read_names() {
    std::unordered_map<std::string, std::uint32_t> of_text;
    rows("SELECT id, text FROM name ORDER BY id", [&](const sqlite::Statement& row) {
      // Older recordings hold mangled names.
      std::string text = readable_name(row.text(1));
      const auto [place, is_new] =
          of_text.try_emplace(text, static_cast<std::uint32_t>(result_.names.size()));
      places_.emplace(row.integer(0), place->second);
      if (is_new) result_.names.push_back(std::move(text));
    });
  }

  void read_processes() {
    rows("SELECT id, lost_events FROM process ORDER BY id", [&](const sqlite::Statement& row) {
      result_.processes.push_back(row.integer(0));
      result_.lost_events += row.integer(1);
    });
    rows("SELECT process, is_error, text FROM note ORDER BY rowid",
         [&](const sqlite::Statement& row) {
           result_.notes.push_back({.process = row.integer(0),
                                    .is_error = row.integer(1) != 0,
                                    .text = std::string(row.text(2))});
         });
    rows(
        "SELECT process, id, name, compute_capability, multiprocessors FROM device "
        "ORDER BY process, id",
        [&](const sqlite::Statement& row) {
          result_.devices.push_back({.process = row.integer(0),
                                     .id = row.integer(1),
                                     .name = std::string(row.text(2)),
                                     .compute_capability = std::string(row.text(3)),
                                     .multiprocessors = row.integer(4)});
        });
  }

  void read_work() {
    work(Work::Kind::kernel,
         "SELECT process, start_nanoseconds, end_nanoseconds, device, context, stream, "
         "correlation, graph, name, 0, node FROM kernel");
    work(Work::Kind::copy,
         "SELECT process, start_nanoseconds, end_nanoseconds, device, context, stream, "
         "correlation, graph, direction, bytes, node FROM copy");
    work(Work::Kind::graph,
         "SELECT process, start_nanoseconds, end_nanoseconds, device, context, stream, "
         "correlation, graph, NULL, 0, NULL FROM graph_launch");
    std::ranges::stable_sort(result_.work, {}, &Work::start);
  }

  void read_calls() {
    rows(
        "SELECT name, correlation, process, thread, start_nanoseconds, end_nanoseconds FROM api "
        "ORDER BY start_nanoseconds, rowid",
        [&](const sqlite::Statement& row) {
          result_.api.push_back({.name = name(row, 0),
                                 .correlation = static_cast<std::uint32_t>(row.integer(1)),
                                 .process = row.integer(2),
                                 .thread = row.integer(3),
                                 .start = row.integer(4),
                                 .end = row.integer(5)});
        });
    rows(
        "SELECT name, domain, process, thread, start_nanoseconds, end_nanoseconds FROM range "
        "ORDER BY start_nanoseconds, rowid",
        [&](const sqlite::Statement& row) {
          result_.ranges.push_back({.name = name(row, 0),
                                    .domain = name(row, 1),
                                    .process = row.integer(2),
                                    .thread = row.integer(3),
                                    .start = row.integer(4),
                                    .end = row.optional_integer(5)});
        });
  }

  void read_memory() {
    rows(
        "SELECT process, time_nanoseconds, device, is_freed, kind, address, bytes FROM memory "
        "ORDER BY time_nanoseconds, rowid",
        [&](const sqlite::Statement& row) {
          result_.memory.push_back({.process = row.integer(0),
                                    .time = row.integer(1),
                                    .device = static_cast<std::uint32_t>(row.integer(2)),
                                    .is_freed = row.integer(3) != 0,
                                    .kind = name(row, 4),
                                    .address = row.integer(5),
                                    .bytes = row.integer(6)});
        });
  }

  void read_counters() {
    rows(
        "SELECT process, launch, kernel, counter, value FROM kernel_counter "
        "ORDER BY process, launch, rowid",
        [&](const sqlite::Statement& row) {
          result_.kernel_counters.push_back({.process = row.integer(0),
                                             .launch = row.integer(1),
                                             .kernel = name(row, 2),
                                             .counter = name(row, 3),
                                             .value = row.real(4)});
        });
    rows("SELECT name, expression FROM kernel_metric ORDER BY rowid",
         [&](const sqlite::Statement& row) {
           result_.kernel_metrics.push_back(
               {.name = std::string(row.text(0)), .expression = std::string(row.text(1))});
         });
  }

  template <class Use>
  void rows(const char* sql, const Use& use) {
    sqlite::Statement row(connection_, sql);
    while (row.step()) use(row);
  }

  std::uint32_t name(const sqlite::Statement& row, int column) const {
    return places_.at(row.integer(column));
  }

  void work(Work::Kind kind, const char* sql) {
    rows(sql, [&](const sqlite::Statement& row) {
      Work one{.kind = kind,
               .process = row.integer(0),
               .start = row.integer(1),
               .end = row.integer(2),
               .device = static_cast<std::uint32_t>(row.integer(3)),
               .context = static_cast<std::uint32_t>(row.integer(4)),
               .stream = static_cast<std::uint32_t>(row.integer(5)),
               .correlation = static_cast<std::uint32_t>(row.integer(6)),
               .graph = row.optional_integer(7),
               .node = row.optional_integer(10),
               .bytes = row.integer(9)};
      one.name = kind == Work::Kind::graph ? graph_name(one.graph) : name(row, 8);
      result_.work.push_back(one);
    });
  }

  /// "graph 7".
  std::uint32_t graph_name(std::optional<std::int64_t> graph) {
    const auto [place, is_new] =
        graphs_.try_emplace(graph.value_or(0), static_cast<std::uint32_t>(result_.names.size()));
    if (is_new) {
      result_.names.push_back(graph ? "graph " + std::to_string(*graph) : std::string("graph"));
    }
    return place->second;
  }

  const sqlite::Connection& connection_;
  DeviceRecording result_;
  std::unordered_map<std::int64_t, std::uint32_t> places_;
  std::unordered_map<std::int64_t, std::uint32_t> graphs_;
};

}  // namespace

DeviceRecording read_device_recording(const sqlite::Connection& connection) {
  return Reader(connection).read();
}

}  // namespace benanza
