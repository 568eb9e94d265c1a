#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/questions/history/chronicle.h"

namespace benanza::analysis {

/// unknown: too few calls in common. undecided: no majority to compare with.
enum class FleetVerdict { unknown, as_its_peers, slower, faster, undecided };

/// One machine among others of its kind.
struct FleetMember {
  std::size_t calls = 0;
  /// The median, over the calls, of its time over its peers'; empty if unknown.
  std::optional<double> ratio{};
  FleetVerdict verdict = FleetVerdict::unknown;

  bool is_worse() const {
    return verdict == FleetVerdict::slower || verdict == FleetVerdict::undecided;
  }
};
std::string member_text(const FleetMember& member);

struct Fleet {
  Precision precision{};
  std::vector<FleetMember> members{};
  /// Calls that all of them have a time of.
  std::size_t calls = 0;
  bool has_majority = false;

  std::size_t worse() const;
};

/// Compares each machine with the majority: the smallest group of more than half of them that lie
/// within the tolerance of each other. A machine's level is its median, over the calls, relative to
/// the median machine of each call, so one slow machine moves nobody else's. Without a majority,
/// all are compared with the fastest, and nothing tells which of them is right.
Fleet fleet_of(const std::vector<Station>& stations, const MeasurementFilter& filter,
               double tolerance);

}  // namespace benanza::analysis
