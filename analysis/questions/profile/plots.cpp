#include "analysis/questions/profile/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/library/kernel_name.h"
#include "record/views/flat_profile.h"

namespace benanza::analysis {
namespace {

constexpr double ms_per_second = 1e3;
/// Kinds of calls with a colour of their own.
constexpr std::size_t most_kinds = 7;
constexpr std::size_t most_kernels = 15;

void add_kinds(Section& section, const std::vector<Recorded>& recorded,
               const std::vector<std::string>& labels) {
  std::vector<std::vector<CallTotal>> totals;
  for (const Recorded& one : recorded) totals.push_back(one.totals);
  const std::vector<ProfileRow> rows = flat_profile(totals, Grouping::kind);
  if (rows.empty()) return;
  Bars bars{.title = "Time in the library by kind of call, ms",
            .categories = labels,
            .unit = "ms",
            .stacked = true};
  const std::size_t shown = std::min(rows.size(), most_kinds);
  for (std::size_t row = 0; row < shown; ++row) bars.series.push_back({rows[row].name, {}});
  if (rows.size() > shown) bars.series.push_back({"others", {}});
  for (std::size_t at = 0; at < recorded.size(); ++at) {
    std::vector<double> sums(bars.series.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto& part = rows[row].parts[at];
      if (part) sums[std::min(row, shown)] += part->seconds * ms_per_second;
    }
    for (std::size_t series = 0; series < sums.size(); ++series) {
      bars.series[series].values.emplace_back(sums[series]);
    }
  }
  section.add(std::move(bars));
}

void add_causes(Section& section, const std::vector<Recorded>& recorded,
                const std::vector<std::string>& labels) {
  Bars bars{.title = "GPUs, from their first work to their last, ms",
            .series = {{"kernels", {}},
                       {"copies alone", {}},
                       {"idle: gap", {}},
                       {"idle: synchronisation", {}},
                       {"idle: host", {}},
                       {"idle: unknown", {}}},
            .unit = "ms",
            .stacked = true};
  for (std::size_t at = 0; at < recorded.size(); ++at) {
    for (const DeviceTime& time : recorded[at].device.devices) {
      bars.categories.push_back(fmt::format("{}, GPU {}", labels[at], time.device));
      const double parts[] = {time.busy_seconds, time.copy_seconds,
                              time.gap_seconds,  time.synchronization_seconds,
                              time.host_seconds, time.unknown_seconds};
      for (std::size_t i = 0; i < bars.series.size(); ++i) {
        bars.series[i].values.emplace_back(parts[i] * ms_per_second);
      }
    }
  }
  if (!bars.categories.empty()) section.add(std::move(bars));
}

/// Those that take the most time in any recording, in the order of their sums.
void add_kernels(Section& section, const std::vector<Recorded>& recorded,
                 const std::vector<std::string>& labels) {
  std::vector<std::pair<double, std::string>> sums;
  const auto seconds = [](const Recorded& one, const std::string& name) -> std::optional<double> {
    const auto row = std::ranges::find(one.device.kernels, name, &DeviceRow::name);
    if (row == one.device.kernels.end()) return std::nullopt;
    return row->exclusive_seconds * ms_per_second;
  };
  for (const Recorded& one : recorded) {
    for (const DeviceRow& row : one.device.kernels) {
      const bool is_new =
          std::ranges::none_of(sums, [&](const auto& sum) { return sum.second == row.name; });
      if (!is_new) continue;
      double sum = 0;
      for (const Recorded& other : recorded) sum += seconds(other, row.name).value_or(0);
      sums.emplace_back(sum, row.name);
    }
  }
  if (sums.empty()) return;
  std::ranges::stable_sort(sums, std::ranges::greater{}, &std::pair<double, std::string>::first);
  sums.resize(std::min(sums.size(), most_kernels));
  Bars bars{.title = "The kernels that take the most time, ms", .unit = "ms"};
  for (const std::string& label : labels) bars.series.push_back({label, {}});
  for (const auto& [sum, name] : sums) {
    bars.categories.push_back(kernel_label(name));
    for (std::size_t at = 0; at < recorded.size(); ++at) {
      bars.series[at].values.push_back(seconds(recorded[at], name));
    }
  }
  section.add(std::move(bars));
}

void add_tensor_cores(Section& section, const std::vector<Recorded>& recorded,
                      const std::vector<std::string>& labels) {
  Bars bars{.title = "Time of kernels by Tensor Core use, by their names, %",
            .series = {{"Tensor Cores", {}}, {"without", {}}, {"not known", {}}},
            .unit = "%",
            .decimals = 1,
            .stacked = true};
  for (std::size_t at = 0; at < recorded.size(); ++at) {
    const DeviceProfile& device = recorded[at].device;
    if (!(device.kernel_seconds > 0)) continue;
    bars.categories.push_back(labels[at]);
    const double parts[] = {device.tensor_core_seconds, device.plain_seconds,
                            device.unknown_tensor_core_seconds};
    for (std::size_t i = 0; i < bars.series.size(); ++i) {
      bars.series[i].values.emplace_back(parts[i] / device.kernel_seconds * 100);
    }
  }
  if (!bars.categories.empty()) section.add(std::move(bars));
}

void add_throughput(Section& section, const std::vector<Recorded>& recorded,
                    const std::vector<std::string>& labels) {
  Curves plot{.title = "Time of kernels whose arithmetic is known, by throughput",
              .curves = {},
              .x_name = "TFLOP/s",
              .y_name = "% of the time at most as fast"};
  for (std::size_t at = 0; at < recorded.size(); ++at) {
    if (recorded[at].device.throughput.empty()) continue;
    Curves::Curve curve{.name = labels[at], .points = {{0, 0}}};
    for (const ThroughputStep& step : recorded[at].device.throughput) {
      const double speed = step.flops_per_second * 1e-12;
      curve.points.emplace_back(speed, curve.points.back().second);
      curve.points.emplace_back(speed, step.part * 100);
    }
    plot.curves.push_back(std::move(curve));
  }
  if (!plot.curves.empty()) section.add(std::move(plot));
}

void add_memory(Section& section, const std::vector<Recorded>& recorded,
                const std::vector<std::string>& labels) {
  constexpr std::size_t most_points = 2000;
  constexpr double bytes_per_gigabyte = 1e9;
  Curves plot{.title = "Memory held on GPUs", .curves = {}, .x_name = "s", .y_name = "GB"};
  for (std::size_t at = 0; at < recorded.size(); ++at) {
    for (const HeldMemory& held : recorded[at].memory) {
      if (held.kind != "device" && held.kind != "managed") continue;
      Curves::Curve curve{.name = fmt::format("{}, GPU {}, {}", labels[at], held.device, held.kind),
                          .points = {{0, 0}}};
      // Of many changes, the largest of each group is kept.
      const std::size_t group = held.steps.size() / most_points + 1;
      for (std::size_t step = 0; step < held.steps.size(); step += group) {
        const auto begin = held.steps.begin() + static_cast<std::ptrdiff_t>(step);
        const auto end =
            begin + static_cast<std::ptrdiff_t>(std::min(group, held.steps.size() - step));
        const auto largest =
            std::ranges::max_element(begin, end, {}, &std::pair<double, std::int64_t>::second);
        curve.points.emplace_back(largest->first, curve.points.back().second);
        curve.points.emplace_back(largest->first,
                                  static_cast<double>(largest->second) / bytes_per_gigabyte);
      }
      plot.curves.push_back(std::move(curve));
    }
  }
  if (!plot.curves.empty()) section.add(std::move(plot));
}

}  // namespace

void add_profile_plots(Section& section, const std::vector<Recorded>& recorded) {
  const std::vector<std::string> labels = recording_labels(recorded);
  add_kinds(section, recorded, labels);
  add_causes(section, recorded, labels);
  add_kernels(section, recorded, labels);
  add_tensor_cores(section, recorded, labels);
  add_throughput(section, recorded, labels);
  add_memory(section, recorded, labels);
}

}  // namespace benanza::analysis
