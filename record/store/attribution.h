#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/store/launches.h"
#include "record/store/recording.h"

namespace benanza {

/// A library call that runs on a GPU, as logged.
struct GpuCall {
  CallText text{};
  std::int64_t process = 0;
  std::optional<std::int64_t> thread{};
  /// In nanoseconds from the run's start; empty if the log has only whole seconds.
  std::optional<std::int64_t> start{};
  /// Index among all calls of the recording.
  std::size_t place = 0;
};
/// The GPU calls of a recording, in order.
std::vector<GpuCall> gpu_calls(const RecordingReader& reader);

/// Which calls launched which GPU work. No log records this; the rules are:
/// - A call whose time and thread are known owns what its thread launches after it, until the next
///   such call, a framework's own kernel, or two milliseconds have passed, counted from when the
///   thread last loaded code, if it did. Graph nodes count as launched when they were captured.
/// - Calls without a time (cuBLAS, cuBLASLt) own the product kernels in launch order, if a process
///   has equally many of both, together with the kernels that sum up a split product. If a kernel
///   already has an owner, the call was made by this owner (cuDNN computes 1x1 convolutions with
///   cuBLASLt), at most one per owner. If the counts differ, the same is tried with only the
///   kernels without an owner; if they still differ, these calls own nothing. Calls of two
///   libraries have no common order: the order that fits the kernels best is used (see merged()),
///   in which no call has another precision or thread than its kernel.
struct Attribution {
  /// For every piece of `recording.work`: the index of the call it belongs to; empty if unknown.
  std::vector<std::optional<std::size_t>> owners{};
  /// For every call: the call that made it, if another one did.
  std::vector<std::optional<std::size_t>> made_by{};
  /// For every call: its start in nanoseconds from the run's start, from its log or its first
  /// launch; empty if neither is known.
  std::vector<std::optional<std::int64_t>> began{};
};
Attribution attribute(const DeviceRecording& recording, const Launches& launches,
                      const std::vector<GpuCall>& calls);

/// Indices of a recording's calls, without those that another call made. GPU calls are ordered by
/// process, then by start; one whose start is unknown follows the call before it in its library's
/// log. If no start of a log is known, all stay in the order they were read. Other calls keep their
/// places.
std::vector<std::size_t> call_order(const RecordingReader& reader);

}  // namespace benanza
