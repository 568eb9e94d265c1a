#pragma once

#include <string>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/plan/planned_model.h"

namespace benanza::plan {

/// What a step takes, in seconds.
struct StepTime {
  /// Of the conversions before it, in a run of the plan.
  std::vector<double> conversions{};
  /// Of its call, in a run of the plan.
  double in_plan = 0;
  /// The call repeated at its place, with its data in the caches.
  double repeated = 0;

  double conversion_seconds() const;
};

/// Medians of a few runs, of libraries whose calls return when they are done. One more than steps:
/// of what is converted after the last.
std::vector<StepTime> step_times(PlannedModel& model);

/// The same of libraries that work while the host waits: each call and conversion takes as much as
/// the plan up to it takes more than the plan up to the one before, so that the times add up to the
/// plan's. `stopwatch` is that of the plan's backends.
std::vector<StepTime> step_times(PlannedModel& model, harness::Stopwatch& stopwatch);

/// To set up all calls.
double setup_seconds(const PlannedModel& model);
/// The time to the first inference: the calls are set up, then run once. A line.
std::string start_text(const PlannedModel& model, double first_run_seconds);

/// Members "steps" and "conversions" of a file of results, from which the next plan can be made: of
/// each call and conversion its seconds in the plan, and of calls also repeated and set up. As
/// JSON, without braces.
std::string step_times_json(const PlannedModel& model, const std::vector<StepTime>& times);

/// The steps that take much more in the plan than the plan says, a line each; the worst first.
std::string lost_text(const Plan& plan, const std::vector<StepTime>& times);

}  // namespace benanza::plan
