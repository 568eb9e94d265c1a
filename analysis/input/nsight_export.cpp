#include "analysis/input/nsight_export.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <set>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/sqlite.h"

namespace benanza::analysis {
namespace {

using Work = DeviceRecording::Work;

/// Nsight Systems packs process and thread into one number, 24 bits each.
constexpr std::int64_t process_unit = std::int64_t{1} << 24;

/// What the columns of a table are called depends on the version.
class ExportTables {
 public:
  explicit ExportTables(const sqlite::Connection& connection) : connection_(connection) {}

  /// The first of these tables that there is; empty if there is none.
  std::string first_of(std::initializer_list<const char*> names) const {
    for (const char* const name : names) {
      sqlite::Statement table(connection_,
                              "SELECT count(*) FROM sqlite_master WHERE name = ? COLLATE NOCASE");
      table.bind(1, std::string_view(name));
      table.step();
      if (table.integer(0) > 0) return name;
    }
    return "";
  }

  /// Of these columns, the first that has a value in a row, as SQL.
  std::string any_column(const std::string& table, std::initializer_list<const char*> names) {
    std::string list = "COALESCE(NULL";
    for (const char* const name : names) list += ", " + column(table, {name});
    return list + ')';
  }

  /// The first of these columns that the table has, as SQL; "NULL" if it has none.
  std::string column(const std::string& table, std::initializer_list<const char*> names) {
    const std::set<std::string>& known = columns(table);
    for (const char* const name : names) {
      if (known.contains(name)) return '"' + std::string(name) + '"';
    }
    return "NULL";
  }

 private:
  const std::set<std::string>& columns(const std::string& table) {
    const auto [found, added] = columns_.try_emplace(table);
    if (!added) return found->second;
    sqlite::Statement row(connection_, "SELECT name FROM pragma_table_info(?)");
    row.bind(1, std::string_view(table));
    while (row.step()) found->second.emplace(row.text(0));
    return found->second;
  }

  const sqlite::Connection& connection_;
  std::unordered_map<std::string, std::set<std::string>> columns_;
};

std::string_view direction_of(std::int64_t kind) {
  switch (kind) {
    case 1:
      return "host to device";
    case 2:
      return "device to host";
    case 8:
      return "device to device";
    case 9:
      return "host to host";
    case 10:
      return "device to another device";
    default:
      return "copy of another kind";
  }
}

class NsightReader {
 public:
  explicit NsightReader(const std::filesystem::path& path)
      : connection_(path, sqlite::Connection::Mode::read), tables_(connection_) {}

  DeviceRecording read() {
    read_texts();
    read_kernels();
    read_copies({"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMCPY2"}, true);
    read_copies({"CUPTI_ACTIVITY_KIND_MEMSET"}, false);
    read_graphs();
    read_api("CUPTI_ACTIVITY_KIND_RUNTIME");
    read_api("CUPTI_ACTIVITY_KIND_DRIVER");
    read_ranges();
    read_devices();
    from_first_event();
    if (without_time_ > 0) {
      result_.notes.push_back(
          {.is_error = true,
           .text = std::to_string(without_time_) +
                   " kernels and copies state no time, or end before they begin, "
                   "and are left out"});
    }
    return std::move(result_);
  }

 private:
  using Row = sqlite::Statement;

  template <class Use>
  void rows(const std::string& sql, const Use& use) {
    sqlite::Statement row(connection_, sql);
    while (row.step()) use(row);
  }

  std::size_t count_of(const std::string& table) {
    sqlite::Statement row(connection_, "SELECT count(*) FROM " + table);
    return row.step() ? static_cast<std::size_t>(row.integer(0)) : 0;
  }

  void read_texts() {
    const std::string table = tables_.first_of({"StringIds", "StringTable"});
    if (table.empty()) return;
    rows("SELECT " + tables_.column(table, {"id", "_id_"}) + ", " +
             tables_.column(table, {"value"}) + " FROM " + table,
         [&](const Row& row) { texts_[row.integer(0)] = name(row.text(1)); });
  }

  std::uint32_t name(std::string_view text) {
    const auto [found, added] = numbers_.try_emplace(std::string(text), 0);
    if (added) {
      found->second = static_cast<std::uint32_t>(result_.names.size());
      result_.names.emplace_back(text);
    }
    return found->second;
  }
  /// A text, or the number of one.
  std::uint32_t name(const Row& row, int column, std::string_view otherwise) {
    const std::string_view text = row.text(column);
    if (const auto id = row.optional_integer(column)) {
      if (const auto found = texts_.find(*id); found != texts_.end()) return found->second;
    }
    const bool is_number = !text.empty() && std::ranges::all_of(text, [](char one) {
      return one >= '0' && one <= '9';
    });
    if (text.empty() || is_number) return name(std::string(otherwise) + std::string(text));
    return name(text);
  }

