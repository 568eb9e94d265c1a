#include "analysis/model/in_plan.h"

#include <algorithm>
#include <vector>

#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

/// How many times as long it takes with weights from memory; empty if unknown.
std::optional<double> memory_factor(const std::string& call, const MeasurementSet& measurements) {
  const Measurement* const found = measurements.call(call);
  if (found == nullptr || !found->rotating_seconds) return std::nullopt;
  return std::max(*found->rotating_seconds / found->seconds(), 1.0);
}

/// What one run says of each call: the mean of its steps.
std::map<std::string, double> factors_of(const PlanRun& run) {
  std::map<std::string, std::vector<double>> all;
  for (const PlanRun::Call& one : run.calls) {
    all[one.call].push_back(std::max(one.seconds / one.repeated_seconds, 1.0));
  }
  std::map<std::string, double> found;
  for (const auto& [call, factors] : all) found[call] = mean(factors);
  return found;
}

/// By which the times of single conversions are too long: on a GPU, times between two steps are
/// noisy, and never below zero. All of them together were timed, too.
double conversion_share(const PlanRun& run) {
  double sum = 0;
  for (const PlanRun::Conversion& one : run.conversion_times) sum += one.seconds;
  return run.conversion_seconds > 0 && sum > run.conversion_seconds ? run.conversion_seconds / sum
                                                                    : 1;
}

/// Of all calls and conversions of a run, by themselves.
double alone_seconds(const PlanRun& run, const MeasurementSet& measurements) {
  double seconds = run.conversion_seconds;
  for (const PlanRun::Call& one : run.calls) {
    const Measurement* const found = measurements.call(one.call);
    if (found == nullptr) return run.predicted_seconds - run.predicted_gap_seconds;
    seconds += found->seconds();
  }
  return run.calls.empty() ? run.predicted_seconds - run.predicted_gap_seconds : seconds;
}

}  // namespace

std::optional<PlanConditions> plan_conditions(std::span<const PlanRun> runs,
                                              const MeasurementSet& measurements) {
  PlanConditions all;
  for (const PlanRun& run : runs) {
    for (const PlanRun::Call& one : run.calls) {
      const auto factor = memory_factor(one.call, measurements);
      if (!factor) continue;
      all.in_plan_seconds += one.seconds;
      all.from_cache_seconds += one.repeated_seconds;
      all.from_memory_seconds += one.repeated_seconds * *factor;
    }
  }
  return all.in_plan_seconds > 0 ? std::optional(all) : std::nullopt;
}

std::vector<PlanRun> repeated_from_memory(std::vector<PlanRun> runs,
                                          const MeasurementSet& measurements) {
  for (PlanRun& run : runs) {
    for (PlanRun::Call& one : run.calls) {
      one.repeated_seconds *= memory_factor(one.call, measurements).value_or(1);
    }
  }
  return runs;
}

InPlanTimes in_plan_times(std::span<const PlanRun> runs) {
  InPlanTimes times;
  std::vector<double> rates;
  for (const PlanRun& run : runs) {
    for (const auto& [call, factor] : factors_of(run)) times.factors[call] = factor;
    const double share = conversion_share(run);
    for (const PlanRun::Conversion& one : run.conversion_times) {
      const double seconds = one.seconds * share;
      times.conversions[{one.from, one.to}] = seconds;
      // On a GPU, short ones may be lost in noise.
      if (seconds > 0) rates.push_back(2 * one.bytes / seconds);
    }
  }
  if (!rates.empty()) times.conversion_bytes_per_second = median(rates);
  return times;
}

MeasurementSet in_plan(const MeasurementSet& measurements, const InPlanTimes& times) {
  std::vector<double> factors;
  for (const auto& [call, factor] : times.factors) factors.push_back(factor);
  const double usual = factors.empty() ? 1 : median(factors);
  MeasurementSet changed;
  for (const std::string_view key : measurements.keys()) {
    for (Measurement one : measurements.find(key)) {
      if (one.status == Status::ok) {
        const auto known = times.factors.find(to_string(one.variant));
        const double factor = known == times.factors.end() ? usual : known->second;
        for (double& seconds : one.repetition_seconds) seconds *= factor;
      }
      changed.add(std::move(one));
    }
  }
  return changed;
}

void state_alone(Plan& plan, const MeasurementSet& measurements) {
  plan.seconds = conversion_seconds(plan);
  for (PlanStep& step : plan.steps) {
    const Measurement* const alone = measurements.call(step.call);
    if (alone != nullptr) step.seconds = alone->seconds();
    plan.seconds += step.seconds;
  }
}

void state_gaps(Plan& plan, std::span<const PlanRun> runs, const MeasurementSet& measurements) {
  std::vector<double> shares;
  for (const PlanRun& run : runs) {
    const double alone = alone_seconds(run, measurements);
    if (alone > 0) shares.push_back(typical(run.seconds) / alone - 1);
  }
  if (shares.empty()) return;
  plan.gap_seconds = std::max(0.0, median(shares)) * plan.seconds;
  plan.seconds += plan.gap_seconds;
}

}  // namespace benanza::analysis
