#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/problem/precision.h"
#include "record/store/attribution.h"
#include "record/store/recording.h"

namespace benanza {

/// Everything with one name. Times are sums, in seconds.
struct DeviceRow {
  std::string name{};
  std::int64_t calls = 0;
  /// Without nested entries that have a row of their own.
  double exclusive_seconds = 0;
  double inclusive_seconds = 0;
  /// GPU time of the work launched inside; only for ranges and threads.
  double device_seconds = 0;
  /// Only for copies.
  double bytes = 0;
};

/// The time of one GPU from the start of its first work to the end of its last. The parts add up to
/// `seconds`.
struct DeviceTime {
  std::int64_t process = 0;
  std::int64_t device = 0;
  /// Empty if unknown.
  std::string name{};
  double seconds = 0;
  /// A kernel or a graph ran.
  double busy_seconds = 0;
  /// No kernel ran, but a copy or memset did.
  double copy_seconds = 0;
  /// The GPU was idle although its next work had been launched already.
  double gap_seconds = 0;
  /// The GPU was idle while the thread that launched its next work waited for it (synchronisation).
  double synchronization_seconds = 0;
  /// The GPU was idle while that thread did something else.
  double host_seconds = 0;
  /// The GPU was idle, and it is unknown which call launched its next work.
  double unknown_seconds = 0;
};

/// `part` of the kernel time whose arithmetic is known ran at no more than `flops_per_second`.
/// Ascending in both.
struct ThroughputStep {
  double flops_per_second = 0;
  double part = 0;
};

/// All library calls with the same text.
struct LibraryCallTime {
  CallText text{};
  /// Precision of the products, according to the kernel names.
  std::optional<Precision> products{};
  /// The names of a call's kernels, in order, each once. Only where the log does not tell the
  /// algorithm: such calls are one if their kernels are the same.
  std::vector<std::string> kernels{};
  /// The calls whose kernels are known, and the kernels' time. A call captured in a graph counts as
  /// often as the graph ran.
  std::int64_t calls = 0;
  double seconds = 0;
};

struct DeviceProfile {
  /// By name, sorted by GPU time, then exclusive time, descending; likewise the other rows.
  std::vector<DeviceRow> kernels{};
  /// framework_rows().
  std::vector<DeviceRow> framework{};
  std::vector<DeviceRow> copies{};
  std::vector<DeviceRow> library_calls{};
  /// The library calls whose kernels are known, sorted by time, descending.
  std::vector<LibraryCallTime> library_call_times{};
  std::vector<DeviceRow> api{};
  std::vector<DeviceRow> ranges{};
  std::vector<DeviceRow> threads{};
  std::vector<DeviceTime> devices{};
  /// Sum over all kernels and graphs, concurrent or not.
  double kernel_seconds = 0;
  std::int64_t kernel_count = 0;
  /// The parts of kernel_seconds with and without Tensor Cores and unknown, according to the names.
  double tensor_core_seconds = 0;
  double plain_seconds = 0;
  double unknown_tensor_core_seconds = 0;
  /// The part of kernel_seconds in kernels that, by their names, are cuDNN's, cuBLAS' or
  /// cuBLASLt's; and the part of that in kernels of calls whose problem is known.
  double library_kernel_seconds = 0;
  double known_library_kernel_seconds = 0;
  /// Calls that search for an algorithm (search_calls()), and their kernels' time. They have one
  /// row in library_calls, and none in library_call_times.
  std::int64_t searching_calls = 0;
  double searching_seconds = 0;
  std::vector<ThroughputStep> throughput{};
  /// The part of kernel_seconds in kernels whose arithmetic is known.
  double known_arithmetic_seconds = 0;
  std::int64_t lost_events = 0;
};

/// `calls` are the library calls and may be empty. Ranges that the program did not end are left
/// out.
DeviceProfile device_profile(const DeviceRecording& recording, const std::vector<GpuCall>& calls);

/// Returns "cudnnConvolutionForward conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1 fp16 nhwc".
std::string call_name(const CallText& text);

}  // namespace benanza
