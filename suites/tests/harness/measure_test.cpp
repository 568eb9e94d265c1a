#include "suites/harness/measure/measure.h"

#include <gmock/gmock.h>

#include <chrono>
#include <functional>
#include <vector>

#include "suites/tests/harness/fake/fake_backend.h"

namespace benanza::harness {
namespace {

using ::testing::Each;

/// Computes the seconds per call from the number of the call; `log` holds the calls of each
/// request.
class ScriptedStopwatch : public Stopwatch {
 public:
  explicit ScriptedStopwatch(std::function<double(std::size_t)> seconds_per_call)
      : seconds_per_call_(std::move(seconds_per_call)) {}

  double time(Primitive&, std::int64_t calls) override {
    log.push_back(calls);
    return seconds_per_call_(log.size() - 1) * static_cast<double>(calls);
  }
  double time_cold(Primitive&) override {
    ++cold_calls;
    return seconds_per_call_(log.size() + cold_calls - 1);
  }

  std::vector<std::int64_t> log;
  std::size_t cold_calls = 0;

 private:
  std::function<double(std::size_t)> seconds_per_call_;
};

ScriptedStopwatch steady(double seconds) {
  return ScriptedStopwatch([seconds](std::size_t) { return seconds; });
}

struct Measure : ::testing::Test {
  FakePrimitive primitive{1};
};

TEST_F(Measure, StopsAtSevenSamplesWhereTheyAgree) {
  ScriptedStopwatch stopwatch = steady(100e-6);
  const Outcome outcome = measure(primitive, stopwatch, {.payback = 0});
  EXPECT_EQ(outcome.status, Status::ok);
  EXPECT_EQ(outcome.stopped_by, "converged");
  EXPECT_EQ(outcome.samples.size(), 7U);
  EXPECT_THAT(outcome.samples, Each(::testing::DoubleEq(100e-6)));
  EXPECT_EQ(outcome.workspace_bytes, 64);
  EXPECT_TRUE(std::get<bool>(outcome.facts.at("heuristic")));
}

/// Another program takes 4 ms out of the calls for which `interrupts(number)` holds.
class SharedStopwatch : public ScriptedStopwatch {
 public:
  SharedStopwatch(double seconds, std::function<bool(std::size_t)> interrupts)
      : ScriptedStopwatch(
            [=](std::size_t call) { return seconds + (interrupts(call) ? 4e-3 : 0); }),
        interrupts_(std::move(interrupts)) {}
  bool was_interrupted() const override { return interrupts_(log.size() - 1); }

