#include "analysis/model/in_plan.h"

#include <gmock/gmock.h>

#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::five;
using test::measured;
using test::us;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::Pair;

constexpr const char* call_alone = "relu/1x8/fp32/nchw/onednn/jit";
constexpr const char* call_beside = "relu/1x9/fp32/nchw/onednn/jit";
constexpr const char* call_unseen = "relu/1x9/fp32/nchw/onednn/slow";

double seconds_of(const MeasurementSet& set, std::string_view key, std::string_view algorithm) {
  for (const Measurement& one : set.find(key)) {
    if (one.variant.algorithm == algorithm) return one.seconds();
  }
  return 0;
}

TEST(InPlan, CallsTakeLongerByTheirOwnFactorsAndOthersByTheirMedian) {
  MeasurementSet set;
  set.add(measured(call_alone, five(10 * us)));
  set.add(measured(call_beside, five(20 * us)));
  set.add(measured(call_unseen, five(30 * us)));
  // Of two steps 1.5 on average; one that was faster than when repeated: 1.
  const PlanRun run{.calls = {{call_alone, 12 * us, 10 * us},
                              {call_alone, 18 * us, 10 * us},
                              {call_beside, 5 * us, 6 * us}}};
  const InPlanTimes times = in_plan_times(std::vector{run});
  EXPECT_THAT(times.factors,
              ElementsAre(Pair(call_alone, DoubleEq(1.5)), Pair(call_beside, DoubleEq(1))));
  EXPECT_FALSE(times.conversion_bytes_per_second);
  const MeasurementSet longer = in_plan(set, times);
  EXPECT_NEAR(seconds_of(longer, "relu/1x8", "jit"), 15 * us, 1e-12);
  EXPECT_NEAR(seconds_of(longer, "relu/1x9", "jit"), 20 * us, 1e-12);
  EXPECT_NEAR(seconds_of(longer, "relu/1x9", "slow"), 30 * 1.25 * us, 1e-12);
  EXPECT_NEAR(seconds_of(set, "relu/1x8", "jit"), 10 * us, 1e-12);
}

TEST(InPlan, TheLastRunThatHasACallOrAConversionCounts) {
  const PlanRun first{.calls = {{call_alone, 3, 1}, {call_beside, 2, 1}},
                      .conversion_times = {{"row-major", "blocks", 100, 1e-6}}};
  const PlanRun last{
      .calls = {{call_alone, 2, 1}},
      .conversion_times = {{"row-major", "blocks", 100, 2e-6}, {"blocks", "row-major", 300, 3e-6}}};
  const InPlanTimes times = in_plan_times(std::vector{first, last});
  EXPECT_THAT(times.factors, ElementsAre(Pair(call_alone, 2), Pair(call_beside, 2)));
  EXPECT_THAT(times.conversions, ElementsAre(Pair(Pair("blocks", "row-major"), 3e-6),
                                             Pair(Pair("row-major", "blocks"), 2e-6)));
  // Of 200, 100 and 200 bytes, read and written, in a us.
  EXPECT_DOUBLE_EQ(times.conversion_bytes_per_second.value(), 2e8);
}

TEST(InPlan, ConversionsTakeNoMoreThanAllOfThemTogether) {
  const PlanRun run{
      .conversion_seconds = 2e-6,
      .conversion_times = {{"row-major", "blocks", 100, 1e-6}, {"blocks", "row-major", 100, 3e-6}}};
  const InPlanTimes times = in_plan_times(std::vector{run});
  EXPECT_THAT(times.conversions, ElementsAre(Pair(Pair("blocks", "row-major"), DoubleEq(1.5e-6)),
                                             Pair(Pair("row-major", "blocks"), DoubleEq(0.5e-6))));
}

TEST(InPlan, SaysWhetherWeightsComeFromMemory) {
  MeasurementSet set;
  Measurement call = measured(call_alone, five(10 * us));
  call.rotating_seconds = 30 * us;
  set.add(std::move(call));
  set.add(measured(call_beside, five(20 * us)));
  // The machine is slower than when it was measured: 12 us for 10.
  PlanRun run{.calls = {{call_alone, 25 * us, 12 * us}, {call_beside, 90 * us, 20 * us}}};
  const auto found = plan_conditions(std::vector{run}, set);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->in_plan_seconds, 25 * us, 1e-12) << "of the call that was timed both ways";
  EXPECT_NEAR(found->from_memory_seconds, 36 * us, 1e-12);
  EXPECT_TRUE(found->are_from_memory());
  run.calls[0].seconds = 23 * us;
  EXPECT_FALSE(plan_conditions(std::vector{run}, set)->are_from_memory());
  EXPECT_FALSE(plan_conditions(std::vector<PlanRun>{}, set));
  const std::vector<PlanRun> cold = repeated_from_memory({run}, set);
  EXPECT_NEAR(cold[0].calls[0].repeated_seconds, 36 * us, 1e-12);
  EXPECT_NEAR(cold[0].calls[1].repeated_seconds, 20 * us, 1e-12);
}

TEST(InPlan, AChosenCallIsStatedAsMeasuredAlone) {
  MeasurementSet set;
  set.add(measured(call_alone, five(10 * us)));
  Plan plan{
      .seconds = 99,
      .steps = {{.call = call_alone, .seconds = 99}, {.call = call_beside, .seconds = 3 * us}}};
  plan.conversions = {{.seconds = 2 * us}};
  state_alone(plan, set);
  EXPECT_NEAR(plan.steps[0].seconds, 10 * us, 1e-12);
  EXPECT_NEAR(plan.steps[1].seconds, 3 * us, 1e-12) << "nothing measured it";
  EXPECT_NEAR(plan.seconds, 15 * us, 1e-12);
}

TEST(InPlan, GapsAreWhatRunsTookLongerThanTheirCallsAlone) {
  const Plan bare{.seconds = 60 * us, .steps = std::vector<PlanStep>(4)};
  Plan plan = bare;
  state_gaps(plan, {}, {});
  EXPECT_EQ(plan, bare) << "without a run nothing is known";
  // 1/4, 1/9 and 9 times what the calls take; the second expected half of it.
  const PlanRun one{.steps = 2, .predicted_seconds = 8 * us, .seconds = {10 * us}};
  const PlanRun two{.steps = 5,
                    .predicted_seconds = 95 * us,
                    .predicted_gap_seconds = 5 * us,
                    .seconds = {90 * us, 100 * us, 110 * us}};
  const PlanRun three{.steps = 1, .predicted_seconds = 1 * us, .seconds = {10 * us}};
  state_gaps(plan, std::vector{one, two, three}, {});
  EXPECT_NEAR(plan.gap_seconds, 15 * us, 1e-12);
  EXPECT_NEAR(plan.seconds, 75 * us, 1e-12);
  // A faster run is noise.
  Plan same = bare;
  state_gaps(same, std::vector{PlanRun{.steps = 2, .predicted_seconds = 8, .seconds = {7}}}, {});
  EXPECT_EQ(same, bare);
  // A run of the same calls, which are known now with weights from memory.
  MeasurementSet set;
  set.add(measured(call_alone, five(6 * us)));
  const PlanRun known{.steps = 1,
                      .predicted_seconds = 2 * us,
                      .conversion_seconds = 1 * us,
                      .calls = {{call_alone, 9 * us, 4 * us}},
                      .seconds = {10 * us}};
  state_gaps(same, std::vector{known}, set);
  EXPECT_NEAR(same.gap_seconds, 60 * us * 3 / 7, 1e-12) << "7 us alone, 10 in the run";
}

}  // namespace
}  // namespace benanza::analysis
