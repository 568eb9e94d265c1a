#pragma once

#include <string>
#include <vector>

#include "suites/plan/planned_model.h"

namespace benanza::plan {

/// What a step takes, in seconds. Of libraries whose calls return when they are done.
struct StepTime {
  /// Of the conversions before it, in a run of the plan.
  std::vector<double> conversions{};
  /// Of its call, in a run of the plan.
  double in_plan = 0;
  /// The call repeated at its place, with its data in the caches.
  double repeated = 0;

  double conversion_seconds() const;
};

/// Medians of a few runs. One more than steps: of what is converted after the last.
std::vector<StepTime> step_times(PlannedModel& model);

/// Members "steps" and "conversions" of a file of results, from which the next plan can be made: of
/// each call and conversion its seconds in the plan, and of calls also repeated. As JSON, without
/// braces.
std::string step_times_json(const PlannedModel& model, const std::vector<StepTime>& times);

/// The steps that take much more in the plan than the plan says, a line each; the worst first.
std::string lost_text(const Plan& plan, const std::vector<StepTime>& times);

}  // namespace benanza::plan
