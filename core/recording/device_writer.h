#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/sqlite.h"
#include "core/recording/device_events.h"

namespace benanza {

/// SQL that makes the tables of what GPUs did.
extern const char* const device_tables;

/// Writes the events of processes into a recording. Every member throws Error. Times become
/// nanoseconds from the run's start.
class DeviceWriter {
 public:
  /// The tables are there.
  explicit DeviceWriter(const sqlite::Connection& connection);

  /// `run_start`: seconds since 1970. The first event of a process is its clock; those before it
  /// have no time and are left out.
  void add(std::int64_t process, double run_start, const Event& event);

 private:
  struct Process {
    /// Added to its times.
    std::optional<std::int64_t> offset{};
    /// Rows of the ranges that are open.
    std::unordered_map<std::uint32_t, std::int64_t> open{};
  };
  class Row;
  void write(std::int64_t id, double run_start, const Event& event);
  /// Of the name as people write it.
  std::int64_t id_of(std::string_view told);

  const sqlite::Connection& connection_;
  std::map<std::string, sqlite::Statement, std::less<>> statements_;
  std::map<std::int64_t, Process> processes_;
  /// By what was told.
  std::unordered_map<std::string, std::int64_t> names_;
};

}  // namespace benanza
