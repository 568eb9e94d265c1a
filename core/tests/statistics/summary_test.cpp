#include "core/statistics/summary.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace benanza {
namespace {

TEST(Summary, MedianIsTheMiddleOrTheMeanOfTheTwoMiddleValues) {
  EXPECT_EQ(median(std::vector<double>{3}), 3);
  EXPECT_EQ(median(std::vector<double>{9, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{9, 1, 2, 4}), 3);
}

// Runs of 3 ms among programs that take the processor for 4 ms at a time.
TEST(Summary, OfInterruptedRunsTheLeastIsTypical) {
  const std::vector<double> interrupted{7.4, 3.4, 11.3, 7.5};
  EXPECT_TRUE(are_interrupted(interrupted));
  EXPECT_EQ(typical(interrupted), 3.4);
  const std::vector<double> few{3.1, 3.0, 11.3};
  EXPECT_FALSE(are_interrupted(few));
  EXPECT_EQ(typical(few), 3.1);
}

TEST(Summary, MeanAndCoefficientOfVariation) {
  // 2, 4, 6: mean 4, sample variance (4 + 0 + 4) / 2 = 4, deviation 2.
  const std::vector<double> values{2, 4, 6};
  EXPECT_EQ(mean(values), 4);
  EXPECT_DOUBLE_EQ(coefficient_of_variation(values), 0.5);
  EXPECT_EQ(coefficient_of_variation(std::vector<double>{5}), 0);
}

/// 1, 2, ..., n: each value is its own rank.
std::vector<double> ranks(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.rbegin(), values.rend(), 1.0);
  return values;
}

TEST(OrderStatisticInterval, FollowsTheBinomialTable) {
  // P(B(5) <= 0) = 3.1%, P(B(6) <= 0) = 1.6%, P(B(8) <= 1) = 3.5%, P(B(9) <= 1) = 2.0%,
  // P(B(12) <= 2) = 1.9%, P(B(100) <= 39) = 1.76%, P(B(100) <= 40) = 2.84%.
  EXPECT_TRUE(std::isinf(order_statistic_interval(ranks(5)).low));
  EXPECT_TRUE(std::isinf(order_statistic_interval(ranks(5)).high));
  const auto expect = [](std::size_t n, double low, double high) {
    const Interval interval = order_statistic_interval(ranks(n));
    EXPECT_EQ(interval.low, low) << n;
    EXPECT_EQ(interval.high, high) << n;
  };
  expect(6, 1, 6);
  expect(8, 1, 8);
  expect(9, 2, 8);
  expect(12, 3, 10);
  expect(100, 40, 61);
}

TEST(OrderStatisticInterval, OfManyValuesUsesTheNormalLimit) {
  // 5000 - 1.96 * sqrt(10000) / 2 = 4902.
  const Interval interval = order_statistic_interval(ranks(10000));
  EXPECT_EQ(interval.low, 4902);
  EXPECT_EQ(interval.high, 10000 - 4902 + 1);
}

}  // namespace
}  // namespace benanza
