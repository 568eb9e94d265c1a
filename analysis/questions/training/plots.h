#pragma once

#include <string>
#include <vector>

#include "analysis/questions/training/strategies.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// The fastest strategy for each number of GPUs; numbers without a known one are left out.
std::vector<const Scaling*> fastest(const std::vector<Scaling>& all);

/// The parts of each iteration, which add up to it.
Bars breakdown(const std::string& heading, const WorkerStep& step,
               const std::vector<const Scaling*>& each);

/// Speed-up by number of GPUs for every strategy, and the ideal one.
Curves speed_ups(const std::string& heading, const std::vector<Scaling>& all);

/// The iteration's timeline.
Gantt timeline(const std::string& heading, const Scaling& one);

}  // namespace benanza::analysis
