#include "analysis/questions/profile/recorded.h"

#include <filesystem>
#include <set>

#include "analysis/input/nsight_export.h"
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

}  // namespace benanza::analysis
