// What all calls have in common, with and without something that tells of the machine.

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "analysis/questions/compare/changes.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::us;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int calls = 60;

/// Sixty calls of a library, each five times, with the noise of a repetition. `factor(i)`: how much
/// longer call i takes.
template <class Factor>
void add_calls_of(const std::string& backend, Results& results, std::mt19937& random,
                  const Factor& factor, double noise = 0.003) {
  std::normal_distribution<double> deviation(0, noise);
  for (int i = 0; i < calls; ++i) {
    std::vector<double> repetitions(5);
    for (double& seconds : repetitions) {
      seconds = (5 + 3 * i) * us * factor(i) * std::exp(deviation(random));
    }
    results.measurements.add(test::measured(
        "relu/" + std::to_string(i) + "/fp32/nchw/" + backend + "/a", std::move(repetitions)));
  }
}

Results run(std::mt19937& random, double factor, double noise = 0.003) {
  Results results;
  results.systems["cudnn"] = {{"device", "D"}, {"cudnn", "9.1"}};
  add_calls_of(
      "cudnn", results, random, [&](int) { return factor; }, noise);
  return results;
}

/// Ten samples of an anchor around `seconds`.
std::vector<double> anchor(std::mt19937& random, double seconds) {
  std::normal_distribution<double> deviation(0, 0.003);
  std::vector<double> samples(10);
  for (double& sample : samples) sample = seconds * std::exp(deviation(random));
  return samples;
}

void add_anchors_to(Results& results, std::mt19937& random, double arithmetic, double copy) {
  results.anchors["cudnn"] = {{"arithmetic", anchor(random, 1e-3 * arithmetic)},
                              {"copy", anchor(random, 2e-3 * copy)}};
}

/// The changes point into both.
Changes compared(const Results& before, const Results&& after, double tolerance = 0.05) = delete;
Changes compared(const Results& before, const Results& after, double tolerance = 0.05) {
  return changes(before.measurements, after.measurements, {}, tolerance, {},
                 {.witnesses = witnesses(before, after)});
}

/// The verdict on the only library's calls.
CommonVerdict verdict(const Changes& found) {
  EXPECT_THAT(found.common, SizeIs(1));
  return found.common.empty() ? CommonVerdict::none : found.common[0].verdict;
}

std::size_t count(const Changes& found, ChangeKind kind) { return totals(found.problems).of(kind); }

TEST(CommonChange, TwiceAsLongIsSlowerAndNothingTellsWhy) {
  std::mt19937 random(1);
  const Results before = run(random, 1);
  const Results after = run(random, 2);
  const Changes found = compared(before, after);
  EXPECT_EQ(verdict(found), CommonVerdict::cannot_tell);
  EXPECT_TRUE(found.common[0].is_worse());
  EXPECT_EQ(count(found, ChangeKind::slower), 60U);
  EXPECT_EQ(count(found, ChangeKind::faster), 0U);
  EXPECT_EQ(totals(found.problems).with_common, 60U);
  EXPECT_THAT(common_text(found.common[0]),
              testing::AllOf(HasSubstr("all 60 calls of cudnn take "),
                             HasSubstr("nothing in these results tells whether the library, whose "
                                       "version is the same, or the machine changed"),
                             HasSubstr("benanza-regress")));
}

TEST(CommonChange, TwiceAsFastIsNoFailure) {
  std::mt19937 random(1);
  const Results before = run(random, 1);
  const Results after = run(random, 0.5);
  const Changes found = compared(before, after);
  EXPECT_EQ(verdict(found), CommonVerdict::cannot_tell);
  EXPECT_FALSE(found.common[0].is_worse());
  EXPECT_EQ(count(found, ChangeKind::faster), 60U);
}

// Half of the calls have nothing in common with the other half.
TEST(CommonChange, NothingIsFasterBecauseOthersAreSlower) {
  std::mt19937 random(1);
  for (const int slower : {31, 45, 50}) {
    const Results before = run(random, 1);
    Results after;
    add_calls_of("cudnn", after, random, [&](int i) { return i < slower ? 1.3 : 1; });
    const Changes found = compared(before, after);
    EXPECT_EQ(count(found, ChangeKind::slower), static_cast<std::size_t>(slower));
    EXPECT_EQ(count(found, ChangeKind::faster), 0U);
    EXPECT_EQ(verdict(found), slower < 45 ? CommonVerdict::none : CommonVerdict::cannot_tell);
  }
}

