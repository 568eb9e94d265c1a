#include "analysis/questions/profile/device_sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/questions/common/subject.h"
#include "core/library/kernel_name.h"

namespace benanza::analysis {
namespace {

using Profiles = std::vector<DeviceProfile>;

/// A table of rows by name.
struct RowTable {
  const char* name;
  const char* caption;
  std::vector<DeviceRow> DeviceProfile::*rows;
  bool is_nested = false;
  bool has_device = false;
  bool has_bytes = false;
};
constexpr RowTable tables[] = {
    {"gpu_kernels", "by kernel", &DeviceProfile::kernels},
    {"gpu_framework", "by operation, the framework's own kernels", &DeviceProfile::framework},
    {"gpu_library_calls", "by call of a library, the time of its kernels",
     &DeviceProfile::library_calls},
    {"gpu_copies", "by direction of copies", &DeviceProfile::copies, false, false, true},
    {"gpu_api", "by call of CUDA, the time of the host", &DeviceProfile::api, true},
    {"gpu_ranges", "by NVTX range, the time of the host", &DeviceProfile::ranges, true, true},
    {"gpu_threads", "by thread, the time inside of calls of CUDA", &DeviceProfile::threads, false,
     true}};

double seconds_of(const std::vector<DeviceRow>& rows) {
  double sum = 0;
  for (const DeviceRow& row : rows) sum += row.exclusive_seconds;
  return sum;
}

/// The rows of all recordings by name, in the order of the first one's.
struct Joined {
  std::string name{};
  std::vector<const DeviceRow*> rows{};
};
std::vector<Joined> joined(const Profiles& profiles, const RowTable& table) {
  std::vector<Joined> list;
  std::map<std::string, std::size_t> places;
  for (std::size_t at = 0; at < profiles.size(); ++at) {
    for (const DeviceRow& row : profiles[at].*table.rows) {
      const auto [place, is_new] = places.try_emplace(row.name, list.size());
      if (is_new) {
        list.push_back({.name = row.name, .rows = {}});
        list.back().rows.resize(profiles.size());
      }
      list[place->second].rows[at] = &row;
    }
  }
  return list;
}

void add_base(std::vector<Cell>& cells, const DeviceRow* row, double sum) {
  add_share_cells(cells, row == nullptr ? std::nullopt : std::optional(row->exclusive_seconds),
                  row == nullptr ? 0 : row->calls, sum);
}

Sheet sheet_of(const Profiles& profiles, const RowTable& table) {
  Sheet sheet{.name = table.name, .caption = table.caption};
  for (std::size_t at = 0; at < profiles.size(); ++at) {
    const auto column = [&](const std::string& title, const std::string& key) {
      sheet.columns.push_back(
          {numbered(title, at, profiles.size()), numbered_name(key, at, profiles.size()), true});
    };
    column("share", "share");
    column(table.is_nested ? "exclusive ms" : "ms", "seconds");
    column("calls", "calls");
    column("us/call", "mean_seconds");
    if (table.is_nested) column("inclusive ms", "inclusive_seconds");
    if (table.has_device) column("GPU ms", "gpu_seconds");
    if (table.has_bytes) column("MB", "bytes");
    if (table.has_bytes) column("GB/s", "bytes_per_second");
  }
  const bool is_kernels = table.rows == &DeviceProfile::kernels;
  sheet.columns.push_back({"name", "call", false, is_kernels ? kernel_width : any_width});
  for (const Joined& row : joined(profiles, table)) {
    std::vector<Cell> cells;
    for (std::size_t at = 0; at < profiles.size(); ++at) {
      const DeviceRow* const one = row.rows[at];
      add_base(cells, one, seconds_of(profiles[at].*table.rows));
      if (table.is_nested) {
        cells.push_back(one == nullptr ? unknown_cell() : cell(one->inclusive_seconds, milli));
      }
      if (table.has_device) {
        cells.push_back(one == nullptr ? unknown_cell() : cell(one->device_seconds, milli));
      }
      if (table.has_bytes) {
        cells.push_back(one == nullptr ? unknown_cell() : cell(one->bytes, mega));
        const bool is_known = one != nullptr && one->exclusive_seconds > 0;
        Cell speed = unknown_cell();
        if (is_known) {
          speed.value = one->bytes / one->exclusive_seconds;
          speed.shown = fmt::format("{:.1f}", one->bytes / one->exclusive_seconds * 1e-9);
        }
        cells.push_back(speed);
      }
    }
    cells.push_back(
        Cell{.shown = is_kernels ? kernel_label(row.name) : row.name, .value = row.name});
    sheet.rows.push_back(std::move(cells));
  }
  return sheet;
}

Sheet gpus(const Profiles& profiles) {
  Sheet sheet{.name = "gpus",
              .caption = "GPUs, from their first work to their last",
              .note =
                  "idle, as the next work was not launched yet: synchronisation, where its "
                  "thread waited for the GPU, host, where it did not. gap: it was launched.",
              .all_rows = true};
  if (profiles.size() > 1) sheet.columns.push_back({"recording", "recording", true});
  sheet.columns.push_back({"process", "process", true});
  sheet.columns.push_back({"GPU", "gpu", false, any_width});
  sheet.columns.push_back({"ms", "seconds", true});
  sheet.columns.push_back({"kernels", "busy", true});
  sheet.columns.push_back({"copies", "copies", true});
  sheet.columns.push_back({"gap", "gap", true});
  sheet.columns.push_back({"synchronisation", "synchronization", true});
  sheet.columns.push_back({"host", "host", true});
  sheet.columns.push_back({"unknown", "unknown", true});
  for (std::size_t at = 0; at < profiles.size(); ++at) {
    for (const DeviceTime& time : profiles[at].devices) {
      std::vector<Cell> cells;
      if (profiles.size() > 1) cells.push_back(cell(at + 1));
      cells.push_back(cell(time.process));
      cells.push_back(cell(fmt::format("{} {}", time.device, time.name)));
      cells.push_back(cell(time.seconds, milli));
      for (const double part :
           {time.busy_seconds, time.copy_seconds, time.gap_seconds, time.synchronization_seconds,
            time.host_seconds, time.unknown_seconds}) {
        cells.push_back(cell(quotient(part, time.seconds), percent));
      }
      sheet.rows.push_back(std::move(cells));
    }
  }
  return sheet;
}

/// The speed that the slowest part of the time does not exceed.
std::optional<double> speed_at(const DeviceProfile& profile, double part) {
  for (const ThroughputStep& step : profile.throughput) {
    if (step.part >= part - 1e-12) return step.flops_per_second;
  }
  return std::nullopt;
}

Sheet distribution(const Profiles& profiles) {
  Sheet sheet{.name = "gpu_throughput",
              .caption = "time of kernels whose arithmetic is known, by their throughput",
              .note = "that share of the time runs at this many TFLOP/s or fewer",
              .all_rows = true};
  sheet.columns.push_back({"time", "part", true});
  for (std::size_t at = 0; at < profiles.size(); ++at) {
    sheet.columns.push_back({numbered("TFLOP/s", at, profiles.size()),
                             numbered_name("flops_per_second", at, profiles.size()), true});
  }
  for (const double part : {0.1, 0.25, 0.5, 0.75, 0.9, 1.0}) {
    std::vector<Cell> cells{cell(part, percent)};
    for (const DeviceProfile& profile : profiles) {
      const auto speed = speed_at(profile, part);
      cells.push_back(speed ? Cell{.shown = fmt::format("{:.3f}", *speed * 1e-12), .value = *speed}
                            : unknown_cell());
    }
    sheet.rows.push_back(std::move(cells));
  }
  return sheet;
}

}  // namespace

void add_share_cells(std::vector<Cell>& cells, std::optional<double> seconds, std::int64_t calls,
                     double sum) {
  if (!seconds) {
    cells.insert(cells.end(), 4, unknown_cell());
    return;
  }
  cells.push_back(cell(quotient(seconds, sum), percent));
  cells.push_back(cell(seconds, milli));
  cells.push_back(cell(calls));
  cells.push_back(cell(quotient(seconds, static_cast<double>(calls)), micro));
}

std::string numbered(const std::string& title, std::size_t recording, std::size_t recordings) {
  return recordings == 1 ? title : fmt::format("{} {}", title, recording + 1);
}

std::string numbered_name(const std::string& name, std::size_t recording, std::size_t recordings) {
  return recordings == 1 ? name : fmt::format("{}_{}", name, recording + 1);
}

std::vector<Sheet> device_sheets(const Profiles& profiles) {
  std::vector<Sheet> sheets{gpus(profiles)};
  for (const RowTable& table : tables) sheets.push_back(sheet_of(profiles, table));
  const bool is_known = std::ranges::any_of(
      profiles, [](const DeviceProfile& one) { return !one.throughput.empty(); });
  if (is_known) sheets.push_back(distribution(profiles));
  std::erase_if(sheets, [](const Sheet& sheet) { return sheet.rows.empty(); });
  return sheets;
}

std::vector<std::vector<Cell>> device_csv_rows(const Profiles& profiles) {
  std::vector<std::vector<Cell>> rows;
  for (const RowTable& table : tables) {
    for (const Joined& row : joined(profiles, table)) {
      std::vector<Cell> cells{cell(table.name)};
      for (std::size_t at = 0; at < profiles.size(); ++at) {
        add_base(cells, row.rows[at], seconds_of(profiles[at].*table.rows));
      }
      cells.push_back(cell(row.name));
      rows.push_back(std::move(cells));
    }
  }
  return rows;
}

std::string tensor_core_text(const DeviceProfile& profile) {
  const auto percent = [&](double seconds) { return seconds / profile.kernel_seconds * 100; };
  return fmt::format(
      "{:.1f}% of {:.3f} ms of kernels; {:.1f}% not; {:.1f}% unknown from kernel names",
      percent(profile.tensor_core_seconds), profile.kernel_seconds * 1e3,
      percent(profile.plain_seconds), percent(profile.unknown_tensor_core_seconds));
}

std::string library_text(const DeviceProfile& profile) {
  std::string text = fmt::format(
      "of {:.3f} ms in kernels of cuDNN, cuBLAS and cuBLASLt, {:.1f}% belong to calls "
      "whose problem is known",
      profile.library_kernel_seconds * 1e3,
      profile.known_library_kernel_seconds / profile.library_kernel_seconds * 100);
  if (profile.searching_calls > 0) {
    text += fmt::format("; {:.3f} ms are {} calls that search for algorithms",
                        profile.searching_seconds * 1e3, profile.searching_calls);
  }
  return text;
}

nlohmann::ordered_json device_facts(const DeviceProfile& profile) {
  return {{"kernels", profile.kernel_count},
          {"kernel_seconds", profile.kernel_seconds},
          {"tensor_core_seconds", profile.tensor_core_seconds},
          {"plain_seconds", profile.plain_seconds},
          {"unknown_tensor_core_seconds", profile.unknown_tensor_core_seconds},
          {"library_kernel_seconds", profile.library_kernel_seconds},
          {"known_library_kernel_seconds", profile.known_library_kernel_seconds},
          {"searching_calls", profile.searching_calls},
          {"searching_seconds", profile.searching_seconds},
          {"known_arithmetic_seconds", profile.known_arithmetic_seconds},
          {"lost_events", profile.lost_events}};
}

}  // namespace benanza::analysis
