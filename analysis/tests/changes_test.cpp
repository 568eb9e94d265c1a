#include "analysis/questions/compare/changes.h"

#include <gmock/gmock.h>

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
  return measured(key + "/fp32/nchw/" + backend + '/' + algorithm, {seconds, seconds, seconds});
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

// Medians 10 and 12, but the samples overlap: a draw of the second has a median of 9 often enough.
TEST(Changes, WhatTheSamplesDoNotTellApartIsTheSame) {
  const std::string name = relu + "/fp32/nchw/cudnn/a";
  const MeasurementSet before = set_of({measured(name, {10 * us, 10 * us, 10 * us})});
  const MeasurementSet after = set_of({measured(name, {9 * us, 12 * us, 13 * us})});
  const auto found = changes(before, after, {}, 0.05);
  EXPECT_THAT(found.problems[0].ratio(), Optional(DoubleEq(1.2)));
  EXPECT_EQ(found.problems[0].kind, ChangeKind::same);
  ASSERT_TRUE(found.problems[0].spread);
  EXPECT_DOUBLE_EQ(found.problems[0].spread->low, 0.9);
  EXPECT_DOUBLE_EQ(found.problems[0].spread->high, 1.3);
}

TEST(Changes, OneSampleHasNoSpreadAndStillCounts) {
  const std::string name = relu + "/fp32/nchw/cudnn/a";
  const auto found =
      changes(set_of({measured(name, {10 * us})}), set_of({measured(name, {20 * us})}), {}, 0.05);
  EXPECT_EQ(found.problems[0].kind, ChangeKind::slower);
  EXPECT_EQ(found.problems[0].spread, std::nullopt);
}

// The fastest call is lost, another takes its place: the problem is slower, by 12 to 8.
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
