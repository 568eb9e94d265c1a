#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/regress/gate.h"

namespace benanza::regress {

/// Where one side's programs and libraries are.
struct SideOfGate {
  std::filesystem::path program{};
  /// Folders that come first where the program looks for libraries.
  std::vector<std::filesystem::path> libraries{};
};

/// `prefix`: a build (bin/bench_<backend>), the folder of a library's version (lib64, lib or itself
/// hold shared libraries), both, or "here": neither. The program is the prefix's own, or else
/// `own`. Throws Error where the prefix has neither.
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

/// What a round measures, as flags of the suite.
std::vector<std::string> arguments_of(const Measured& measured, const Round& round);
/// One line that measures `variant` on one side again, without the other, for a shell.
std::string reproducer(const SideOfGate& side, const Measured& measured,
                       const VariantName& variant);

/// The environment of a side's suites: this process's, with the side's libraries first. Threads of
/// OpenMP stay on a processor of their own and soon stop to wait busily: two on one processor, or
/// one that waits for the other side's turn, would take a thousand times as long as a short call.
std::vector<std::string> environment_of(const SideOfGate& side);
/// Does the suite find a device?
bool has_device(const SideOfGate& side);

}  // namespace benanza::regress
