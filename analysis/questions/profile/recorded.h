#pragma once

#include <string>
#include <vector>

#include "analysis/render/page.h"
#include "record/store/recording.h"
#include "record/views/device_profile.h"
#include "record/views/kernel_counters.h"
#include "record/views/memory_profile.h"

namespace benanza::analysis {

/// A recording, read and summed up.
struct Recorded {
  std::string file{};
  /// An export of Nsight Systems: it states neither the program nor the machine.
  bool is_export = false;
  RecordedRun run{};
  std::vector<std::string> libraries{};
  /// Only of calls whose log states their time: oneDNN's.
  std::vector<CallTotal> totals{};
  std::vector<CountedValue> counters{};
  bool has_device = false;
  DeviceProfile device{};
  std::vector<HeldMemory> memory{};
  /// Instead of times.
  CountedKernels counted{};
};

/// Of recordings and of exports of Nsight Systems. Throws Error for other files, and for those that
/// hold neither a call nor a counter.
std::vector<Recorded> read_recordings(const std::vector<std::string>& files);

/// The file's name without folder and ending; with the recording's number if two are alike.
std::vector<std::string> recording_labels(const std::vector<Recorded>& recorded);

/// A table for every recording that has them: hardware counters of kernels; memory that was held.
std::vector<Sheet> counter_sheets(const std::vector<Recorded>& recorded);
std::vector<Sheet> memory_sheets(const std::vector<Recorded>& recorded);

}  // namespace benanza::analysis
