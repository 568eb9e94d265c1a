#include "record/views/memory_profile.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace benanza {

std::vector<HeldMemory> held_memory(const DeviceRecording& recording) {
  constexpr double seconds_per_nanosecond = 1e-9;
  struct Held {
    HeldMemory total{};
    std::map<std::int64_t, std::int64_t> bytes_at{};
  };
  std::map<std::tuple<std::int64_t, std::uint32_t, std::uint32_t>, Held> all;
  for (const DeviceRecording::Memory& one : recording.memory) {
    auto& [total, bytes_at] = all[{one.process, one.device, one.kind}];
    std::int64_t change = 0;
    if (one.is_freed) {
      // Others were allocated before the recording began.
      const auto found = bytes_at.find(one.address);
      if (found == bytes_at.end()) continue;
      change = -found->second;
      bytes_at.erase(found);
    } else {
      change = one.bytes;
      bytes_at[one.address] = one.bytes;
      ++total.allocations;
    }
    total.last_bytes += change;
    const double seconds = static_cast<double>(one.time) * seconds_per_nanosecond;
    if (total.last_bytes > total.peak_bytes) {
      total.peak_bytes = total.last_bytes;
      total.peak_seconds = seconds;
    }
    total.steps.emplace_back(seconds, total.last_bytes);
  }
  std::vector<HeldMemory> list;
  for (auto& [key, held] : all) {
    if (held.total.allocations == 0) continue;
    list.push_back(std::move(held.total));
    std::tie(list.back().process, list.back().device, std::ignore) = key;
    list.back().kind = recording.names[std::get<2>(key)];
  }
  std::ranges::stable_sort(list, std::ranges::greater(), &HeldMemory::peak_bytes);
  return list;
}

}  // namespace benanza
