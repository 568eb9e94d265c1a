#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/plan_file/plan.h"
#include "suites/harness/backend.h"
#include "suites/harness/primitive.h"
#include "suites/plan/planned_model.h"

namespace benanza::plan {

/// In order. `tasks` are in topological order.
std::vector<Region> parallel_regions(const std::vector<harness::Task>& tasks);

/// Those of `regions`, which are some of parallel_regions() in order, as they are; all others one
/// after the other, those between two regions as one task.
std::vector<harness::Task> tasks_with(const std::vector<harness::Task>& tasks,
                                      const std::vector<Region>& regions);

/// A plan with steps at the same time where that is faster.
struct Branches {
  /// Null if all steps wait for each other.
  std::unique_ptr<harness::Primitive> plan{};
  /// Groups of steps of which some need not wait for each other, and those that gain.
  std::size_t regions = 0;
  std::size_t faster_regions = 0;
  /// Of the plan in order; and the sum of what the groups gain, one at a time: what they should
  /// gain together.
  double in_order_seconds = 0;
  double gained_seconds = 0;
  /// A line.
  std::string text() const;
};

/// Times the plan in order, and with the steps of one group at the same time, for each. `model`
/// needs Scratch::own and must outlive the result; `stopwatch` is that of its backends. Throws
/// Unsupported if the libraries' calls cannot run at the same time.
Branches branches_of(const PlannedModel& model, harness::Stopwatch& stopwatch);

}  // namespace benanza::plan
