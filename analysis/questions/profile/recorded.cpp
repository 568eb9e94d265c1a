#include "analysis/questions/profile/recorded.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "analysis/input/nsight_export.h"
#include "analysis/questions/profile/device_sheets.h"
#include "core/base/error.h"
#include "record/views/flat_profile.h"

namespace benanza::analysis {
namespace {

void add_device(Recorded& one, const DeviceRecording& devices, const std::vector<GpuCall>& calls) {
  one.counted = counted_kernels(devices);
  one.memory = held_memory(devices);
  one.has_device = !devices.is_empty() || !calls.empty();
  if (one.has_device) one.device = device_profile(devices, calls);
}

Recorded read_export(const std::string& file) {
  Recorded one{.file = file, .is_export = true};
  add_device(one, read_nsight_export(file), {});
  if (!one.has_device) throw Error(file + ": is an export of Nsight Systems without GPU activity");
  return one;
}

Recorded read_recording(const std::string& file) {
  const RecordingReader reader(file);
  Recorded one{.file = file,
               .run = reader.run(),
               .libraries = reader.libraries(),
               .totals = reader.totals(),
               .counters = reader.counters()};
  std::erase_if(one.totals, [](const CallTotal& total) { return total.timed_calls == 0; });
  add_device(one, reader.devices(), gpu_calls(reader));
  if (one.totals.empty() && !one.has_device && one.counters.empty()) {
    throw Error(file +
                ": contains no calls: the program called neither oneDNN nor a GPU, or wrote its "
                "log to a file of its own");
  }
  return one;
}

Cell number_cell(std::optional<double> value) {
  if (!value) return {.shown = "-", .value = nullptr};
  return {.shown = fmt::format("{:.6g}", *value), .value = *value};
}

}  // namespace

std::vector<Recorded> read_recordings(const std::vector<std::string>& files) {
  std::vector<Recorded> list;
  for (const std::string& file : files) {
    refuse_nsight_report(file);
    list.push_back(is_nsight_export(file) ? read_export(file) : read_recording(file));
  }
  return list;
}

std::vector<std::string> recording_labels(const std::vector<Recorded>& recorded) {
  std::vector<std::string> labels;
  for (const Recorded& one : recorded) {
    labels.push_back(std::filesystem::path(one.file).stem().string());
  }
  if (std::set(labels.begin(), labels.end()).size() == labels.size()) return labels;
  for (std::size_t at = 0; at < labels.size(); ++at) {
    labels[at] += " (" + std::to_string(at + 1) + ")";
  }
  return labels;
}

std::vector<Sheet> counter_sheets(const std::vector<Recorded>& recorded) {
  std::vector<Sheet> sheets;
  for (std::size_t at = 0; at < recorded.size(); ++at) {
    const CountedKernels& counted = recorded[at].counted;
    if (counted.kernels.empty()) continue;
    const auto sheet_name = numbered_name("kernel_counters", at, recorded.size());
    Sheet& sheet = sheets.emplace_back(
        Sheet{.name = sheet_name,
              .caption = numbered("counters by kernel, the mean of its launches; the time is that "
                                  "while counting, all launches",
                                  at, recorded.size())});
    sheet.columns.push_back({"launches", "launches", true});
    sheet.columns.push_back({"ms", "seconds", true});
    for (const std::string& column : counted.columns) {
      sheet.columns.push_back({column, column, true});
    }
    sheet.columns.push_back({"kernel", "kernel", false, kernel_width});
    for (const CountedKernel& kernel : counted.kernels) {
      std::vector<Cell> cells{cell(kernel.launches), cell(kernel.seconds, milli)};
      for (const auto& value : kernel.values) cells.push_back(number_cell(value));
      cells.push_back(cell(kernel.name));
      sheet.rows.push_back(std::move(cells));
    }
  }
  return sheets;
}

std::vector<Sheet> memory_sheets(const std::vector<Recorded>& recorded) {
  std::vector<Sheet> sheets;
  for (std::size_t at = 0; at < recorded.size(); ++at) {
    if (recorded[at].memory.empty()) continue;
    Sheet& sheet = sheets.emplace_back(
        Sheet{.name = numbered_name("memory", at, recorded.size()),
              .caption = numbered("memory held, as far as it was allocated while recording", at,
                                  recorded.size()),
              .columns = {{"process", "process", true},
                          {"GPU", "device", true},
                          {"kind", "kind"},
                          {"allocations", "allocations", true},
                          {"peak MB", "peak_bytes", true},
                          {"at s", "peak_seconds", true},
                          {"at the end MB", "last_bytes", true}}});
    for (const HeldMemory& held : recorded[at].memory) {
      sheet.rows.push_back(
          {cell(held.process), cell(held.device), cell(held.kind), cell(held.allocations),
           cell(static_cast<double>(held.peak_bytes), mega), cell(held.peak_seconds, thousandths),
           cell(static_cast<double>(held.last_bytes), mega)});
    }
  }
  return sheets;
}

}  // namespace benanza::analysis
