#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "record/store/recording.h"

namespace benanza {

/// Memory of one kind ("device", "managed", "pinned") that a process held on one device, as far as
/// it was allocated while the program was recorded.
struct HeldMemory {
  std::int64_t process = 0;
  std::uint32_t device = 0;
  std::string kind{};
  std::int64_t allocations = 0;
  std::int64_t peak_bytes = 0;
  /// From the run's start.
  double peak_seconds = 0;
  /// When the recording ended.
  std::int64_t last_bytes = 0;
  /// Seconds and bytes held from then on; after every change.
  std::vector<std::pair<double, std::int64_t>> steps{};
};

/// By process, device and kind; the largest peak first.
std::vector<HeldMemory> held_memory(const DeviceRecording& recording);

}  // namespace benanza