// 45 calls take 1.3 times as long; the others are named as what differs from that.
TEST(CommonChange, WhatDoesNotShareItIsNamed) {
  std::mt19937 random(1);
  const Results before = run(random, 1);
  Results after;
  add_calls_of("cudnn", after, random, [](int i) { return i < 45 ? 1.3 : 1; });
  const Changes found = compared(before, after);
  EXPECT_EQ(std::ranges::count_if(found.problems, &Change::apart), 15);
  EXPECT_EQ(totals(found.problems).with_common, 45U);
  EXPECT_EQ(found.common[0].agreeing, 45U);
}

// The machine is 3% faster, one call 8% slower: 1.05 times as long as before.
TEST(CommonChange, ASmallDriftHidesNoProblem) {
  std::mt19937 random(3);
  const Results before = run(random, 1);
  Results after;
  add_calls_of("cudnn", after, random, [](int i) { return 0.97 * (i == 7 ? 1.08 : 1); });
  const Changes found = compared(before, after);
  EXPECT_EQ(count(found, ChangeKind::slower), 1U);
  EXPECT_EQ(found.problems[0].key, "relu/7");
  EXPECT_EQ(count(found, ChangeKind::faster), 0U);
}

TEST(CommonChange, NineteenCallsHaveNothingInCommon) {
  const std::vector<CallChange> few(19, {.change = 0.5});
  EXPECT_EQ(common_change("cudnn", few, 0.05, 0.01), std::nullopt);
  const std::vector<CallChange> enough(20, {.change = 0.5});
  EXPECT_DOUBLE_EQ(common_change("cudnn", enough, 0.05, 0.01)->change, 0.5);
}

// All neighbours together: a deviation of 0.2 that the number of calls does not lessen.
TEST(CommonChange, CompanyIsSharedByAllCalls) {
  std::vector<CallChange> calls(20, {.change = 0.5, .error = 0.01, .run_deviation = 0.2});
  const auto common = common_change("onednn", calls, 0.05, 0.05);
  // The normal distribution's quantile at 0.9975.
  EXPECT_NEAR(common->interval.low, 0.5 - 2.807 * 0.2, 1e-3);
  EXPECT_NEAR(common->interval.high, 0.5 + 2.807 * 0.2, 1e-3);
}

TEST(CommonChange, ALibraryIsSlowerWhereTheAnchorsAreNot) {
  int found = 0;
  for (int seed = 0; seed < 100; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    Results before = run(random, 1);
    Results after = run(random, 1.05);
    add_anchors_to(before, random, 1, 1);
    add_anchors_to(after, random, 1, 1);
    const Changes changes = compared(before, after);
    found += verdict(changes) == CommonVerdict::slower && changes.common[0].is_worse();
  }
  EXPECT_GE(found, 95);
}

TEST(CommonChange, WithoutAReferenceNothingTells) {
  for (int seed = 0; seed < 100; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    const Results before = run(random, 1);
    const Results after = run(random, 1.05);
    EXPECT_EQ(verdict(compared(before, after)), CommonVerdict::cannot_tell) << seed;
  }
}

TEST(CommonChange, WhatTheAnchorsShareIsTheMachines) {
  std::mt19937 random(4);
  Results before = run(random, 1);
  Results after;
  after.systems = before.systems;
  add_calls_of("cudnn", after, random, [](int i) { return 1.3 * (i == 7 ? 1.2 : 1); });
  add_anchors_to(before, random, 1, 1);
  add_anchors_to(after, random, 1.3, 1.3);
  const Changes found = compared(before, after);
  EXPECT_EQ(verdict(found), CommonVerdict::machine);
  EXPECT_FALSE(found.common[0].is_worse());
  EXPECT_NEAR(found.drift(), 1.3, 0.01);
  EXPECT_EQ(count(found, ChangeKind::slower), 1U);
  EXPECT_EQ(found.problems[0].key, "relu/7");
  EXPECT_EQ(count(found, ChangeKind::faster), 0U);
}

// Arithmetic takes 1.3 times as long, copies do not: 1.3 may be the machine's or the library's.
TEST(CommonChange, AnchorsThatDisagreeDoNotTell) {
  std::mt19937 random(5);
  Results before = run(random, 1);
  Results after = run(random, 1.3);
  add_anchors_to(before, random, 1, 1);
  add_anchors_to(after, random, 1.3, 1);
  const Changes found = compared(before, after);
  EXPECT_EQ(verdict(found), CommonVerdict::cannot_tell);
  EXPECT_TRUE(found.common[0].is_worse());
  EXPECT_EQ(count(found, ChangeKind::slower), 0U) << "the machine may have done that";
}

TEST(CommonChange, FewerThanFiveTimesOfAnAnchorAreNoReference) {
  std::mt19937 random(6);
  Results before = run(random, 1);
  Results after = run(random, 1.3);
  before.anchors["cudnn"] = {{"copy", {1, 1, 1, 1}}};
  after.anchors["cudnn"] = {{"copy", {1, 1, 1, 1}}};
  EXPECT_THAT(witnesses(before, after).references, IsEmpty());
  EXPECT_EQ(verdict(compared(before, after)), CommonVerdict::cannot_tell);
}

