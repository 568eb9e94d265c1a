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
  /// Seconds of each measurement.
  std::string budget = "0.02";
  bool cold = false;
};

/// The command line of one round, without program and output file.
std::vector<std::string> arguments_of(const Measured& measured, const Round& round);
/// One line that measures `variant` on one side again, for a shell.
std::string reproducer(const SideOfGate& side, const Measured& measured,
                       const VariantName& variant);

/// Runs both sides' suites in processes of their own, their results in `folder`, and reads them:
/// one after the other or, with `turns`, at the same time, measurement by measurement. On
/// processors that other work shares, a measurement's neighbour in time has met the same
/// neighbours. Throws Error, one line, where a suite does not end with results.
RowsOfRound run_suites(const SideOfGate& before, const SideOfGate& after, const Measured& measured,
                       const Round& round, bool turns, const std::filesystem::path& folder);
/// Does the suite find a device?
bool has_device(const SideOfGate& side);

}  // namespace benanza::regress
