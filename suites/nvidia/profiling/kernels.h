#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/nvidia/cupti.h"
#include "suites/harness/primitive.h"

namespace benanza::nvidia {

/// One activity on the device, with timestamps of the device's clock.
struct Activity {
  std::uint64_t start_nanoseconds = 0;
  std::uint64_t end_nanoseconds = 0;
  /// The kernel's mangled name; empty for a graph.
  std::string name;
};

/// The kinds of activity that CUPTI can time. Only one at a time: while graphs are recorded, CUPTI
/// does not report kernels.
enum class ActivityKind {
  /// Each kernel. CUPTI adds a pause between the kernels of a graph, and a single kernel may take
  /// longer than without CUPTI.
  kernel,
  /// Each graph launch as a whole, without affecting its kernels. `work` must create the graphs it
  /// launches: CUPTI 13.0 crashes (segmentation fault) on graphs created before the recording.
  graph,
};

/// Runs `work`, synchronises the device, and returns the activities in order of start. Throws
/// ProfilerUnavailable, or what `work` throws.
std::vector<Activity> record_activities(const Cupti& cupti, ActivityKind kind,
                                        const std::function<void()>& work);

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

/// The contents of a captured graph.
struct GraphKernels {
  std::int64_t kernels = 0;
  /// Memory copies and memory sets.
  std::int64_t memory_operations = 0;
  /// Mangled names of the kernels, without duplicates, in order of first appearance. Empty unless
  /// the driver returns all of them.
  std::vector<std::string> names;
};

/// Throws on CUDA errors.
GraphKernels graph_kernels(cudaGraph_t graph);

}  // namespace benanza::nvidia
