#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/recording/launches.h"
#include "core/recording/recording.h"

namespace benanza {

/// A call of a library that a GPU works for, as its log tells.
struct GpuCall {
  CallText text{};
  std::int64_t process = 0;
  std::optional<std::int64_t> thread{};
  /// From the run's start, in nanoseconds; empty where the log tells whole seconds.
  std::optional<std::int64_t> start{};
  /// Among all calls of the recording.
  std::size_t place = 0;
};
/// Those of a recording, in their order.
std::vector<GpuCall> gpu_calls(const RecordingReader& reader);

/// What calls and devices have to do with each other. No log tells it; these rules do:
/// - a call whose time and thread are known owns what its thread launches from then on, until the
///   next such call, a kernel that is a framework's own, or two milliseconds are over, not counting
///   those in which it loads code. A graph's node was launched when it was captured;
/// - calls without a time (cuBLAS, cuBLASLt) own the kernels of products in the order of their
///   launches, where a process has as many of those as of these: each with the kernels that add up
///   its parts. Where the kernel has an owner, the call is one that this owner made, one for an
///   owner: cuDNN computes convolutions of 1x1 by cuBLASLt. Where the numbers differ, the same is
///   tried with the kernels that no call owns yet, else they own none. Calls of two libraries have
///   no common order: theirs is the one that fits best to the kernels (see merged()), and none has
///   another precision than its kernel.
struct Attribution {
  /// Of every piece of `recording.work`: the index of the call that it works for; empty where that
  /// is not known.
  std::vector<std::optional<std::size_t>> owners{};
  /// Of every call: the one that made it, where another did.
  std::vector<std::optional<std::size_t>> made_by{};
  /// Of every call: when it began, in nanoseconds from the run's start, as its log or the first
  /// launch of its own tells; empty where nothing does.
  std::vector<std::optional<std::int64_t>> began{};
};
Attribution attribute(const DeviceRecording& recording, const Launches& launches,
                      const std::vector<GpuCall>& calls);

/// The calls of a recording, by their places, in the order in which they began, process by process,
/// without those that another call made; in the order in which they were read as far as it is not
/// known when they began.
std::vector<std::size_t> call_order(const RecordingReader& reader);

}  // namespace benanza
