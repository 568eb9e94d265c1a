#include "analysis/questions/compare/changes.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::measured;
using test::refused;
using test::us;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

const std::string relu = "relu/1x4x8x8";
const std::string conv = "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1";

MeasurementSet set_of(std::vector<Measurement> rows) {
  MeasurementSet set;
  for (Measurement& row : rows) set.add(std::move(row));
  return set;
}

Measurement call(const std::string& key, const std::string& algorithm, double microseconds,
                 const std::string& backend = "cudnn") {
  const double seconds = microseconds * us;
  return measured(key + "/fp32/nchw/" + backend + '/' + algorithm, test::five(seconds));
}

ChangeKind kind_of(double before, double after, double tolerance = 0.05) {
  const auto found =
      changes(set_of({call(relu, "a", before)}), set_of({call(relu, "a", after)}), {}, tolerance);
  EXPECT_THAT(found.problems, SizeIs(1));
  return found.problems[0].kind;
}

TEST(Changes, SlowerAndFasterAreEquallyFarFromTheSame) {
  EXPECT_EQ(kind_of(100, 104), ChangeKind::same);
  EXPECT_EQ(kind_of(100, 106), ChangeKind::slower);
  EXPECT_EQ(kind_of(104, 100), ChangeKind::same);
  EXPECT_EQ(kind_of(106, 100), ChangeKind::faster);
  EXPECT_EQ(kind_of(100, 104, 0.03), ChangeKind::slower);
}

// On a machine that others use, another run is another crowd.
TEST(Changes, NothingIsSaidOfCallsBesideOtherPrograms) {
  Measurement after = call(relu, "a", 200);
  const auto kind = [&] {
    return changes(set_of({call(relu, "a", 100)}), set_of({after}), {}, 0.05).problems[0].kind;
  };
  EXPECT_EQ(kind(), ChangeKind::slower);
  after.crowded_repetitions = after.repetition_seconds.size();
  EXPECT_EQ(kind(), ChangeKind::unknown);
}

// A call that adds into the residual's memory cannot be the answer if the residual is needed again;
// as a call by itself it is still compared.
TEST(Changes, NoCallOverwritesAResidualThatIsKept) {
  const MeasurementSet before = set_of({call(conv, "jit", 100), call(conv, "sum.jit", 90)});
  const MeasurementSet after = set_of({call(conv, "jit", 120), call(conv, "sum.jit", 90)});
  EXPECT_EQ(changes(before, after, {}, 0.05).problems[0].kind, ChangeKind::same);
  Graph graph{.model = "m",
              .layers = {test::layer("a", {}), test::layer("b", {0})},
              .fusions = {{.pattern = "f", .layers = {0, 1}, .problem = conv}}};
  EXPECT_THAT(keeping_residual({graph}), IsEmpty());
  graph.fusions[0].keeps_residual = true;
  const auto found = changes(before, after, {}, 0.05, keeping_residual({graph}));
  EXPECT_EQ(found.problems[0].kind, ChangeKind::slower);
  EXPECT_EQ(found.problems[0].before->variant.algorithm, "jit");
  EXPECT_THAT(found.calls, SizeIs(2));
  // One fusion that may overwrite the residual is enough.
  Graph other = graph;
  other.fusions[0].keeps_residual = false;
  EXPECT_THAT(keeping_residual({graph, other}), IsEmpty());
}

// Means of 10 and 12.2, from processes between 8 and 16.
TEST(Changes, WhatTheRepetitionsDoNotTellApartIsUnknown) {
  const std::string name = relu + "/fp32/nchw/cudnn/a";
  const MeasurementSet before =
      set_of({measured(name, {8 * us, 12 * us, 9 * us, 10 * us, 11 * us})});
  const MeasurementSet after =
      set_of({measured(name, {9 * us, 16 * us, 12 * us, 12 * us, 12 * us})});
  const auto found = changes(before, after, {}, 0.05);
  EXPECT_THAT(found.problems[0].ratio(), Optional(DoubleEq(1.22)));
  EXPECT_EQ(found.problems[0].kind, ChangeKind::unknown);
  ASSERT_TRUE(found.problems[0].spread);
  EXPECT_LT(found.problems[0].spread->low, 1);
  EXPECT_GT(found.problems[0].spread->high, 1.2);
}