  /// start, end, device, context, stream, correlation, process, graph, node.
  std::string placed(const std::string& table) {
    const auto column = [&](std::initializer_list<const char*> names) {
      return tables_.column(table, names) + ", ";
    };
    return column({"start"}) + column({"end"}) + column({"deviceId"}) + column({"contextId"}) +
           column({"streamId"}) + column({"correlationId"}) +
           column({"globalPid", "globalTid", "processId"}) + column({"graphId"}) +
           tables_.column(table, {"graphNodeId"});
  }
  bool has_time(const Row& row) {
    constexpr double eleven_days = 1e15;
    const auto start = row.optional_integer(0);
    const auto end = row.optional_integer(1);
    const bool has = start && end && *start <= *end &&
                     static_cast<double>(*end) - static_cast<double>(*start) < eleven_days;
    if (!has) ++without_time_;
    return has;
  }
  Work work(const Row& row, Work::Kind kind) {
    Work one{.kind = kind,
             .process = process(row.integer(6)),
             .start = row.integer(0),
             .end = std::max(row.integer(0), row.integer(1)),
             .device = static_cast<std::uint32_t>(row.integer(2)),
             .context = static_cast<std::uint32_t>(row.integer(3)),
             .stream = static_cast<std::uint32_t>(row.integer(4)),
             .correlation = static_cast<std::uint32_t>(row.integer(5))};
    if (row.integer(7) != 0) one.graph = row.integer(7);
    if (row.integer(8) != 0) one.node = row.integer(8);
    return one;
  }
  std::int64_t process(std::int64_t global) {
    const std::int64_t id = global >= process_unit ? global / process_unit % process_unit : global;
    processes_.insert(id);
    return id;
  }

  void read_kernels() {
    const std::string table =
        tables_.first_of({"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"});
    if (table.empty()) return;
    result_.work.reserve(count_of(table));
    rows("SELECT " + placed(table) + ", " +
             tables_.any_column(table, {"demangledName", "name", "mangledName", "shortName"}) +
             " FROM " + table,
         [&](const Row& row) {
           if (!has_time(row)) return;
           result_.work.push_back(work(row, Work::Kind::kernel));
           result_.work.back().name = name(row, 9, "kernel ");
         });
  }

  void read_copies(std::initializer_list<const char*> names, bool is_copy) {
    for (const char* const one : names) {
      const std::string table = tables_.first_of({one});
      if (table.empty()) continue;
      rows("SELECT " + placed(table) + ", " + tables_.column(table, {"copyKind"}) + ", " +
               tables_.column(table, {"bytes"}) + " FROM " + table,
           [&](const Row& row) {
             if (!has_time(row)) return;
             result_.work.push_back(work(row, Work::Kind::copy));
             result_.work.back().name =
                 name(is_copy ? direction_of(row.integer(9)) : std::string_view("set"));
             result_.work.back().bytes = row.integer(10);
           });
    }
  }

  void read_graphs() {
    const std::string table = tables_.first_of({"CUPTI_ACTIVITY_KIND_GRAPH_TRACE"});
    if (table.empty()) return;
    rows("SELECT " + placed(table) + " FROM " + table, [&](const Row& row) {
      if (!has_time(row)) return;
      result_.work.push_back(work(row, Work::Kind::graph));
      result_.work.back().name = name("graph");
    });
  }

  void read_api(const char* kind) {
    const std::string table = tables_.first_of({kind});
    if (table.empty()) return;
    result_.api.reserve(result_.api.size() + count_of(table));
    rows("SELECT " + tables_.column(table, {"start"}) + ", " + tables_.column(table, {"end"}) +
             ", " + tables_.column(table, {"correlationId"}) + ", " +
             tables_.column(table, {"globalTid", "processId"}) + ", " +
             tables_.column(table, {"threadId"}) + ", " +
             tables_.column(table, {"nameId", "name", "cbid"}) + " FROM " + table,
         [&](const Row& row) {
           const std::int64_t global = row.integer(3);
           result_.api.push_back(
               {.name = without_version(name(row, 5, "call ")),
                .correlation = static_cast<std::uint32_t>(row.integer(2)),
                .process = process(global),
                .thread = global >= process_unit ? global % process_unit : row.integer(4),
                .start = row.integer(0),
                .end = std::max(row.integer(0), row.integer(1))});
         });
  }

  /// "cudaLaunchKernel" of "cudaLaunchKernel_v7000".
  std::uint32_t without_version(std::uint32_t number) {
    const std::string text = result_.names[number];
    const std::size_t at = text.rfind("_v");
    const bool is_version = at != std::string::npos && at + 2 < text.size() &&
                            text.find_first_not_of("0123456789", at + 2) == std::string::npos;
    return is_version ? name(text.substr(0, at)) : number;
  }

