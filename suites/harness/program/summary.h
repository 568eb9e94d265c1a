#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "suites/harness/choose/run_place.h"
#include "suites/harness/run/ledger.h"

namespace benanza::harness {

/// Prints on standard error what this process has done.
void print_summary(const Tally& tally, const RunPlace& place, double wall_seconds,
                   double asking_seconds);

/// CTest extracts these lines from a test's output for its report.
void print_ctest_measurements(const Tally& tally, double wall_seconds);

/// The exit status of a run, which a line on standard error explains if it is not 0.
int exit_status(const Tally& tally, int signal_number, const std::string& program);

/// The exit status of a run of so many cases: 0 if all are as expected. Prints those that are not.
int exit_status(std::size_t cases, const std::vector<std::string>& unexpected,
                const std::string& program);

}  // namespace benanza::harness
