#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "suites/nvidia/profiling/cupti.h"

namespace benanza::nvidia {

/// One thing that ran on the device, timed by the device's clock.
struct Activity {
  std::uint64_t start_nanoseconds = 0;
  std::uint64_t end_nanoseconds = 0;
  /// The kernel's, as the compiler wrote it; empty for a graph.
  std::string name;
};

/// The kinds of activity that CUPTI can time. One at a time: while graphs are recorded, CUPTI says
/// nothing of kernels.
enum class ActivityKind {
  /// Each kernel. Graphs run kernel by kernel with a pause between them that CUPTI makes; a kernel
  /// alone may take longer than it does without CUPTI.
  kernel,
  /// Each launch of a graph as one, its kernels left alone. `work` must make the graphs it
  /// launches: CUPTI 13.0 ends in a segmentation fault at a graph that is older than the recording.
  graph,
};

/// Runs `work`, waits for the device, and returns what ran, in order of begin. Throws
/// ProfilerUnavailable, or what `work` throws.
std::vector<Activity> record_activities(const Cupti& cupti, ActivityKind kind,
                                        const std::function<void()>& work);

}  // namespace benanza::nvidia
