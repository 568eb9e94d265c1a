#include "analysis/model/collective_curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"

namespace benanza::analysis {
namespace {

TEST(CollectiveCurve, IsAPowerLawBetweenTwoSizes) {
  const CollectiveCurve curve({{100, 1}, {10000, 4}});
  // Ten times the size is half-way on a logarithmic axis: sqrt(4) times as long.
  EXPECT_DOUBLE_EQ(*curve.seconds(1000), 2);
  EXPECT_DOUBLE_EQ(*curve.seconds(100), 1);
  EXPECT_DOUBLE_EQ(*curve.seconds(10000), 4);
}

TEST(CollectiveCurve, EstimatesPowersOfTwoFromSuchAndOthersFromOthers) {
  const CollectiveCurve curve({{1024, 1}, {1200, 3}, {2048, 2}, {3000, 6}, {4096, 4}});
  EXPECT_NEAR(*curve.seconds(std::sqrt(1200.0 * 3000)), std::sqrt(18.0), 1e-12);
  // Left out, 2048 lies between 1024 and 4096.
  EXPECT_NEAR(leave_one_out(curve).at(2048), 1, 1e-12);
  // No other size that is no power of two lies above 3500, or below 1100.
  EXPECT_NEAR(*curve.seconds(std::sqrt(3000.0 * 4096)), std::sqrt(24.0), 1e-12);
  EXPECT_NEAR(*curve.seconds(std::sqrt(1024.0 * 1200)), std::sqrt(3.0), 1e-12);
  // Those of its kind are too far apart.
  const CollectiveCurve sparse({{1024, 1}, {1200, 3}, {8192, 5}});
  EXPECT_NEAR(*sparse.seconds(4096),
              3 * std::pow(5.0 / 3, std::log(4096.0 / 1200) / std::log(8192.0 / 1200)), 1e-12);
}

TEST(CollectiveCurve, SaysNothingOutside) {
  const CollectiveCurve curve({{100, 1}, {10000, 4}});
  EXPECT_FALSE(curve.seconds(99));
  EXPECT_FALSE(curve.seconds(10001));
  EXPECT_THROW(CollectiveCurve(CurvePoints{}), std::invalid_argument);
  EXPECT_THROW(CollectiveCurve(CurvePoints{{100, 0}}), std::invalid_argument);
}

TEST(CollectiveCurve, LeavesEachSizeOutButTheEnds) {
  // Half-way between 1 and 16 s is 4 s, 2 times the measured value.
  const CollectiveCurve curve({{1, 1}, {4, 2}, {16, 16}});
  EXPECT_EQ(leave_one_out(curve), (std::map<double, double>{{4, 2}}));
  EXPECT_TRUE(leave_one_out(CollectiveCurve({{1, 1}, {4, 2}})).empty());
}

TEST(CostOf, SmallMessagesAreRoundedUpAndLargeOnesAreErrors) {
  const CommunicationCost cost = cost_of(CollectiveCurve({{100, 1}, {10000, 4}}), "all_reduce, r2");
  EXPECT_DOUBLE_EQ(cost(1), 1);
  EXPECT_DOUBLE_EQ(cost(1000), 2);
  try {
    cost(20000);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("all_reduce, r2: measured up to 10000 bytes"));
    EXPECT_THAT(error.what(), testing::HasSubstr("--max-bytes=32768"));
  }
}

TEST(RingAllReduce, SendsTwiceAllButOnePart) {
  // 4 nodes: 6 steps of 10 s plus a quarter of 100 bytes at 2 s each.
  EXPECT_DOUBLE_EQ(ring_all_reduce_seconds({10, 2}, 4, 100), 6 * (10 + 50));
  EXPECT_DOUBLE_EQ(ring_all_reduce_seconds({10, 2}, 1, 100), 0);
}

}  // namespace
}  // namespace benanza::analysis
