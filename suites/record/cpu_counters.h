#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file_descriptor.h"
#include "core/recording/recording.h"

namespace benanza::record {

/// A counter of the processor or the kernel.
struct CounterKind {
  std::string_view name;
  std::string_view description;
  std::uint32_t type;
  std::uint64_t config;
};
const std::vector<CounterKind>& counter_kinds();

/// Why a counter cannot be had here, in a few words; empty where it can.
std::string why_not(const CounterKind& kind);

/// Counts in user mode what a program that is started while this lives does, its threads and
/// children included, from its exec on (perf_event_open). This program itself is not counted.
class CpuCounters {
 public:
  /// Throws Error where a name is not known, or its counter cannot be had.
  explicit CpuCounters(const std::vector<std::string>& names);

  /// What was counted until now. Where the processor has fewer counters than were asked for, each
  /// was on for a part of the time, and its value is scaled to all of it.
  std::vector<CountedValue> read() const;

 private:
  struct Counter {
    std::string name;
    FileDescriptor file;
  };
  std::vector<Counter> counters_;
};

}  // namespace benanza::record
