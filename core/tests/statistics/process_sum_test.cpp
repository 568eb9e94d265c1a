#include "core/statistics/process_sum.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace benanza {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

/// One value per process, of the processes 1, 2, 3...
std::vector<ProcessValue> values(const std::vector<double>& seconds) {
  std::vector<ProcessValue> found;
  for (const double one : seconds) {
    found.push_back({static_cast<std::int64_t>(found.size()) + 1, one});
  }
  return found;
}

std::optional<Uncertain> estimate_of(double value, std::vector<ProcessValue> of_processes) {
  ProcessSum sum;
  sum.add(value, std::move(of_processes));
  return sum.estimate();
}

TEST(ByProcess, IsTheTrimmedMeanOfEachProcess) {
  const std::vector<double> seconds{1, 10, 2, 9, 20};
  const std::vector<std::int64_t> processes{7, 3, 7, 7, 3};
  // Process 7 took 1, 2 and 9, process 3 took 10 and 20.
  EXPECT_THAT(by_process(seconds, processes), ElementsAre(ProcessValue{3, 15}, ProcessValue{7, 2}));
  EXPECT_THAT(by_process(seconds, {}), ElementsAre(ProcessValue{0, 7}));
  EXPECT_THAT(by_process({}, {}), IsEmpty());
}

TEST(ByProcess, TheValueIsThatOfTheProcesses) {
  // Process means 1, 2 and 9: the third one stalled.
  const std::vector<double> seconds{1, 2, 9, 9, 9, 9};
  EXPECT_EQ(value_over_processes(seconds, std::vector<std::int64_t>{1, 2, 3, 3, 3, 3}), 1.5);
  // 1, 2 and 3: none did.
  EXPECT_EQ(value_over_processes(std::vector<double>{1, 2, 3}, std::vector<std::int64_t>{1, 2, 3}),
            2);
  // Of two processes, none can be left out: a repetition that stalled is.
  EXPECT_EQ(value_over_processes(std::vector<double>{1, 1, 1, 1, 50},
                                 std::vector<std::int64_t>{1, 1, 1, 1, 2}),
            1);
  EXPECT_EQ(value_over_processes(seconds, {}), trimmed_mean(seconds));
}

TEST(ProcessSum, OfTwoProcessesByHand) {
  // Mean 11, standard error |12 - 10| / 2, one degree of freedom: t(97.5%) = 12.7062.
  const auto found = estimate_of(11, values({10, 12}));
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->standard_error, 1);
  EXPECT_DOUBLE_EQ(found->degrees, 1);
  EXPECT_THAT(found->interval().high, DoubleNear(11 + 12.7062, 1e-4));
}

TEST(ProcessSum, OfThreeAndFourProcessesByHand) {
  // Variances of 10, 12, 14 and of 10, 12, 14, 16: 4 and 20 / 3.
  const auto three = estimate_of(12, values({10, 12, 14}));
  EXPECT_DOUBLE_EQ(three->standard_error, std::sqrt(4.0 / 3));
  EXPECT_EQ(three->degrees, 2);
  const auto four = estimate_of(13, values({10, 12, 14, 16}));
  EXPECT_DOUBLE_EQ(four->standard_error, std::sqrt(20.0 / 3 / 4));
  EXPECT_EQ(four->degrees, 3);
}

TEST(ProcessSum, AProcessThatStalledIsLeftOut) {
  // 40 is more than three times the median, 12; 36 is not.
  const auto found = estimate_of(11, values({10, 12, 11, 40, 12}));
  EXPECT_DOUBLE_EQ(found->standard_error, std::sqrt(2.75 / 3 / 4));  // of 10, 12, 11 and 12
  EXPECT_EQ(found->degrees, 3);
  EXPECT_EQ(estimate_of(14, values({10, 12, 11, 36, 12}))->degrees, 4);
  EXPECT_EQ(mean_over_processes(values({10, 12, 11, 40, 12})), 11.25);
  EXPECT_EQ(mean_over_processes(values({10, 40})), 25);
  // Two of five are no accident.
  EXPECT_EQ(mean_over_processes(values({10, 10, 10, 40, 40})), 22);
}

TEST(ProcessSum, WhatTheCallsOfAProcessHaveInCommonAddsUp) {
  ProcessSum together;
  ProcessSum against;
  for (int call = 0; call < 10; ++call) {
    together.add(11, values({10, 12}));
    against.add(11, call % 2 == 0 ? values({10, 12}) : values({12, 10}));
  }
  EXPECT_DOUBLE_EQ(together.estimate()->standard_error, 10);
  EXPECT_DOUBLE_EQ(against.estimate()->standard_error, 0);
}