TEST(Changes, FewerThanFiveRepetitionsAreNoVerdict) {
  const std::string name = relu + "/fp32/nchw/cudnn/a";
  const MeasurementSet before =
      set_of({test::measured_in_one_process(name, {10 * us, 10 * us, 10 * us, 10 * us})});
  const auto twice = changes(before, set_of({measured(name, test::five(20 * us))}), {}, 0.05);
  EXPECT_EQ(twice.problems[0].kind, ChangeKind::unknown);
  EXPECT_EQ(twice.problems[0].spread, std::nullopt);
  const auto same =
      changes(before, set_of({test::measured_in_one_process(name, {10.1 * us})}), {}, 0.05);
  EXPECT_EQ(same.problems[0].kind, ChangeKind::same);
}

/// A thousand calls with 3% noise within a run, all slower by `drift`; the first also by `first`.
MeasurementSet noisy_calls(std::mt19937& random, double drift = 1, double first = 1) {
  std::normal_distribution<double> noise(0, 0.03);
  MeasurementSet set;
  for (int i = 0; i < 1000; ++i) {
    std::vector<double> repetitions(5);
    for (double& seconds : repetitions) {
      seconds = 10 * us * drift * (i == 0 ? first : 1) * std::exp(noise(random));
    }
    set.add(measured("relu/" + std::to_string(i) + "/fp32/nchw/cudnn/a", std::move(repetitions)));
  }
  return set;
}

std::size_t alarms(const Changes& found) {
  const ChangeTotals sum = totals(found.problems);
  return sum.of(ChangeKind::slower) + sum.of(ChangeKind::faster);
}

TEST(Changes, NothingChangedRaisesNoAlarm) {
  std::mt19937 random(1);
  int runs_with_alarms = 0;
  for (int run = 0; run < 40; ++run) {
    const MeasurementSet before = noisy_calls(random);
    const MeasurementSet after = noisy_calls(random);
    runs_with_alarms += alarms(changes(before, after, {}, 0.0)) > 0;
  }
  EXPECT_LE(runs_with_alarms, 2);
}

// Nothing tells whether the library or the machine takes 1.2 times as long: every call does, and
// the first differs from what all have in common.
TEST(Changes, WhatAllCallsHaveInCommonIsNoDriftByItself) {
  std::mt19937 random(2);
  const MeasurementSet before = noisy_calls(random);
  const MeasurementSet after = noisy_calls(random, 1.2, 1.5);
  const auto found = changes(before, after, {}, 0.05);
  EXPECT_DOUBLE_EQ(found.drift(), 1);
  ASSERT_THAT(found.common, SizeIs(1));
  EXPECT_NEAR(found.common[0].ratio(), 1.2, 0.005);
  EXPECT_EQ(found.common[0].verdict, CommonVerdict::cannot_tell);
  EXPECT_TRUE(found.common[0].is_worse());
  const ChangeTotals sum = totals(found.problems);
  EXPECT_EQ(sum.of(ChangeKind::slower) + sum.of(ChangeKind::unknown), 1000U);
  EXPECT_EQ(sum.of(ChangeKind::faster), 0U);
  EXPECT_EQ(found.problems[0].key, "relu/0");
  EXPECT_EQ(found.problems[0].kind, ChangeKind::slower);
  EXPECT_TRUE(found.problems[0].apart);
  EXPECT_NEAR(*found.problems[0].beside_common, 1.5, 0.1);
  EXPECT_EQ(sum.with_common, sum.of(ChangeKind::slower) - 1);
}

// cuBLAS was measured only before; the one call in both sets did not change.
TEST(Changes, OnlyBackendsThatMeasuredBothTimesAreCompared) {
  const auto found = changes(set_of({call(relu, "a", 10), call(relu, "b", 5, "cublas")}),
                             set_of({call(relu, "a", 10)}), {}, 0.05);
  ASSERT_THAT(found.problems, SizeIs(1));
  EXPECT_EQ(found.problems[0].kind, ChangeKind::same);
  EXPECT_EQ(changes(set_of({call(relu, "b", 5, "cublas")}), set_of({call(relu, "a", 10)}), {}, 0.05)
                .other_backends,
            1U);
}

