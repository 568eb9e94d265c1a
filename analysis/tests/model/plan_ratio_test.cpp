#include "analysis/model/plan_ratio.h"

#include <gtest/gtest.h>

#include <vector>

namespace benanza::analysis {
namespace {

double at(const PlanRatio& ratio, const Place& place) {
  return ratio.at(std::vector<double>(place.begin(), place.end()));
}

TEST(PlanRatio, OfOnePlanIsItsOwnEverywhere) {
  EXPECT_TRUE(PlanRatio().empty());
  const PlanRatio one({{{127, 1}, 1.25}});
  EXPECT_EQ(one.plans(), 1U);
  EXPECT_DOUBLE_EQ(at(one, {127, 1}), 1.25);
  EXPECT_DOUBLE_EQ(at(one, {8191, 31}), 1.25);
}

TEST(PlanRatio, AlongAnAxisIsLinearInDoublings) {
  // 127, 511 and 2047 are 7, 9 and 11 doublings.
  const PlanRatio ratio({{{127, 3}, 1.0}, {{511, 3}, 1.2}, {{2047, 3}, 1.1}});
  EXPECT_NEAR(at(ratio, {127, 3}), 1.0, 1e-12);
  EXPECT_NEAR(at(ratio, {511, 3}), 1.2, 1e-12);
  EXPECT_NEAR(at(ratio, {255, 3}), 1.1, 1e-12);
  EXPECT_NEAR(at(ratio, {1023, 3}), 1.15, 1e-12);
  // From end to end 0.1 in 4 doublings: 4/6 of that slope beyond.
  EXPECT_NEAR(at(ratio, {31, 3}), 1.0 - 2 * 0.025 * 4 / 6, 1e-12);
  EXPECT_NEAR(at(ratio, {8191, 3}), 1.1 + 2 * 0.025 * 4 / 6, 1e-12);
}

TEST(PlanRatio, FarFromAllPlansStaysNearTheirRange) {
  const PlanRatio ratio({{{1, 1}, 1.0}, {{3, 1}, 2.0}});
  EXPECT_DOUBLE_EQ(at(ratio, {std::int64_t{1} << 40, 1}), 4.0);
  EXPECT_DOUBLE_EQ(PlanRatio({{{1, 1}, 2.0}, {{3, 1}, 1.0}}).at(std::vector{1e12, 1.0}), 0.5);
}

TEST(PlanRatio, OfTwoPlansAnywhereIsTheMeanHalfWayBetween) {
  const PlanRatio ratio({{{127, 1}, 1.0}, {{2047, 31}, 1.2}});
  // 9 and 3 doublings: half-way between (7, 1) and (11, 5). So is every point as far from both.
  EXPECT_NEAR(at(ratio, {511, 7}), 1.1, 1e-12);
  EXPECT_NEAR(at(ratio, {2047, 1}), 1.1, 1e-12);
}

TEST(PlanRatio, OfEqualRatiosIsThatRatio) {
  const PlanRatio ratio({{{127, 1}, 1.1}, {{127, 7}, 1.1}, {{2047, 1}, 1.1}, {{500, 2}, 1.1}});
  EXPECT_NEAR(at(ratio, {800, 3}), 1.1, 1e-12);
  EXPECT_NEAR(at(ratio, {9000, 64}), 1.1, 1e-12);
}

}  // namespace
}  // namespace benanza::analysis
