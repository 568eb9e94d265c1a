#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/nvidia/cupti.h"

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

}  // namespace benanza::nvidia
