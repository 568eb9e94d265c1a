#pragma once

#include <filesystem>
#include <functional>

#include "analysis/regress/side.h"

namespace benanza::regress {

/// Called before each unit of a round.
using Progress = std::function<void(std::size_t done, std::size_t units)>;

/// Runs a process of each side at the same time. They alternate every few milliseconds: both set a
/// unit up, then A is visited, B, B, A, A, ..., so that changes of the machine affect both. Writes
/// their results to `folder` and returns them. Throws Error, one line, if a suite does not end with
/// results.
RowsOfRound run_round(const SideOfGate& before, const SideOfGate& after, const Measured& measured,
                      const Round& round, const std::filesystem::path& folder,
                      const Progress& progress);

}  // namespace benanza::regress
