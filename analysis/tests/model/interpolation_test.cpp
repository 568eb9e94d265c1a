#include "analysis/model/interpolation.h"

#include <gmock/gmock.h>

namespace benanza::analysis {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// Layer 0: 1 + 2n. Layer 1: 3 * n^0.5. Layer 2: free.
const BatchGrid grid{{1, {3, 3, 0}}, {4, {9, 6, 0}}, {16, {33, 12, 0}}};

TEST(Interpolated, IsExactForWhatItAssumes) {
  EXPECT_THAT(*interpolated(grid, 2, Between::affine),
              ElementsAre(DoubleNear(5, 1e-12), DoubleNear(4, 1e-12), 0));
  // Layer 0: 3 * 3^(1/2), since 2 is half-way between 1 and 4 on a logarithmic axis.
  EXPECT_THAT(*interpolated(grid, 2, Between::power_law),
              ElementsAre(DoubleNear(5.196152423, 1e-9), DoubleNear(4.242640687, 1e-9), 0));
}

TEST(Interpolated, TakesWhatWasMeasuredAsItIs) {
  EXPECT_EQ(*interpolated(grid, 4, Between::affine), grid.at(4));
}

TEST(Interpolated, SaysNothingOutsideOfTheGrid) {
  EXPECT_FALSE(interpolated(grid, 32, Between::affine));
  EXPECT_FALSE(interpolated({{2, {1}}, {4, {2}}}, 1, Between::power_law));
  EXPECT_FALSE(interpolated({}, 1, Between::affine));
}

TEST(LeaveOneOut, EstimatesEveryInnerSizeFromTheOthers) {
  // Batch 4 from 1 and 16: layer 0 is 3 + 30 * 3 / 15 = 9, exact; layer 1 is 3 + 9 * 3 / 15 = 4.8
  // instead of 6.
  const LeaveOneOut affine = leave_one_out(grid, Between::affine);
  EXPECT_THAT(affine.layer_errors, ElementsAre(DoubleNear(0, 1e-12), DoubleNear(0.2, 1e-12)));
  EXPECT_THAT(affine.sum_ratios, ElementsAre(Pair(4, DoubleNear(13.8 / 15, 1e-12))));
  EXPECT_THAT(leave_one_out({{1, {1}}, {2, {2}}}, Between::affine).layer_errors, IsEmpty());
}

TEST(Better, IsTheOneWithTheSmallerError) {
  EXPECT_EQ(better({{1, {3}}, {4, {9}}, {16, {33}}}), Between::affine);
  EXPECT_EQ(better({{1, {3}}, {4, {6}}, {16, {12}}}), Between::power_law);
  EXPECT_EQ(better({{1, {3}}, {4, {6}}}), Between::affine);
}

}  // namespace
}  // namespace benanza::analysis
