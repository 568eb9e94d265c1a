#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/recording/recording.h"

namespace benanza::analysis {

/// Which call on the host launched what ran on a device.
class Launches {
 public:
  explicit Launches(const DeviceRecording& recording);
  /// Of the calls with its number the one that began first: a call of the driver inside of one of
  /// the runtime is the same launch. Null where no call was recorded.
  const DeviceRecording::Api* of(const DeviceRecording::Work& work) const;

 private:
  const DeviceRecording& recording_;
  /// Of every process, by correlation number.
  std::unordered_map<std::int64_t, std::unordered_map<std::uint32_t, std::size_t>> places_;
};

/// A call of a library that a GPU works for, as its log tells.
struct GpuCall {
  CallText text{};
  std::int64_t process = 0;
  std::optional<std::int64_t> thread{};
  /// From the run's start, in nanoseconds; empty where the log tells whole seconds.
  std::optional<std::int64_t> start{};
};
/// Those of a recording, in their order.
std::vector<GpuCall> gpu_calls(const RecordingReader& reader);

/// Of every piece of `recording.work`: the index of the call that it works for; empty where that is
/// not known. No log tells it; these rules do:
/// - a call whose time and thread are known owns what its thread launches from then on, until the
///   next such call, a kernel that is a framework's own, or two milliseconds are over;
/// - calls without a time (cuBLAS, cuBLASLt) own the kernels of products that no other call owns,
/// in
///   their order, where a process has as many of those as of these; else none.
std::vector<std::optional<std::size_t>> owners(const DeviceRecording& recording,
                                               const Launches& launches,
                                               const std::vector<GpuCall>& calls);

/// Is it a framework's own, and no library's? From its name.
bool is_framework_kernel(std::string_view name);

}  // namespace benanza::analysis