 private:
  std::function<bool(std::size_t)> interrupts_;
};

TEST_F(Measure, InterruptedSamplesDoNotCount) {
  SharedStopwatch stopwatch(2e-3, [](std::size_t call) { return call % 3 != 0; });
  const Outcome outcome = measure(primitive, stopwatch, {.budget_seconds = 0.1, .payback = 0});
  EXPECT_EQ(outcome.stopped_by, "converged");
  EXPECT_THAT(outcome.samples, Each(::testing::DoubleEq(2e-3)));
  EXPECT_EQ(outcome.samples.size(), 7U);
  EXPECT_TRUE(outcome.disturbances.empty());
  // Seven alone, and the 14 or so between them.
  EXPECT_NEAR(outcome.timed_seconds, 7 * 2e-3 + 14 * 6e-3, 7e-3);
}

// 20 ms are three budgets: of 6 ms each, the fourth sample ends it.
TEST_F(Measure, WhereAllAreInterruptedTheyCountAndTheRowSaysSo) {
  SharedStopwatch stopwatch(2e-3, [](std::size_t) { return true; });
  const Outcome outcome =
      measure(primitive, stopwatch, {.budget_seconds = 20e-3 / 3, .payback = 0});
  EXPECT_EQ(outcome.stopped_by, "budget");
  EXPECT_THAT(outcome.samples, Each(::testing::DoubleEq(6e-3)));
  EXPECT_THAT(outcome.samples, ::testing::SizeIs(4));
  EXPECT_THAT(outcome.disturbances,
              ::testing::ElementsAre("other processes interrupted 4 of 4 samples"));
}

TEST_F(Measure, BatchesCallsUntilASampleLastsAMillisecond) {
  ScriptedStopwatch stopwatch = steady(3e-6);
  const Outcome outcome = measure(primitive, stopwatch, {.payback = 0});
  EXPECT_EQ(outcome.calls_per_sample, 334);  // ceil(1 ms / 3 us)
  EXPECT_NEAR(outcome.timed_seconds, 7 * 334 * 3e-6, 1e-12);
}

/// With a clock that can tell 0.25 ms.
class FineStopwatch : public ScriptedStopwatch {
 public:
  using ScriptedStopwatch::ScriptedStopwatch;
  double short_sample_seconds() const override { return 0.25e-3; }
};

TEST_F(Measure, ASmallBudgetHasShortSamples) {
  const auto calls = [&](double budget) {
    FineStopwatch stopwatch([](std::size_t) { return 10e-6; });
    const Outcome outcome = measure(primitive, stopwatch, {.budget_seconds = budget, .payback = 0});
    EXPECT_EQ(outcome.samples.size(), 7U) << budget;
    return outcome.calls_per_sample;
  };
  EXPECT_EQ(calls(0.3), 100);
  EXPECT_EQ(calls(0.01), 50);   // A twentieth of 10 ms.
  EXPECT_EQ(calls(0.003), 25);  // What the clock can tell.
  ScriptedStopwatch coarse = steady(10e-6);
  EXPECT_EQ(measure(primitive, coarse, {.budget_seconds = 0.01, .payback = 0}).calls_per_sample,
            100);
}

/// A sample costs 0.1 ms beyond what it measures, and half a millisecond warms everything up.
class CostlyStopwatch : public FineStopwatch {
 public:
  using FineStopwatch::FineStopwatch;
  double overhead_seconds() const override { return 0.1e-3; }
  double longest_warm_up_seconds() const override { return 0.5e-3; }
};

TEST_F(Measure, SamplesAreLongComparedWithWhatTheyCost) {
  const auto stopwatch_of = [](double seconds) {
    return CostlyStopwatch([seconds](std::size_t) { return seconds; });
  };
  CostlyStopwatch stopwatch = stopwatch_of(10e-6);
  EXPECT_EQ(measure(primitive, stopwatch, {.payback = 0}).calls_per_sample, 160);  // 16 x 0.1 ms
  EXPECT_EQ(stopwatch.log[1], 1);
  // 1.6 ms are one batch of warm-up.
  EXPECT_EQ(stopwatch.log.size(), 3U + 7U);
  // A twentieth of 10 ms.
  CostlyStopwatch small = stopwatch_of(10e-6);
  EXPECT_EQ(measure(primitive, small, {.budget_seconds = 0.01, .payback = 0}).calls_per_sample, 50);
}

/// Runs calls by forties.
class CoarseStopwatch : public ScriptedStopwatch {
 public:
  using ScriptedStopwatch::ScriptedStopwatch;
  std::int64_t whole_calls(const Primitive&, std::int64_t calls) const override {
    return (calls + 20) / 40 * 40;
  }
};

TEST_F(Measure, SamplesHaveAsManyCallsAsTheStopwatchRuns) {
  CoarseStopwatch stopwatch([](std::size_t) { return 7e-6; });
  const Outcome outcome = measure(primitive, stopwatch, {.payback = 0});
  EXPECT_EQ(outcome.calls_per_sample, 160);  // 1 ms is 143 calls.
  EXPECT_NEAR(outcome.timed_seconds, 7 * 160 * 7e-6, 1e-12);
  EXPECT_EQ(measure(primitive, stopwatch, {.payback = 0, .cold = true}).calls_per_sample, 1);
}

TEST_F(Measure, AQuarterOfASamplePredictsTheCalls) {
  // The first calls seem to take 1.2 us, later ones take 1 us: 1,600 are a sample, 534 a third of
  // one (and 0.4 of one if a call took 1.2 us).
  CostlyStopwatch stopwatch([](std::size_t i) { return i < 2 ? 1.2e-6 : 1e-6; });
  EXPECT_EQ(measure(primitive, stopwatch, {.payback = 0}).calls_per_sample, 1600);
  EXPECT_EQ(stopwatch.log[2], 534);
  EXPECT_EQ(stopwatch.log[3], 1600);
  EXPECT_EQ(stopwatch.log.size(), 3U + 7U);
  // With a rival that is three times as fast, a third of a sample is enough to give it up.
  CostlyStopwatch hopeless([](std::size_t i) { return i < 2 ? 1.2e-6 : 1e-6; });
  const Outcome outcome = measure(primitive, hopeless, {.payback = 0, .rival_seconds = 0.33e-6});
  EXPECT_EQ(outcome.calls_per_sample, 534);
  EXPECT_EQ(hopeless.log.size(), 3U + 3U);
}

/// Takes up to eight samples at once.
class PipelinedStopwatch : public ScriptedStopwatch {
 public:
  using ScriptedStopwatch::ScriptedStopwatch;
  std::vector<double> time_samples(Primitive& primitive, std::int64_t calls,
                                   std::size_t samples) override {
    batches.push_back(samples);
    return ScriptedStopwatch::time_samples(primitive, calls, samples);
  }
  std::size_t samples_at_once() const override { return 8; }

