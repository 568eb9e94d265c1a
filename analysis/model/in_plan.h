#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "analysis/input/measurement.h"
#include "analysis/input/plan_run.h"
#include "analysis/model/formats.h"
#include "core/plan_file/plan.h"

namespace benanza::analysis {

/// What calls and conversions took in runs of plans, where data and weights are as cold as the
/// calls before leave them.
struct InPlanTimes {
  /// By the call's name: how many times as long it takes as when it is repeated, at least 1. The
  /// mean of its steps, of the last run that has it. A quotient, because the speed of a machine
  /// with neighbours changes between a suite and a plan, but hardly within a millisecond.
  std::map<std::string, double> factors{};
  MeasuredConversions conversions{};
  /// Bytes read and written per second; empty if there was no conversion.
  std::optional<double> conversion_bytes_per_second{};
};
InPlanTimes in_plan_times(std::span<const PlanRun> runs);

/// The measurements, longer by the factors that calls have in a plan; all others by their median.
MeasurementSet in_plan(const MeasurementSet& measurements, const InPlanTimes& times);

/// The steps' seconds as `measurements` has them.
void state_alone(Plan& plan, const MeasurementSet& measurements);

/// States by how much the steps take longer behind each other than by themselves: as much a step as
/// in the runs, by their median. Nothing without runs.
void state_gaps(Plan& plan, std::span<const PlanRun> runs);

}  // namespace benanza::analysis
