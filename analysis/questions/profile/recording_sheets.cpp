#include "analysis/questions/profile/recording_sheets.h"

#include <fmt/format.h>

#include "analysis/questions/profile/device_sheets.h"

namespace benanza::analysis {
namespace {

Cell number_cell(std::optional<double> value) {
  if (!value) return {.shown = "-", .value = nullptr};
  return {.shown = fmt::format("{:.6g}", *value), .value = *value};
}

}  // namespace

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
