#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/regress/gate.h"

namespace benanza::regress {

/// The program and libraries of one side.
struct SideOfGate {
  std::filesystem::path program{};
  /// Folders that come first in the program's library search path.
  std::vector<std::filesystem::path> libraries{};
};

/// Returns the side for `prefix`: a build (bin/bench_<backend>), the folder of a library's version
/// (with shared libraries in lib64, lib or itself), both, or "here": neither. The program is the
/// prefix's own if it has one, otherwise `own`. Throws Error if the prefix has neither.
SideOfGate side_of(const std::string& prefix, const std::string& backend,
                   const std::filesystem::path& own);

/// How a round measures a call on either side.
struct Pace {
  int visits = 10;
  /// The call is set up again, with its operands elsewhere in memory, so that the visits are spread
  /// over this many places.
  int places = 1;
  /// GateOptions::looks.
  std::vector<int> looks = GateOptions{}.looks;
};

/// Host: many visits, as other programs disturb some of them. GPU: visits to one process agree
/// within 0.1%, while processes differ by up to 5% in calls of 1 us and places in memory by up to
/// 2%, so that more of these are worth more.
Pace pace_of(std::string_view backend);

/// What every process measures.
struct Measured {
  std::string backend{};
  std::vector<std::string> graphs{};
  std::vector<std::string> problems{};
  std::vector<std::string> precisions{};
  std::string filter{};
  Unit unit = Unit::choice;
  /// Seconds of each visit.
  std::string budget = "0.002";
  Pace pace{};
  bool cold = false;
};

/// Returns what a round measures as flags of the suite.
std::vector<std::string> arguments_of(const Measured& measured, const Round& round);
/// Returns a shell command that measures `variant` again on this side alone.
std::string reproducer(const SideOfGate& side, const Measured& measured,
                       const VariantName& variant);

/// Returns the environment of a side's suites: this process' with the side's libraries first.
/// OpenMP threads are bound to a processor each and spin only briefly: two on one processor, or one
/// that spins during the other side's turn, would take a thousand times as long as a short call.
std::vector<std::string> environment_of(const SideOfGate& side);
/// Returns true if the suite finds a device.
bool has_device(const SideOfGate& side);

}  // namespace benanza::regress
