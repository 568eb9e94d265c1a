#include "analysis/model/interpolation.h"

#include <gmock/gmock.h>

namespace benanza::analysis {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

// Layer 0: 1 + 2n. Layer 1: 3 * n^0.5. Layer 2: free.
const Grid grid{{{1}, {3, 3, 0}}, {{4}, {9, 6, 0}}, {{16}, {33, 12, 0}}};

std::vector<Axis> axes_of(const std::vector<Between>& laws) {
  std::vector<Axis> axes;
  for (const Between law : laws) axes.push_back({.law = law});
  return axes;
}

std::vector<Between> laws_of(const Grid& points) {
  std::vector<Between> laws;
  for (const Axis& axis : better(points)) laws.push_back(axis.law);
  return laws;
}

std::optional<LayerSeconds> at(const Grid& points, std::vector<double> place,
                               const std::vector<Between>& between) {
  return interpolated(points, place, axes_of(between));
}

TEST(Interpolated, IsExactForWhatItAssumes) {
  EXPECT_THAT(*at(grid, {2}, {Between::affine}),
              ElementsAre(DoubleNear(5, 1e-12), DoubleNear(4, 1e-12), 0));
  // Layer 0: 3 * 3^(1/2), since 2 is half-way between 1 and 4 on a logarithmic axis.
  EXPECT_THAT(*at(grid, {2}, {Between::power_law}),
              ElementsAre(DoubleNear(5.196152423, 1e-9), DoubleNear(4.242640687, 1e-9), 0));
}

TEST(Interpolated, TakesWhatWasMeasuredAsItIs) {
  EXPECT_EQ(*at(grid, {4}, {Between::affine}), grid.at({4}));
}

TEST(Interpolated, SaysNothingOutsideOfTheGrid) {
  EXPECT_FALSE(at(grid, {32}, {Between::affine}));
  EXPECT_FALSE(at({{{2}, {1}}, {{4}, {2}}}, {1}, {Between::power_law}));
  EXPECT_FALSE(at({}, {1}, {Between::affine}));
}

// 10 + 2x + 3y + xy at x in {0, 4}, y in {1, 3}, which is linear along each axis.
const Grid plane{{{0, 1}, {13}}, {{0, 3}, {19}}, {{4, 1}, {25}}, {{4, 3}, {39}}};

TEST(Interpolated, OverTwoAxesIsMultilinear) {
  const std::vector<Between> affine(2, Between::affine);
  // 10 + 2 * 1 + 3 * 2 + 1 * 2 = 20.
  EXPECT_THAT(*at(plane, {1, 2}, affine), ElementsAre(DoubleNear(20, 1e-12)));
  EXPECT_THAT(*at(plane, {4, 2}, affine), ElementsAre(DoubleNear(32, 1e-12)));
  EXPECT_FALSE(at(plane, {1, 4}, affine)) << "outside on one axis";
  // A single value on an axis: only there.
  EXPECT_THAT(*at({{{0, 8}, {1}}, {{2, 8}, {3}}}, {1, 8}, affine), ElementsAre(2));
  EXPECT_FALSE(at({{{0, 8}, {1}}, {{2, 8}, {3}}}, {1, 7}, affine));
}

TEST(Interpolated, EachAxisHasItsLaw) {
  // 2x on the first axis; y^2 on the second: 2 * 3 * 2^2 = 24.
  const Grid mixed{{{1, 1}, {2}}, {{1, 4}, {32}}, {{5, 1}, {10}}, {{5, 4}, {160}}};
  EXPECT_THAT(*at(mixed, {3, 2}, {Between::affine, Between::power_law}),
              ElementsAre(DoubleNear(24, 1e-9)));
}

// 2 + n up to 4, where a window ends, for the first layer; 2 + n for the other one.
TEST(Interpolated, StaysTheSameBeyondALayersLimit) {
  const Grid points{{{1}, {3, 3}}, {{16}, {6, 18}}};
  const std::vector<Axis> axes{{.limits = {4}}};
  EXPECT_THAT(*interpolated(points, std::vector{2.0}, axes), ElementsAre(4, 4));
  EXPECT_THAT(*interpolated(points, std::vector{8.0}, axes), ElementsAre(6, 10));
  // Over 1 to 4 the mean is 4.5, and 6 over the other 12 of 15.
  EXPECT_THAT(*mean_along(points, {0}, 0, 1, 16, axes),
              ElementsAre(DoubleNear(5.7, 1e-12), DoubleNear(10.5, 1e-12)));
  // Both measured beyond it: what they differ by is noise.
  EXPECT_THAT(*interpolated({{{8}, {6}}, {{16}, {7}}}, std::vector{12.0}, axes), ElementsAre(6.5));
}

TEST(Interpolated, PassesOverAPointThatWasNotMeasured) {
  // t = x + y; {2, 3} is missing, and the next neighbour on the first axis has it.
  const Grid ragged{{{0, 1}, {1}}, {{0, 3}, {3}}, {{2, 1}, {3}}, {{4, 1}, {5}}, {{4, 3}, {7}}};
  EXPECT_THAT(*at(ragged, {1, 2}, std::vector(2, Between::affine)),
              ElementsAre(DoubleNear(3, 1e-12)));
}

// t = x y^2; {2, 3} is missing. Along y, affine laws would say 9.
TEST(Interpolated, TheFirstAxisComesFirst) {
  const Grid cross{{{1, 1}, {1}}, {{1, 3}, {9}}, {{2, 1}, {2}}, {{2, 4}, {32}}, {{4, 3}, {36}}};
  EXPECT_THAT(*at(cross, {2, 3}, std::vector(2, Between::affine)),
              ElementsAre(DoubleNear(18, 1e-12)));
}

TEST(Interpolated, WhatIsEqualAtBothEndsIsConstant) {
  EXPECT_EQ(at({{{1}, {0.1}}, {{3}, {0.1}}}, {2}, {Between::power_law}), LayerSeconds{0.1});
}

TEST(MeanAlong, IsAnIntegralAndNotTheMiddle) {
  const std::vector<Axis> affine(1);
  // 10 at 0, 20 at 10, 60 at 30: from 0 to 30, (10 * 15 + 20 * 40) / 30; the middle has 30.
  const Grid bend{{{0}, {10}}, {{10}, {20}}, {{30}, {60}}};
  EXPECT_THAT(*mean_along(bend, {0}, 0, 0, 30, affine), ElementsAre(DoubleNear(95.0 / 3, 1e-12)));
  // From 5 to 15: (5 * 17.5 + 5 * 25) / 10.
  EXPECT_THAT(*mean_along(bend, {0}, 0, 5, 15, affine), ElementsAre(DoubleNear(21.25, 1e-12)));
  EXPECT_THAT(*mean_along(bend, {0}, 0, 5, 5, affine), ElementsAre(DoubleNear(15, 1e-12)));
  EXPECT_FALSE(mean_along(bend, {0}, 0, 20, 31, affine));
  // n^2 from 1 to 4: (64 - 1) / 3 / 3.
  EXPECT_THAT(*mean_along({{{1}, {1}}, {{4}, {16}}}, {0}, 0, 1, 4, axes_of({Between::power_law})),
              ElementsAre(DoubleNear(7, 1e-6)));
}

TEST(MeanAlong, TheOtherAxisStays) {
  // 10 + 2x + 3y + xy from x = 1 to 3 at y = 2: as at x = 2, 10 + 4 + 6 + 4.
  EXPECT_THAT(*mean_along(plane, {0, 2}, 0, 1, 3, std::vector<Axis>(2)),
              ElementsAre(DoubleNear(24, 1e-12)));
}

TEST(LeaveOneOut, EstimatesEveryInnerSizeFromTheOthers) {
  // Batch 4 from 1 and 16: layer 0 is 3 + 30 * 3 / 15 = 9, exact; layer 1 is 3 + 9 * 3 / 15 = 4.8
  // instead of 6.
  const std::vector<Axis> affine(1);
  const std::vector<LeftOutPoint> found = leave_one_out(grid, affine);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].place, Place{4});
  EXPECT_EQ(found[0].below, 1);
  EXPECT_EQ(found[0].above, 16);
  EXPECT_THAT(found[0].layer_errors, ElementsAre(DoubleNear(0, 1e-12), DoubleNear(0.2, 1e-12)));
  EXPECT_NEAR(*found[0].sum_ratio, 13.8 / 15, 1e-12);
  EXPECT_THAT(leave_one_out({{{1}, {1}}, {{2}, {2}}}, affine), IsEmpty());
}