TEST(CommonChange, PeaksTellTheMachineFromTheLibrary) {
  std::mt19937 random(7);
  Results before = run(random, 1);
  before.peaks["cudnn"] = {{"peak_fp32_flops_per_second", 4e13}, {"peak_bytes_per_second", 2e12}};
  Results slow_library = run(random, 1.05);
  slow_library.peaks = before.peaks;
  EXPECT_EQ(verdict(compared(before, slow_library)), CommonVerdict::slower);
  Results slow_machine = run(random, 2);
  slow_machine.peaks["cudnn"] = {{"peak_fp32_flops_per_second", 2e13},
                                 {"peak_bytes_per_second", 1e12}};
  const Changes found = compared(before, slow_machine);
  EXPECT_EQ(verdict(found), CommonVerdict::machine);
  EXPECT_EQ(count(found, ChangeKind::slower), 0U);
}

// A peak that was disturbed the first time makes no call slower.
TEST(CommonChange, PeaksAloneMakeNoChange) {
  std::mt19937 random(8);
  Results before = run(random, 1);
  Results after = run(random, 1);
  before.peaks["cudnn"] = {{"peak_bytes_per_second", 1.8e12}};
  after.peaks["cudnn"] = {{"peak_bytes_per_second", 2e12}};
  const Changes found = compared(before, after);
  EXPECT_EQ(verdict(found), CommonVerdict::none);
  EXPECT_EQ(count(found, ChangeKind::same), 60U);
}

// cuBLAS is the same version on both sides and takes as long as before, cuDNN is another one.
TEST(CommonChange, AnotherLibraryOfTheSameVersionIsAReference) {
  std::mt19937 random(9);
  const auto with_both = [&](const std::string& version, double cudnn, double cublas) {
    Results results = run(random, cudnn);
    results.systems["cudnn"]["cudnn"] = version;
    results.systems["cublas"] = {{"device", "D"}, {"cublas", "13.1"}};
    add_calls_of("cublas", results, random, [&](int) { return cublas; });
    return results;
  };
  const Results before = with_both("9.1", 1, 1);
  const auto verdict_of = [&](const Results& after, const MeasurementFilter& filter = {}) {
    const Changes found = changes(before.measurements, after.measurements, filter, 0.05, {},
                                  {.witnesses = witnesses(before, after)});
    return common_of(found.common, "cudnn")->verdict;
  };
  EXPECT_EQ(verdict_of(with_both("9.2", 1.05, 1)), CommonVerdict::slower);
  EXPECT_EQ(verdict_of(with_both("9.2", 1.05, 1), {.backends = {"cudnn"}}), CommonVerdict::slower);
  EXPECT_EQ(verdict_of(with_both("9.2", 1.2, 1.2)), CommonVerdict::machine);
  // Two builds may have one version, so one library does not clear the other.
  EXPECT_EQ(verdict_of(with_both("9.1", 1.2, 1)), CommonVerdict::cannot_tell);
}

// Four threads instead of two: anchors change with them, and are no reference.
TEST(CommonChange, AnotherMachineHasNoReference) {
  std::mt19937 random(10);
  Results before = run(random, 1);
  Results after = run(random, 0.5);
  before.systems["cudnn"]["threads"] = "2";
  after.systems["cudnn"]["threads"] = "4";
  add_anchors_to(before, random, 1, 1);
  add_anchors_to(after, random, 0.5, 0.5);
  const Changes found = compared(before, after);
  EXPECT_EQ(verdict(found), CommonVerdict::cannot_tell);
  EXPECT_THAT(common_text(found.common[0]), HasSubstr("the systems differ: threads 2, now 4"));
  EXPECT_EQ(count(found, ChangeKind::faster), 60U);
}

TEST(CommonChange, NothingChangedIsQuietWithAReferenceAndWithout) {
  int alarms = 0;
  for (int seed = 0; seed < 100; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    std::normal_distribution<double> machine(0, 0.01);
    const double old_speed = std::exp(machine(random));
    const double new_speed = std::exp(machine(random));
    Results before = run(random, old_speed);
    Results after = run(random, new_speed);
    if (seed % 2 == 0) {
      add_anchors_to(before, random, old_speed, old_speed);
      add_anchors_to(after, random, new_speed, new_speed);
    }
    const Changes found = compared(before, after);
    alarms += found.common[0].listed || count(found, ChangeKind::slower) > 0 ||
              count(found, ChangeKind::faster) > 0;
  }
  EXPECT_EQ(alarms, 0);
}

}  // namespace
}  // namespace benanza::analysis
