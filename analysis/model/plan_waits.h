#pragma once

#include <cstddef>
#include <vector>

#include "core/plan_file/plan.h"

namespace benanza::analysis {

/// For each step of the plan, the earlier ones that it has to wait for: those that write what it
/// reads or writes, or read what it writes.
std::vector<std::vector<std::size_t>> waits_of(const Plan& plan);

/// Places the buffers anew, so that steps which need not wait for each other do not wait for memory
/// either: one buffer takes another's place only if its steps wait for all of the other's. More
/// memory than for steps in order.
void place_for_branches(Plan& plan);

}  // namespace benanza::analysis
