#include "suites/plan/step_times.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <numeric>

#include "core/statistics/summary.h"

namespace benanza::plan {
namespace {

template <class Run>
double seconds_of(const Run& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// As often as a clock needs, but not for long.
double repeated_seconds(PlannedModel& model, std::size_t step) {
  constexpr double enough_seconds = 1e-3;
  constexpr double most_calls = 100;
  const auto call = [&] { model.run_call(step); };
  const double once = std::max(seconds_of(call), 1e-9);
  const int calls = 1 + static_cast<int>(std::min(most_calls, enough_seconds / once));
  std::vector<double> batches;
  for (int batch = 0; batch < 3; ++batch) {
    batches.push_back(seconds_of([&] {
                        for (int run = 0; run < calls; ++run) call();
                      }) /
                      calls);
  }
  return median(batches);
}

}  // namespace

std::vector<StepTime> step_times(PlannedModel& model) {
  constexpr std::size_t runs = 5;
  const std::size_t steps = model.steps();
  std::vector<std::vector<double>> conversions(steps);
  std::vector<std::vector<double>> calls(steps);
  model.run();
  for (std::size_t run = 0; run < runs; ++run) {
    for (std::size_t step = 0; step < steps; ++step) {
      conversions[step].push_back(seconds_of([&] { model.run_conversions_before(step); }));
      calls[step].push_back(seconds_of([&] { model.run_call(step); }));
    }
  }
  std::vector<StepTime> times(steps);
  for (std::size_t step = 0; step < steps; ++step) {
    model.run_conversions_before(step);
    times[step] = {.conversions = median(conversions[step]),
                   .in_plan = median(calls[step]),
                   .repeated = repeated_seconds(model, step)};
  }
  return times;
}

std::string lost_text(const Plan& plan, const std::vector<StepTime>& times) {
  constexpr std::size_t most = 5;
  constexpr double worth_seconds = 1e-6;
  const auto lost = [&](std::size_t step) {
    return times[step].conversions + times[step].in_plan - plan.steps[step].seconds;
  };
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), lost);
  std::string text;
  for (std::size_t place = 0; place < std::min(most, order.size()); ++place) {
    const std::size_t step = order[place];
    if (lost(step) < worth_seconds) break;
    char line[160];
    std::snprintf(line, sizeof(line),
                  "loses %+.1f us: %.1f in the plan, %.1f repeated, %.1f as measured, %.1f of "
                  "conversions before it: step %zu, ",
                  lost(step) * 1e6, times[step].in_plan * 1e6, times[step].repeated * 1e6,
                  plan.steps[step].seconds * 1e6, times[step].conversions * 1e6, step + 1);
    text += line + plan.steps[step].call + '\n';
  }
  return text;
}

}  // namespace benanza::plan
