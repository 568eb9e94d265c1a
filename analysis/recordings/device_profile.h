#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/recording/attribution.h"
#include "core/recording/recording.h"

namespace benanza::analysis {

/// What has one name. Times are sums, in seconds.
struct DeviceRow {
  std::string name{};
  std::int64_t calls = 0;
  /// Without what is inside of it and has a row of its own.
  double exclusive_seconds = 0;
  double inclusive_seconds = 0;
  /// Of the GPU, for what was launched inside; of ranges and threads.
  double device_seconds = 0;
  /// Of copies.
  double bytes = 0;
};

/// Of one GPU, between the begin of its first work and the end of its last: the parts add up to
/// `seconds`.
struct DeviceTime {
  std::int64_t process = 0;
  std::int64_t device = 0;
  /// Empty where it is not known.
  std::string name{};
  double seconds = 0;
  /// A kernel or a graph ran.
  double busy_seconds = 0;
  /// None ran, but a copy or a set of memory.
  double copy_seconds = 0;
  /// Nothing ran, and what ran next had been launched already.
  double gap_seconds = 0;
  /// Nothing ran, and the thread that launched what ran next was waiting for the GPU.
  double synchronization_seconds = 0;
  /// Nothing ran, and that thread did something else.
  double host_seconds = 0;
  /// Nothing ran; who launched what ran next is not known.
  double unknown_seconds = 0;
};

/// So much of the kernels' time whose arithmetic is known ran at most at so many operations a
/// second. Ascending in both.
struct ThroughputStep {
  double flops_per_second = 0;
  double part = 0;
};

struct DeviceProfile {
  /// By name; the most exclusive time first.
  std::vector<DeviceRow> kernels{};
  std::vector<DeviceRow> copies{};
  std::vector<DeviceRow> library_calls{};
  std::vector<DeviceRow> api{};
  std::vector<DeviceRow> ranges{};
  std::vector<DeviceRow> threads{};
  std::vector<DeviceTime> devices{};
  /// Sum over all kernels and graphs, beside each other or not.
  double kernel_seconds = 0;
  std::int64_t kernel_count = 0;
  /// Of that, by what their names tell.
  double tensor_core_seconds = 0;
  double plain_seconds = 0;
  double unknown_tensor_core_seconds = 0;
  /// Of kernel_seconds, that of kernels which by their names are cuDNN's, cuBLAS' or cuBLASLt's;
  /// and of those again that of kernels which belong to a call that is known.
  double library_kernel_seconds = 0;
  double known_library_kernel_seconds = 0;
  std::vector<ThroughputStep> throughput{};
  /// Of kernel_seconds, that of kernels whose arithmetic is known.
  double known_arithmetic_seconds = 0;
  std::int64_t lost_events = 0;
};

/// `calls`: those of the libraries; may be empty. Ranges that the end of the program cut are left
/// out.
DeviceProfile device_profile(const DeviceRecording& recording, const std::vector<GpuCall>& calls);

/// "cudnnConvolutionForward conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1 fp16 nhwc".
std::string call_name(const CallText& text);

}  // namespace benanza::analysis