TEST(ProcessSum, ACallThatLacksAProcessKeepsItsOwnError) {
  ProcessSum sum;
  sum.add(100, values({100, 100, 100, 100}));
  sum.add(11, values({10, 12}));
  EXPECT_DOUBLE_EQ(sum.estimate()->standard_error, 1);
  // (100 x 4 + 11 x 2) / 111 processes = 3.8.
  EXPECT_EQ(sum.processes(), 4U);
  EXPECT_THAT(sum.estimate()->degrees, DoubleNear(422.0 / 111 - 1, 1e-12));
}

TEST(ProcessSum, ACallOfOneProcessIsOffAsUsual) {
  // The usual standard deviation of a process is sqrt(2) / 11 of the time; of one process, 22 is
  // off by 2 sqrt(2) then.
  ProcessSum sum;
  sum.add(11, values({10, 12}));
  sum.add(11, values({12, 10}));
  sum.add(22, values({22}));
  ASSERT_TRUE(sum.estimate());
  EXPECT_THAT(sum.estimate()->standard_error, DoubleNear(2 * std::sqrt(2.0), 1e-12));
  EXPECT_EQ(sum.estimate()->value, 44);
  // It is now more than half of the sum.
  sum.add(1, values({1}));
  EXPECT_FALSE(sum.estimate());
}

TEST(ProcessSum, OfOneProcessOrNothingIsNotKnown) {
  EXPECT_FALSE(ProcessSum().estimate());
  EXPECT_EQ(ProcessSum().processes(), 0U);
  EXPECT_FALSE(estimate_of(3, values({3})));
}

// Sums of squares that are rounding alone have quotients of any size.
TEST(ProcessSum, EqualValuesHaveTheValueAsTheirInterval) {
  ProcessSum processes;
  RepetitionSum repetitions;
  for (const double us : {13.23, 6.36, 31.62}) {
    const std::vector<double> layer(5, us * 1e-6);
    processes.add(mean(layer), values(layer));
    repetitions.add(layer);
  }
  for (const Uncertain& found : {*processes.estimate(), *repetitions.estimate()}) {
    EXPECT_DOUBLE_EQ(found.interval().low, 51.21e-6);
    EXPECT_DOUBLE_EQ(found.interval().high, 51.21e-6);
    EXPECT_GE(found.degrees, 2);
  }
}

/// How often a 95% interval of 40 calls' sum covers the truth. Every process is off by `common` in
/// all of its calls, and by `own` in each; every call lacks one process in `one_in`.
double coverage(std::size_t processes, double common, double own, int one_in) {
  std::mt19937_64 random(20200518);
  std::normal_distribution<double> normal(0, 1);
  constexpr int runs = 3000;
  constexpr int calls = 40;
  int covered = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> states(processes);
    for (double& state : states) state = common * normal(random);
    ProcessSum sum;
    for (int call = 0; call < calls; ++call) {
      std::vector<ProcessValue> of_call;
      std::vector<double> plain;
      for (std::size_t process = 0; process < processes; ++process) {
        const double value = 1 + states[process] + own * normal(random);
        if (one_in > 0 && random() % static_cast<unsigned>(one_in) == 0 && process > 0) continue;
        of_call.push_back({static_cast<std::int64_t>(process), value});
        plain.push_back(value);
      }
      sum.add(mean(plain), std::move(of_call));
    }
    const auto estimate = sum.estimate();
    if (!estimate) continue;
    const Interval interval = estimate->interval();
    covered += interval.low <= calls && calls <= interval.high;
  }
  return covered / static_cast<double>(runs);
}

TEST(ProcessSum, CoversTheTruthIn95PercentOfRuns) {
  for (const std::size_t processes : {2U, 3U, 4U, 5U, 7U, 10U}) {
    for (const double common : {0.0, 0.01, 0.05}) {
      EXPECT_NEAR(coverage(processes, common, 0.02, 0), 0.95, 0.02)
          << processes << " processes, " << common << " in common";
    }
  }
}

TEST(ProcessSum, CoversTheTruthWhereCallsLackProcesses) {
  for (const double common : {0.0, 0.02}) {
    const double share = coverage(5, common, 0.02, 4);
    EXPECT_GE(share, 0.93) << common;
  }
}

}  // namespace
}  // namespace benanza