// The fastest call is lost and another takes its place: the problem is slower, 12 against 8.
TEST(Changes, AProblemIsItsFastestCall) {
  const MeasurementSet before = set_of({call(conv, "a", 8), call(conv, "b", 12)});
  const MeasurementSet after =
      set_of({refused(conv + "/fp32/nchw/cudnn/a", Status::unsupported, "no kernel"),
              call(conv, "b", 12), call(conv, "c", 20)});
  const auto found = changes(before, after, {}, 0.05);
  ASSERT_THAT(found.problems, SizeIs(1));
  EXPECT_EQ(found.problems[0].kind, ChangeKind::slower);
  EXPECT_THAT(found.problems[0].ratio(), Optional(DoubleEq(1.5)));
  ASSERT_THAT(found.calls, SizeIs(3));
  EXPECT_EQ(found.calls[0].kind, ChangeKind::lost);
  EXPECT_EQ(found.calls[0].before->variant.algorithm, "a");
  EXPECT_EQ(found.calls[0].reason, "unsupported: no kernel");
  EXPECT_EQ(found.calls[1].kind, ChangeKind::gained);
  EXPECT_EQ(found.calls[1].after->variant.algorithm, "c");
  EXPECT_EQ(found.calls[1].reason, "not there");
  EXPECT_EQ(found.calls[2].kind, ChangeKind::same);
  const ChangeTotals sum = totals(found.calls);
  EXPECT_EQ(sum.compared, 1U);
  EXPECT_EQ(sum.of(ChangeKind::lost), 1U);
  EXPECT_EQ(sum.of(ChangeKind::gained), 1U);
  EXPECT_THAT(sum.median_ratio, Optional(DoubleEq(1)));
}

TEST(Changes, AProblemWithoutAnyCallLeftIsLost) {
  const auto found = changes(
      set_of({call(relu, "a", 8)}),
      set_of({refused(relu + "/fp32/nchw/cudnn/a", Status::incorrect, "element 3")}), {}, 0.05);
  ASSERT_THAT(found.problems, SizeIs(1));
  EXPECT_EQ(found.problems[0].kind, ChangeKind::lost);
  EXPECT_EQ(found.problems[0].reason, "incorrect: element 3");
  EXPECT_EQ(found.problems[0].ratio(), std::nullopt);
}

TEST(Changes, WhatWasNotMeasuredBothTimesIsNotCompared) {
  const auto found = changes(
      set_of({call(relu, "a", 8), call(conv, "a", 8)}),
      set_of({call(conv, "a", 8), call("relu/1x1x1x1", "a", 8), call("relu/1x1x1x2", "a", 8)}), {},
      0.05);
  EXPECT_THAT(found.problems, SizeIs(1));
  EXPECT_THAT(found.calls, SizeIs(1));
  EXPECT_EQ(found.only_before, 1U);
  EXPECT_EQ(found.only_after, 2U);
}

// A library that was not run the second time has not lost its calls.
TEST(Changes, CallsOfALibraryThatWasNotRunAgainAreNotLost) {
  const auto found = changes(set_of({call(relu, "a", 8), call(relu, "a", 9, "other")}),
                             set_of({call(relu, "a", 8)}), {}, 0.05);
  EXPECT_THAT(found.calls, SizeIs(1));
}

TEST(Changes, OnlyWhatTheChoiceAdmits) {
  const MeasurementSet set = set_of({call(relu, "a", 8)});
  EXPECT_THAT(changes(set, set, {.precision = Precision::fp16}, 0.05).problems, IsEmpty());
  EXPECT_THAT(changes(set, set, {.layout = Layout::nhwc}, 0.05).problems, IsEmpty());
  EXPECT_THAT(changes(set, set, {.layout = Layout::nchw}, 0.05).problems, SizeIs(1));
}

TEST(Changes, TheGravestFirst) {
  const auto found = changes(set_of({call("relu/1", "a", 10), call("relu/2", "a", 10),
                                     call("relu/3", "a", 10), call("relu/4", "a", 10)}),
                             set_of({call("relu/1", "a", 5), call("relu/2", "a", 10),
                                     call("relu/3", "a", 20), call("relu/4", "a", 30)}),
                             {}, 0.05);
  std::vector<std::string> order;
  for (const Change& change : found.problems) order.push_back(change.key);
  EXPECT_THAT(order, ElementsAre("relu/4", "relu/3", "relu/1", "relu/2"));
}

}  // namespace
}  // namespace benanza::analysis
