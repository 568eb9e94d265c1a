#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file_descriptor.h"
#include "record/store/recording.h"

namespace benanza::record {

/// A hardware or software counter (perf_event_open).
struct CounterKind {
  std::string_view name;
  std::string_view description;
  std::uint32_t type;
  std::uint64_t config;
};
const std::vector<CounterKind>& counter_kinds();

/// Why a counter is unavailable here, in a few words; empty if it is available.
std::string why_not(const CounterKind& kind);

/// Counts, in user mode, events of a program started during this object's lifetime, its threads and
/// children included, from its exec on (perf_event_open). This program itself is not counted.
class CpuCounters {
 public:
  /// Throws Error if a name is unknown or its counter is unavailable.
  explicit CpuCounters(const std::vector<std::string>& names);

  /// Returns the current counts. If the processor has fewer counters than requested, each is active
  /// only part of the time (multiplexed), and its value is scaled to the whole time.
  std::vector<CountedValue> read() const;

 private:
  struct Counter {
    std::string name;
    FileDescriptor file;
  };
  std::vector<Counter> counters_;
};

}  // namespace benanza::record
