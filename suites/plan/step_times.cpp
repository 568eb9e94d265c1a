#include "suites/plan/step_times.h"

#include <nlohmann/json.hpp>

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

/// Until it gets no faster: large weights need a few calls to get into the caches.
double repeated_seconds(PlannedModel& model, std::size_t step) {
  constexpr double enough_seconds = 1e-3;
  constexpr double most_calls = 100;
  constexpr int most_batches = 12;
  constexpr int steady_batches = 3;
  constexpr double faster = 0.99;
  const auto call = [&] { model.run_call(step); };
  const double once = std::max(seconds_of(call), 1e-9);
  const int calls = 1 + static_cast<int>(std::min(most_calls, enough_seconds / once));
  double least = once;
  for (int batch = 0, steady = 0; batch < most_batches && steady < steady_batches; ++batch) {
    const double seconds = seconds_of([&] {
                             for (int run = 0; run < calls; ++run) call();
                           }) /
                           calls;
    steady = seconds < least * faster ? 0 : steady + 1;
    least = std::min(least, seconds);
  }
  return least;
}

/// The first calls and conversions of a plan.
class Beginning final : public harness::BareCall {
 public:
  Beginning(std::vector<harness::Primitive*> calls, harness::Stopwatch& stopwatch)
      : calls_(std::move(calls)), stopwatch_(stopwatch) {}
  ~Beginning() override { stopwatch_.forget(*this); }
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;

  void run() override {
    for (harness::Primitive* const call : calls_) call->run();
  }
  /// 0 if there are none.
  double seconds() {
    constexpr std::size_t samples = 3;
    return calls_.empty() ? 0 : median(stopwatch_.time_samples(*this, 1, samples));
  }

 private:
  std::vector<harness::Primitive*> calls_;
  harness::Stopwatch& stopwatch_;
};

/// Times a row of calls that grows by one call at a time.
class TimesInRow {
 public:
  explicit TimesInRow(harness::Stopwatch& stopwatch) : stopwatch_(stopwatch) {}

  /// What `call` takes behind those before it: the row with and without it, in turn, since a clock
  /// that the power limit has lowered would count as the call's.
  double next(harness::Primitive& call) {
    constexpr int rounds = 5;
    Beginning without(calls_, stopwatch_);
    calls_.push_back(&call);
    Beginning with(calls_, stopwatch_);
    std::vector<double> differences;
    for (int round = 0; round < rounds; ++round) {
      const double before = without.seconds();
      differences.push_back(with.seconds() - before);
    }
    return std::max(0.0, median(differences));
  }

 private:
  harness::Stopwatch& stopwatch_;
  std::vector<harness::Primitive*> calls_;
};

}  // namespace

double StepTime::conversion_seconds() const {
  return std::accumulate(conversions.begin(), conversions.end(), 0.0);
}

std::vector<StepTime> step_times(PlannedModel& model) {
  constexpr std::size_t runs = 5;
  const std::size_t steps = model.steps();
  std::vector<std::vector<std::vector<double>>> conversions(steps + 1);
  std::vector<std::vector<double>> calls(steps);
  model.run();
  for (std::size_t run = 0; run < runs; ++run) {
    for (std::size_t step = 0; step <= steps; ++step) {
      std::vector<double>& converted = conversions[step].emplace_back();
      for (const FormatConversion& one : model.conversions_before(step)) {
        converted.push_back(seconds_of([&] { one.call->run(); }));
      }
      if (step < steps) calls[step].push_back(seconds_of([&] { model.run_call(step); }));
    }
  }
  std::vector<StepTime> times(steps + 1);
  for (std::size_t step = 0; step <= steps; ++step) {
    for (std::size_t at = 0; at < model.conversions_before(step).size(); ++at) {
      std::vector<double> samples;
      for (const std::vector<double>& run : conversions[step]) samples.push_back(run[at]);
      times[step].conversions.push_back(median(samples));
      model.conversions_before(step)[at].call->run();
    }
    if (step == steps) break;
    times[step].in_plan = median(calls[step]);
    times[step].repeated = repeated_seconds(model, step);
  }
  return times;
}

std::vector<StepTime> step_times(PlannedModel& model, harness::Stopwatch& stopwatch) {
  constexpr std::int64_t repetitions = 50;
  std::vector<StepTime> times(model.steps() + 1);
  TimesInRow row(stopwatch);
  for (std::size_t step = 0; step <= model.steps(); ++step) {
    for (const FormatConversion& one : model.conversions_before(step)) {
      times[step].conversions.push_back(row.next(*one.call));
    }
    if (step == model.steps()) break;
    times[step].in_plan = row.next(model.call(step));
    harness::Primitive& call = model.call(step);
    times[step].repeated = stopwatch.time(call, repetitions) / static_cast<double>(repetitions);
    stopwatch.forget(call);
  }
  return times;
}

std::string step_times_json(const PlannedModel& model, const std::vector<StepTime>& times) {
  nlohmann::json steps = nlohmann::json::array();
  nlohmann::json conversions = nlohmann::json::array();
  for (std::size_t step = 0; step < times.size(); ++step) {
    if (step < model.steps()) {
      steps.push_back({{"call", model.plan().steps[step].call},
                       {"seconds", times[step].in_plan},
                       {"repeated_seconds", times[step].repeated},
                       {"conversion_seconds", times[step].conversion_seconds()},
                       {"setup_seconds", model.setup_seconds(step)},
                       {"layers", model.plan().steps[step].layers}});
    }
    const std::vector<FormatConversion>& before = model.conversions_before(step);
    for (std::size_t at = 0; at < before.size(); ++at) {
      conversions.push_back({{"from", before[at].from},
                             {"to", before[at].to},
                             {"bytes", before[at].bytes},
                             {"seconds", times[step].conversions[at]}});
    }
  }
  return "\"steps\": " + steps.dump() + ",\n\"conversions\": " + conversions.dump();
}

double setup_seconds(const PlannedModel& model) {
  double seconds = 0;
  for (std::size_t step = 0; step < model.steps(); ++step) seconds += model.setup_seconds(step);
  return seconds;
}

std::string start_text(const PlannedModel& model, double first_run_seconds) {
  std::size_t longest = 0;
  for (std::size_t step = 0; step < model.steps(); ++step) {
    if (model.setup_seconds(step) > model.setup_seconds(longest)) longest = step;
  }
  char line[160];
  std::snprintf(line, sizeof(line),
                "first inference after %.3f s: %.3f to set up the calls, %.3f for a first run; the "
                "longest to set up: %.3f s, step %zu, ",
                setup_seconds(model) + first_run_seconds, setup_seconds(model), first_run_seconds,
                model.setup_seconds(longest), longest + 1);
  return line + model.plan().steps[longest].call + '\n';
}

std::string lost_text(const Plan& plan, const std::vector<StepTime>& times) {
  constexpr std::size_t most = 5;
  constexpr double worth_seconds = 1e-6;
  const auto lost = [&](std::size_t step) {
    return times[step].conversion_seconds() + times[step].in_plan - plan.steps[step].seconds;
  };
  std::vector<std::size_t> order(std::min(times.size(), plan.steps.size()));
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
                  plan.steps[step].seconds * 1e6, times[step].conversion_seconds() * 1e6, step + 1);
    text += line + plan.steps[step].call + '\n';
  }
  return text;
}

}  // namespace benanza::plan
