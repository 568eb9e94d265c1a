#pragma once

#include <filesystem>
#include <functional>

#include "analysis/regress/side.h"

namespace benanza::regress {

/// Called as units of a round are done.
using Progress = std::function<void(std::size_t done, std::size_t units)>;

/// Runs a process of each side at the same time, which take turns every few milliseconds: both set
/// a unit up, then A is visited, B, B, A, A, ... What changes on the machine meanwhile, both have
/// met. Their results go to `folder`, and come back. Throws Error, one line, where a suite does not
/// end with results.
RowsOfRound run_round(const SideOfGate& before, const SideOfGate& after, const Measured& measured,
                      const Round& round, const std::filesystem::path& folder,
                      const Progress& progress);

}  // namespace benanza::regress
