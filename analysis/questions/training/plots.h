#pragma once

#include <string>
#include <vector>

#include "analysis/questions/training/strategies.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// The fastest strategy of each number of GPUs; those without any known one are left out.
std::vector<const Scaling*> fastest(const std::vector<Scaling>& all);

/// Parts of the iteration of each, which add up to it.
Bars breakdown(const std::string& heading, const WorkerStep& step,
               const std::vector<const Scaling*>& each);

/// Speed-up over GPUs by strategy, and the ideal one.
Curves speed_ups(const std::string& heading, const std::vector<Scaling>& all);

/// What runs when.
Gantt timeline(const std::string& heading, const Scaling& one);

}  // namespace benanza::analysis