TEST(LeaveOneOut, GoesAlongEachAxis) {
  // A row of three on the first axis; on the second, only two.
  const Grid cross{{{1, 1}, {1, 5}}, {{2, 1}, {4, 5}}, {{3, 1}, {3, 5}}, {{2, 2}, {9, 9}}};
  const std::vector<LeftOutPoint> found = leave_one_out(cross, std::vector<Axis>(2));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].place, (Place{2, 1}));
  EXPECT_EQ(found[0].axis, 0U);
  // (1 + 3) / 2 instead of 4; the layer that is 5 everywhere needs no estimate.
  EXPECT_THAT(found[0].layer_errors, ElementsAre(DoubleNear(0.5, 1e-12)));
  EXPECT_NEAR(*found[0].sum_ratio, 7.0 / 9, 1e-12);
}

TEST(Better, IsTheOneWithTheSmallerErrorOnEachAxis) {
  EXPECT_THAT(laws_of({{{1}, {3}}, {{4}, {9}}, {{16}, {33}}}), ElementsAre(Between::affine));
  EXPECT_THAT(laws_of({{{1}, {3}}, {{4}, {6}}, {{16}, {12}}}), ElementsAre(Between::power_law));
  EXPECT_THAT(laws_of({{{1}, {3}}, {{4}, {6}}}), ElementsAre(Between::affine));
  // Two short layers are power laws, a long one is affine: 1 + 2x.
  EXPECT_THAT(laws_of({{{1}, {.1, .1, 3}}, {{4}, {.2, .2, 9}}, {{16}, {.4, .4, 33}}}),
              ElementsAre(Between::affine));
  // (1 + 2x) * sqrt(y).
  Grid both;
  for (const std::int64_t x : {1, 4, 16}) {
    for (const std::int64_t y : {1, 4, 16}) {
      both[{x, y}] = {(1.0 + 2.0 * static_cast<double>(x)) * (y == 1 ? 1 : y == 4 ? 2 : 4)};
    }
  }
  EXPECT_THAT(laws_of(both), ElementsAre(Between::affine, Between::power_law));
}

}  // namespace
}  // namespace benanza::analysis
