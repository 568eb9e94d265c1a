#pragma once

#include <string>
#include <vector>

#include "suites/plan/planned_model.h"

namespace benanza::plan {

/// What a step takes, in seconds. Of libraries whose calls return when they are done.
struct StepTime {
  /// Of the conversions before it, in a run of the plan.
  double conversions = 0;
  /// Of its call, in a run of the plan.
  double in_plan = 0;
  /// The call repeated at its place, with its data in the caches.
  double repeated = 0;
};

/// Medians of a few runs.
std::vector<StepTime> step_times(PlannedModel& model);

/// The steps that take much more in the plan than the plan says, a line each; the worst first.
std::string lost_text(const Plan& plan, const std::vector<StepTime>& times);

}  // namespace benanza::plan
