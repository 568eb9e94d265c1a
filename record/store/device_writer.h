#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/sqlite.h"
#include "record/store/device_events.h"

namespace benanza {

/// SQL that creates the device tables.
extern const char* const device_tables;

/// Writes device events of processes into a recording. Every member throws Error. Times are
/// converted to nanoseconds from the run's start.
class DeviceWriter {
 public:
  /// The tables must exist.
  explicit DeviceWriter(const sqlite::Connection& connection);

  /// `run_start`: seconds since 1970. Timed events of a process before its first ClockEvent are
  /// dropped.
  void add(std::int64_t process, double run_start, const Event& event);

 private:
  struct Process {
    /// Added to the process's times.
    std::optional<std::int64_t> offset{};
    /// Rows of the open ranges.
    std::unordered_map<std::uint32_t, std::int64_t> open{};
  };
  /// Writes one event of a process.
  class EventWriter;
  /// A row with these values, from left to right.
  template <class... Values>
  void insert(const char* table, const Values&... values);
  /// The id of the readable form of a name.
  std::int64_t id_of(std::string_view told);

  const sqlite::Connection& connection_;
  std::map<std::string, sqlite::Statement, std::less<>> statements_;
  std::map<std::int64_t, Process> processes_;
  /// By the name as reported.
  std::unordered_map<std::string, std::int64_t> names_;
};

}  // namespace benanza
