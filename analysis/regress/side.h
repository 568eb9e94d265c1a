#pragma once

#include <filesystem>
#include <string>
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
