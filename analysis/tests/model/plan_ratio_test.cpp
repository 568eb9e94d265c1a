#include "analysis/model/plan_ratio.h"

#include <gtest/gtest.h>

#include <vector>

namespace benanza::analysis {
namespace {

double at(const PlanRatio& ratio, const std::vector<double>& place) { return ratio.at(place); }

TEST(PlanRatio, OfOnePlanIsItsOwnEverywhere) {
  EXPECT_TRUE(PlanRatio().empty());
  const PlanRatio one({{{127, 1}, 1.25}});
  EXPECT_EQ(one.plans(), 1U);
  EXPECT_DOUBLE_EQ(at(one, {127, 1}), 1.25);
  EXPECT_DOUBLE_EQ(at(one, {8191, 31}), 1.25);
}

TEST(PlanRatio, AlongAnAxisIsLinearInDoublingsAndConstantBeyond) {
  // 127, 511 and 2047 are 7, 9 and 11 doublings.
  const PlanRatio ratio({{{127, 3}, 1.0}, {{511, 3}, 1.2}, {{2047, 3}, 1.1}});
  EXPECT_NEAR(at(ratio, {127, 3}), 1.0, 1e-12);
  EXPECT_NEAR(at(ratio, {511, 3}), 1.2, 1e-12);
  EXPECT_NEAR(at(ratio, {255, 3}), 1.1, 1e-12);
  EXPECT_NEAR(at(ratio, {1023, 3}), 1.15, 1e-12);
  EXPECT_NEAR(at(ratio, {0, 3}), 1.0, 1e-12);
  EXPECT_NEAR(at(ratio, {8191, 3}), 1.1, 1e-12);
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
