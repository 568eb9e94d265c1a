#include "analysis/input/one_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/error.h"

namespace benanza::analysis {
namespace {

void require_one_gpu(const std::map<std::string, System>& systems) {
  std::map<std::string, std::string> devices;
  for (const auto& [backend, system] : systems) {
    if (kind_of(system) == DeviceKind::gpu) devices.try_emplace(system.at("device"), backend);
  }
  if (devices.size() < 2) return;
  const auto& [first, one] = *devices.begin();
  const auto& [second, other] = *std::next(devices.begin());
  throw Error(
      fmt::format("results of two devices: {} of {}, {} of {}; give those of one, or say "
                  "--backend {}",
                  one, first, other, second, one));
}

}  // namespace

DeviceKind kind_of(const System& system) {
  return system.contains("device") ? DeviceKind::gpu : DeviceKind::processor;
}

namespace {

/// Returns the sentence that says what was left out; empty if nothing was.
std::string leave_one_device(Results& results, const std::string& backend,
                             std::optional<DeviceKind> wanted) {
  const auto asked = results.systems.find(backend);
  if (asked != results.systems.end()) wanted = kind_of(asked->second);
  std::set<std::string> processors;
  std::set<std::string> gpus;
  for (const auto& [backend, system] : results.systems) {
    (kind_of(system) == DeviceKind::gpu ? gpus : processors).insert(backend);
  }
  if (asked == results.systems.end()) require_one_gpu(results.systems);
  std::string note;
  if (!processors.empty() && !gpus.empty()) {
    const bool gpu = wanted.value_or(DeviceKind::gpu) == DeviceKind::gpu;
    const std::set<std::string>& others = gpu ? processors : gpus;
    note = fmt::format("left out: results of {} ({}); --backend {} answers for {}",
                       fmt::join(others, ", "), gpu ? "a processor" : "a GPU", *others.begin(),
                       others.size() == 1 ? "it" : "one of them");
    results.measurements.remove(others);
    for (const std::string& other : others) {
      results.systems.erase(other);
      results.peaks.erase(other);
      results.anchors.erase(other);
    }
  }
  return note;
}

void add_line(std::string& text, const std::string& line) {
  if (!text.empty() && !line.empty()) text += '\n';
  text += line;
}

}  // namespace

std::string keep_one_device(Results& results, const std::string& backend,
                            std::optional<DeviceKind> wanted) {
  std::string note = results.doubled;
  add_line(note, leave_one_device(results, backend, wanted));
  return note;
}

std::string keep_one_device(std::span<Results* const> all, const std::string& backend) {
  const bool gpus = std::ranges::all_of(all, [](const Results* results) {
    return std::ranges::any_of(
        results->systems, [](const auto& one) { return kind_of(one.second) == DeviceKind::gpu; });
  });
  std::string note;
  std::string left_out;
  for (Results* const results : all) {
    add_line(note, results->doubled);
    std::string one =
        leave_one_device(*results, backend, gpus ? DeviceKind::gpu : DeviceKind::processor);
    if (left_out.empty()) left_out = std::move(one);
  }
  add_line(note, left_out);
  return note;
}

Results of_one_device(Results results, const std::string& backend,
                      std::optional<DeviceKind> wanted) {
  keep_one_device(results, backend, wanted);
  return results;
}

}  // namespace benanza::analysis
