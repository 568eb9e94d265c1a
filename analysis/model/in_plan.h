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
  /// Of all steps of the call together, also below 1 (by noise): for sums.
  std::map<std::string, double> mean_factors{};
  MeasuredConversions conversions{};
  /// Bytes read and written per second; empty if there was no conversion.
  std::optional<double> conversion_bytes_per_second{};
};
InPlanTimes in_plan_times(std::span<const PlanRun> runs);

/// The measurements, longer by the factors that calls have in a plan; all others by their median.
MeasurementSet in_plan(const MeasurementSet& measurements, const InPlanTimes& times);

/// The steps' seconds as `measurements` has them.
void state_alone(Plan& plan, const MeasurementSet& measurements);

/// States by how much the steps take longer than their seconds, behind each other: `cached`, whose
/// calls were repeated, times their factors; a step whose call no run has, by the mean of the
/// others. Nothing without runs.
void state_gaps(Plan& plan, const MeasurementSet& cached, const InPlanTimes& times);

}  // namespace benanza::analysis