  void read_ranges() {
    const std::string table = tables_.first_of({"NVTX_EVENTS", "NVTX_RANGES"});
    if (table.empty()) return;
    // Those by start and end may end in another thread: then they tell nothing of one.
    constexpr std::int64_t push_and_pop = 59;
    constexpr std::int64_t start_and_end = 60;
    const std::string text = tables_.column(table, {"text"});
    const std::string text_id = tables_.column(table, {"textId"});
    rows("SELECT " + tables_.column(table, {"start"}) + ", " + tables_.column(table, {"end"}) +
             ", " + tables_.column(table, {"globalTid"}) + ", " + text + ", " + text_id + ", " +
             tables_.column(table, {"eventType"}) + ", " + tables_.column(table, {"endGlobalTid"}) +
             " FROM " + table,
         [&](const Row& row) {
           const auto type = row.optional_integer(5).value_or(push_and_pop);
           const std::int64_t global = row.integer(2);
           const bool ends_here = row.optional_integer(6).value_or(global) == global;
           if (!row.optional_integer(1) ||
               (type != push_and_pop && (type != start_and_end || !ends_here))) {
             return;
           }
           const bool has_text = !row.text(3).empty();
           result_.ranges.push_back({.name = has_text ? name(row.text(3)) : name(row, 4, "range "),
                                     .domain = name(""),
                                     .process = process(global),
                                     .thread = global % process_unit,
                                     .start = row.integer(0),
                                     .end = row.integer(1)});
         });
  }

  void read_devices() {
    const std::string table = tables_.first_of({"TARGET_INFO_GPU", "TARGET_INFO_CUDA_GPU"});
    if (table.empty()) return;
    rows("SELECT " + tables_.column(table, {"id", "cudaId", "gpuId"}) + ", " +
             tables_.column(table, {"name"}) + ", " + tables_.column(table, {"computeMajor"}) +
             ", " + tables_.column(table, {"computeMinor"}) + ", " +
             tables_.column(table, {"smCount", "numMultiprocessors"}) + " FROM " + table,
         [&](const Row& row) {
           DeviceRecording::Device device{.process = processes_.empty() ? 0 : *processes_.begin(),
                                          .id = row.integer(0),
                                          .name = std::string(row.text(1)),
                                          .multiprocessors = row.integer(4)};
           if (const auto major = row.optional_integer(2)) {
             device.compute_capability =
                 std::to_string(*major) + '.' + std::to_string(row.integer(3));
           }
           result_.devices.push_back(std::move(device));
         });
  }

  void from_first_event() {
    std::optional<std::int64_t> first;
    const auto see = [&](const auto& events) {
      for (const auto& event : events) first = std::min(first.value_or(event.start), event.start);
    };
    see(result_.work);
    see(result_.api);
    see(result_.ranges);
    const auto settle = [&](auto& events) {
      for (auto& event : events) event.start -= *first;
      const auto start_of = [](const auto& event) { return event.start; };
      // Most are in order; sorting takes memory.
      if (!std::ranges::is_sorted(events, {}, start_of)) {
        std::ranges::stable_sort(events, {}, start_of);
      }
    };
    if (!first) return;
    for (auto& one : result_.work) one.end -= *first;
    for (auto& one : result_.api) one.end -= *first;
    for (auto& one : result_.ranges) one.end = *one.end - *first;
    settle(result_.work);
    settle(result_.api);
    settle(result_.ranges);
    result_.processes.assign(processes_.begin(), processes_.end());
  }

  sqlite::Connection connection_;
  ExportTables tables_;
  DeviceRecording result_;
  std::set<std::int64_t> processes_;
  std::size_t without_time_ = 0;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::unordered_map<std::int64_t, std::uint32_t> texts_;
};

}  // namespace

void refuse_nsight_report(const std::filesystem::path& path) {
  if (path.extension() != ".nsys-rep" && path.extension() != ".qdrep") return;
  throw Error(path.string() +
              ": is a report of Nsight Systems, which only its own programs read; export it: nsys "
              "export --type sqlite");
}

bool is_sqlite_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream in(path, std::ios::binary);
  std::string start(15, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return in.gcount() == 15 && start == "SQLite format 3";
}

bool is_nsight_export(const std::filesystem::path& path) {
  if (!is_sqlite_file(path)) return false;
  const sqlite::Connection connection(path, sqlite::Connection::Mode::read);
  sqlite::Statement table(connection,
                          "SELECT count(*) FROM sqlite_master WHERE name LIKE "
                          "'CUPTI\\_ACTIVITY\\_KIND\\_%' ESCAPE '\\' OR name IN "
                          "('META_DATA_EXPORT', 'NVTX_EVENTS')");
  table.step();
  return table.integer(0) > 0;
}

DeviceRecording read_nsight_export(const std::filesystem::path& path) {
  return NsightReader(path).read();
}

}  // namespace benanza::analysis
