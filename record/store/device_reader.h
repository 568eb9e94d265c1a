#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/sqlite.h"

namespace benanza {

/// What the GPUs of a recorded run did. Times are in nanoseconds from the run's start. `name` and
/// `domain` are indices into `names`. `work`, `api` and `ranges` are sorted by start.
struct DeviceRecording {
  struct Device {
    std::int64_t process = 0;
    std::int64_t id = 0;
    std::string name{};
    std::string compute_capability{};
    std::int64_t multiprocessors = 0;
    bool operator==(const Device&) const = default;
  };
  struct Note {
    std::int64_t process = 0;
    bool is_error = false;
    std::string text{};
  };
  /// A kernel, a copy, or a graph that was timed as a whole.
  struct Work {
    enum class Kind : std::uint8_t { kernel, copy, graph };
    Kind kind = Kind::kernel;
    std::uint32_t name = 0;
    std::int64_t process = 0;
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::uint32_t correlation = 0;
    std::optional<std::int64_t> graph{};
    /// Node of the graph; unique in the process, ascending in the order the nodes were created.
    std::optional<std::int64_t> node{};
    /// Only for a copy.
    std::int64_t bytes = 0;
    std::int64_t nanoseconds() const { return end - start; }
  };
  struct Api {
    std::uint32_t name = 0;
    std::uint32_t correlation = 0;
    std::int64_t process = 0;
    std::int64_t thread = 0;
    std::int64_t start = 0;
    std::int64_t end = 0;
  };
  struct Range {
    std::uint32_t name = 0;
    std::uint32_t domain = 0;
    std::int64_t process = 0;
    std::int64_t thread = 0;
    std::int64_t start = 0;
    /// Empty if the program ended before the range.
    std::optional<std::int64_t> end{};
  };

  /// Memory that was allocated or freed.
  struct Memory {
    std::int64_t process = 0;
    std::int64_t time = 0;
    std::uint32_t device = 0;
    bool is_freed = false;
    std::uint32_t kind = 0;
    std::int64_t address = 0;
    std::int64_t bytes = 0;
  };
  /// A counter's value in one launch of a kernel.
  struct KernelCounter {
    std::int64_t process = 0;
    std::int64_t launch = 0;
    std::uint32_t kernel = 0;
    std::uint32_t counter = 0;
    double value = 0;
  };
  /// Arithmetic over the counters of a kernel.
  struct KernelMetric {
    std::string name{};
    std::string expression{};
  };

  std::vector<std::int64_t> processes{};
  std::int64_t lost_events = 0;
  std::vector<Note> notes{};
  std::vector<Device> devices{};
  std::vector<std::string> names{};
  std::vector<Work> work{};
  std::vector<Api> api{};
  std::vector<Range> ranges{};
  /// Sorted by time.
  std::vector<Memory> memory{};
  /// In the order of the launches of each process.
  std::vector<KernelCounter> kernel_counters{};
  std::vector<KernelMetric> kernel_metrics{};
  /// True if no GPU activity was recorded.
  bool is_empty() const { return work.empty() && api.empty() && kernel_counters.empty(); }
};

/// Reads the device tables of a recording; empty if it has none. Throws Error.
DeviceRecording read_device_recording(const sqlite::Connection& connection);

}  // namespace benanza
