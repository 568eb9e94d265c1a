#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/input/plan_run.h"
#include "analysis/profile_match/comparison.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

/// The smallest sets of layers that steps of a plan do, and no others, and that operators of a
/// framework do, and no others. In seconds of a run.
struct ComparedPart {
  /// Ascending.
  std::vector<std::size_t> layers{};
  /// Of the plan's steps, with the conversions before them.
  double plan_seconds = 0;
  double framework_seconds = 0;
  std::vector<std::string> calls{};

  double lost_seconds() const { return plan_seconds - framework_seconds; }
};

/// Those that both do, first those in which the plan loses most. Empty if the run has no times of
/// its steps.
std::vector<ComparedPart> compared_parts(const Graph& graph, const PlanRun& run,
                                         const Comparison& comparison);

}  // namespace benanza::analysis
