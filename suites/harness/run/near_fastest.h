#pragma once

#include <set>
#include <span>
#include <string>

#include "core/results_file/row.h"

namespace benanza::harness {

/// Names of the variants that answers rest on: for every problem and precision the fastest and
/// those that take at most 5% longer (`as_fast`), by the trimmed mean of their ok rows. Rows with
/// company count only where a variant has no others, as in the analysis.
std::set<std::string> fastest_variants(std::span<const Row> rows, double as_fast = 1.05);

}  // namespace benanza::harness