  std::vector<std::size_t> batches;
};

TEST_F(Measure, TakesSeveralSamplesBetweenDecisions) {
  using ::testing::ElementsAre;
  const auto batches_of = [&](double seconds, const MeasureOptions& options) {
    PipelinedStopwatch stopwatch([seconds](std::size_t) { return seconds; });
    const Outcome outcome = measure(primitive, stopwatch, options);
    std::size_t samples = 0;
    for (const std::size_t batch : stopwatch.batches) samples += batch;
    EXPECT_EQ(outcome.samples.size(), samples);
    return stopwatch.batches;
  };
  EXPECT_THAT(batches_of(10e-6, {.payback = 0}), ElementsAre(7));
  EXPECT_THAT(batches_of(10e-6, {.minimum_seconds = 20e-3, .payback = 0}), ElementsAre(8, 8, 4));
  // Three are enough to give it up, and without that the other four follow.
  EXPECT_THAT(batches_of(10e-6, {.payback = 0, .rival_seconds = 1e-6}), ElementsAre(3));
  EXPECT_THAT(batches_of(10e-6, {.payback = 0, .rival_seconds = 9e-6}), ElementsAre(3, 4));
  // Of a call that is long, nothing is known before the first.
  EXPECT_THAT(batches_of(0.1, {.budget_seconds = 0.25, .payback = 0}), ElementsAre(1, 2));
}

TEST_F(Measure, TimesSlowCallsOneByOne) {
  ScriptedStopwatch stopwatch = steady(20e-3);
  const Outcome outcome = measure(primitive, stopwatch, {.payback = 0});
  EXPECT_EQ(outcome.calls_per_sample, 1);
  EXPECT_EQ(outcome.samples.size(), 7U);
}

TEST_F(Measure, WarmsUpTwiceAtLeastAndKeepsItOutOfTheSamples) {
  // The first call is a hundred times slower: pages, code, clocks.
  ScriptedStopwatch stopwatch([](std::size_t i) { return i == 0 ? 1.0 : 10e-3; });
  const Outcome outcome = measure(primitive, stopwatch, {.budget_seconds = 2, .payback = 0});
  EXPECT_EQ(stopwatch.log.size(), 2U + outcome.samples.size());
  EXPECT_THAT(outcome.samples, Each(10e-3));
  EXPECT_NEAR(outcome.timed_seconds, 0.07, 1e-9);
}

TEST_F(Measure, WarmsUpOnceWhereOneCallIsTheBudget) {
  ScriptedStopwatch stopwatch = steady(0.5);
  const Outcome outcome = measure(primitive, stopwatch, {.budget_seconds = 0.3});
  EXPECT_EQ(outcome.samples.size(), 3U);
  EXPECT_EQ(stopwatch.log.size(), 4U);
  EXPECT_EQ(outcome.stopped_by, "budget");
}

TEST_F(Measure, GivesUpBeforeTheThirdSampleAtTenBudgets) {
  ScriptedStopwatch stopwatch = steady(2);
  const Outcome outcome = measure(primitive, stopwatch, {.budget_seconds = 0.3});
  EXPECT_EQ(outcome.samples.size(), 2U);
  EXPECT_EQ(outcome.stopped_by, "budget");
}

TEST_F(Measure, NoiseEndsWithTheBudget) {
  // Half the samples are 10% slower, so that the median's interval is wider than 1%.
  ScriptedStopwatch stopwatch([](std::size_t i) { return i % 2 == 0 ? 10e-3 : 11e-3; });
  const Outcome outcome = measure(primitive, stopwatch, {.budget_seconds = 0.2});
  EXPECT_EQ(outcome.stopped_by, "budget");
  EXPECT_GE(outcome.timed_seconds, 0.2);
  EXPECT_LT(outcome.timed_seconds, 0.22);
}

TEST_F(Measure, WhatARivalOutclassesStopsAtTheMinimum) {
  // Noise between 10 and 11 ms, which on its own uses up the budget.
  const auto noise = [](std::size_t i) { return i % 2 == 0 ? 10e-3 : 11e-3; };
  ScriptedStopwatch far_behind(noise);
  const Outcome outclassed =
      measure(primitive, far_behind, {.payback = 0, .rival_seconds = 6.6e-3});
  EXPECT_EQ(outclassed.stopped_by, "outclassed");
  EXPECT_EQ(outclassed.samples.size(), 7U);

  // Not outclassed if at least the fastest sample is below 1.5 times the rival.
  ScriptedStopwatch close(noise);
  const Outcome racing = measure(primitive, close, {.payback = 0, .rival_seconds = 6.7e-3});
  EXPECT_EQ(racing.stopped_by, "budget");
}

TEST_F(Measure, WhatIsHopelessIsNotWarmedUpFurther) {
  // 0.8 ms per call: a sample is one call. Two calls are 1.6 ms of warm-up, less than the 2 ms
  // wanted.
  ScriptedStopwatch racing = steady(0.8e-3);
  EXPECT_EQ(measure(primitive, racing, {.payback = 0}).samples.size(), 7U);
  EXPECT_EQ(racing.log.size(), 3U + 7U);
  ScriptedStopwatch hopeless = steady(0.8e-3);
  const Outcome outcome = measure(primitive, hopeless, {.payback = 0, .rival_seconds = 0.3e-3});
  EXPECT_EQ(outcome.samples.size(), 3U);
  EXPECT_EQ(hopeless.log.size(), 2U + 3U);
}

TEST_F(Measure, ASingleOutlierDoesNotDelayConvergence) {
  ScriptedStopwatch stopwatch([](std::size_t i) { return i == 6 ? 50e-3 : 1e-3; });
  const Outcome outcome = measure(primitive, stopwatch, {.payback = 0});
  EXPECT_EQ(outcome.stopped_by, "converged");
  EXPECT_EQ(outcome.samples.size(), 9U);  // from nine on, the interval excludes both extremes
}

TEST_F(Measure, MinimumSecondsKeepSampling) {
  ScriptedStopwatch stopwatch = steady(1e-3);
  const Outcome outcome = measure(primitive, stopwatch, {.minimum_seconds = 0.1, .payback = 0});
  EXPECT_EQ(outcome.stopped_by, "converged");
  EXPECT_NEAR(outcome.timed_seconds, 0.1, 2e-3);
}

TEST_F(Measure, ExpensivePreparationIsPaidBackWithinTheBudget) {
  ScriptedStopwatch stopwatch = steady(1e-3);
  const Outcome none = measure(primitive, stopwatch, {.preparation_seconds = 0.05, .payback = 0});
  EXPECT_NEAR(none.timed_seconds, 0.007, 1e-9);
  const Outcome ten_times = measure(primitive, stopwatch, {.preparation_seconds = 0.02});
  EXPECT_NEAR(ten_times.timed_seconds, 0.2, 2e-3);
  const Outcome capped = measure(primitive, stopwatch, {.preparation_seconds = 5});
  EXPECT_NEAR(capped.timed_seconds, 0.3, 2e-3);
}

TEST_F(Measure, WhatSurroundsSamplesIsNotPaidBack) {
  // Every sample of 1 ms takes 2 ms of wall time: more samples would not change the share.
  const auto slow_samples = [](std::size_t i) {
    const auto start = std::chrono::steady_clock::now();
    while (i >= 2 && std::chrono::steady_clock::now() - start < std::chrono::milliseconds(2)) {
    }
    return 1e-3;
  };
  for (const bool cold : {false, true}) {
    ScriptedStopwatch stopwatch(slow_samples);
    const Outcome outcome = measure(primitive, stopwatch, {.budget_seconds = 0.03, .cold = cold});
    EXPECT_EQ(outcome.samples.size(), 7U);
    EXPECT_GT(outcome.phases.between, 6e-3);
  }
}

TEST_F(Measure, ColdSamplesAreSingleCalls) {
  ScriptedStopwatch stopwatch = steady(10e-6);
  const Outcome outcome = measure(primitive, stopwatch, {.cold = true});
  EXPECT_EQ(outcome.calls_per_sample, 1);
  EXPECT_EQ(stopwatch.cold_calls, outcome.samples.size());
}

TEST_F(Measure, RestsBeforeEverySampleAndCountsItAsNothing) {
  ScriptedStopwatch stopwatch = steady(2e-3);
  const auto start = std::chrono::steady_clock::now();
  // Ten budgets are 10 ms, the rests of three samples alone 60.
  const Outcome outcome =
      measure(primitive, stopwatch, {.budget_seconds = 1e-3, .payback = 0, .rest_seconds = 0.02});
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(outcome.samples.size(), 3U);
  EXPECT_EQ(outcome.stopped_by, "budget");
  EXPECT_NEAR(outcome.timed_seconds, 6e-3, 1e-12);
  EXPECT_GE(wall.count(), 0.06);
  EXPECT_EQ(std::get<double>(outcome.facts.at("rest_seconds")), 0.02);
  // Nothing is paid back by more samples, each with its rest.
  EXPECT_EQ(measure(primitive, stopwatch, {.preparation_seconds = 1, .rest_seconds = 1e-3})
                .samples.size(),
            7U);
  EXPECT_FALSE(measure(primitive, stopwatch, {.payback = 0}).facts.contains("rest_seconds"));
}

TEST_F(Measure, AClockThatStandsStillIsAnError) {
  ScriptedStopwatch stopwatch = steady(0);
  EXPECT_THROW(measure(primitive, stopwatch, {.budget_seconds = 0.001}), std::runtime_error);
}

}  // namespace
}  // namespace benanza::harness
