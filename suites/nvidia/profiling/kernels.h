#pragma once

#include <string>
#include <vector>

#include "suites/harness/primitive.h"
#include "suites/nvidia/profiling/activity.h"

namespace benanza::nvidia {

/// One run of a kernel.
struct KernelTime {
  std::string name;
  double seconds = 0;
  bool operator==(const KernelTime&) const = default;
};

/// A time span of a kernel, in seconds of the device's clock.
struct Span {
  double begin = 0;
  double end = 0;
};

/// Kernels in order of start.
struct KernelRecords {
  std::vector<KernelTime> kernels;
  /// Seconds during which at least one of them ran.
  double busy_seconds = 0;
  /// Seconds from the first kernel's start to the last one's end, including the gaps between
  /// dependent kernels, which are GPU time as well.
  double span_seconds = 0;
};

/// Converts activities, which must be kernels in order of start.
KernelRecords kernel_records(const std::vector<Activity>& activities);

/// Seconds covered by `spans`, which may overlap and be in any order.
double covered_seconds(std::vector<Span> spans);

/// Returns the kernels of one call, each with its median time, from the records of `calls` equal
/// calls. Concurrent kernels may start in a different order in each call: the times are then
/// medians over all kernels of the same name. Empty if the calls were not equal.
std::vector<KernelTime> kernels_of_a_call(const std::vector<KernelTime>& records,
                                          std::size_t calls);

/// "kernel_names": comma-joined, in order; "kernel_seconds" and "kernel_span_seconds": busy_seconds
/// and span_seconds, each per call. Empty if the `calls` calls were not equal.
Facts kernel_facts(const KernelRecords& records, std::size_t calls);

/// "graph_seconds": the median duration of `graphs`, divided by `calls`, the number of calls in
/// each. Empty if CUPTI timed none.
Facts graph_facts(const std::vector<Activity>& graphs, std::size_t calls);

}  // namespace benanza::nvidia
