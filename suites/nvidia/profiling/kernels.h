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

/// When a kernel ran, in seconds of the device's clock.
struct Span {
  double begin = 0;
  double end = 0;
};

/// Kernels in the order in which they began.
struct KernelRecords {
  std::vector<KernelTime> kernels;
  /// Seconds during which at least one of them ran.
  double busy_seconds = 0;
  /// Seconds from the first one's begin to the last one's end: with what lies between dependent
  /// kernels, which is time of the GPU as well.
  double span_seconds = 0;
};

/// Of kernels in the order in which they began.
KernelRecords kernel_records(const std::vector<Activity>& activities);

/// Seconds covered by `spans`, which may overlap, in any order.
double covered_seconds(std::vector<Span> spans);

/// The kernels of one call, each with its median time, from the records of `calls` equal calls.
/// Calls whose kernels run beside each other may begin them in another order: the times of equal
/// names are then medians of them all. Empty if the calls were not equal.
std::vector<KernelTime> kernels_of_a_call(const std::vector<KernelTime>& records,
                                          std::size_t calls);

/// "kernel_names": comma-joined, in order; "kernel_seconds" and "kernel_span_seconds": busy_seconds
/// and span_seconds of one of `calls` equal calls. Empty if they were not equal.
Facts kernel_facts(const KernelRecords& records, std::size_t calls);

/// "graph_seconds": the median time of `graphs`, each of `calls` calls, from its begin to its end,
/// per call. Empty if CUPTI timed none.
Facts graph_facts(const std::vector<Activity>& graphs, std::size_t calls);

}  // namespace benanza::nvidia
