#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/input/measurement.h"
#include "analysis/input/run_files.h"
#include "analysis/model/formats.h"
#include "core/plan_file/plan.h"

namespace benanza::analysis {

/// What those calls of plans took that were also timed with weights from memory: in the plans, and
/// as they would by both of their own times.
struct PlanConditions {
  double in_plan_seconds = 0;
  double from_cache_seconds = 0;
  double from_memory_seconds = 0;

  /// Their weights are read from memory rather than found in a cache.
  bool are_from_memory() const {
    return 2 * in_plan_seconds > from_cache_seconds + from_memory_seconds;
  }
};
/// `measurements`: as read, with both times. Empty if no call of the runs was timed both ways.
std::optional<PlanConditions> plan_conditions(std::span<const PlanRun> runs,
                                              const MeasurementSet& measurements);

/// The runs with the times of repeated calls as if their weights came from memory.
std::vector<PlanRun> repeated_from_memory(std::vector<PlanRun> runs,
                                          const MeasurementSet& measurements);

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

/// States by how much the plan takes longer than its steps by themselves: by the share of their
/// time that the runs lost, in the median. (A share foretells other models better than a time per
/// step: docs/results/2xH200-2026-11-30.) Nothing without runs. `measurements`: the calls alone; a
/// run with others, of another model, says itself what was expected.
void state_gaps(Plan& plan, std::span<const PlanRun> runs, const MeasurementSet& measurements);

}  // namespace benanza::analysis
