#include "analysis/questions/profile/recorded.h"

#include <filesystem>
#include <set>

#include "core/base/error.h"
#include "record/views/flat_profile.h"

namespace benanza::analysis {

std::vector<Recorded> read_recordings(const std::vector<std::string>& files) {
  std::vector<Recorded> list;
  for (const std::string& file : files) {
    const RecordingReader reader(file);
    list.push_back({.file = file,
                    .run = reader.run(),
                    .libraries = reader.libraries(),
                    .totals = reader.totals(),
                    .counters = reader.counters()});
    Recorded& one = list.back();
    std::erase_if(one.totals, [](const CallTotal& total) { return total.timed_calls == 0; });
    const DeviceRecording devices = reader.devices();
    const auto calls = gpu_calls(reader);
    one.counted = counted_kernels(devices);
    one.memory = held_memory(devices);
    one.has_device = !devices.is_empty() || !calls.empty();
    if (one.has_device) one.device = device_profile(devices, calls);
    if (one.totals.empty() && !one.has_device && one.counters.empty()) {
      throw Error(file +
                  ": holds no call: the program called neither oneDNN nor a GPU, or printed to a "
                  "file of its own");
    }
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

}  // namespace benanza::analysis
