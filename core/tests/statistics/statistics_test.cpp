#include "core/statistics/statistics.h"

#include <gmock/gmock.h>

#include <map>

namespace benanza {
namespace {

using testing::AnyOf;

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoMiddleValues) {
  EXPECT_DOUBLE_EQ(median(std::vector{7.0}), 7);
  EXPECT_DOUBLE_EQ(median(std::vector{9.0, 1.0, 4.0}), 4);
  EXPECT_DOUBLE_EQ(median(std::vector{10.0, 1.0, 4.0, 2.0}), 3);
}

TEST(PercentileInterval, LeavesTwoAndAHalfPercentOutAtEitherEnd) {
  // 1..200: 2.5% are 5 values, so 6 and 195 are the ends.
  std::vector<double> values;
  for (int i = 200; i >= 1; --i) values.push_back(i);
  EXPECT_EQ(percentile_interval(values), (Interval{6, 195}));
  EXPECT_EQ(percentile_interval({3, 1, 2}), (Interval{1, 3}));
}

TEST(MedianInterval, EqualSamplesHaveNoSpread) {
  EXPECT_EQ(median_interval(std::vector(5, 2.5)), (Interval{2.5, 2.5}));
}

TEST(MedianInterval, OneSampleSaysNothing) {
  EXPECT_EQ(median_interval(std::vector{2.5}), std::nullopt);
}

TEST(MedianInterval, TwoSamplesSpanBoth) {
  // A draw of two from {1, 3} is {1, 1} or {3, 3} a quarter of the time each: both far above 2.5%.
  EXPECT_EQ(median_interval(std::vector{1.0, 3.0}), (Interval{1, 3}));
}

TEST(MedianInterval, IsTheSameEveryTime) {
  const std::vector<double> samples{5, 1, 4, 2, 3, 9, 7, 8, 6};
  EXPECT_EQ(median_interval(samples), median_interval(samples));
}

TEST(MedianResampler, OfTwoIsOneOfThreeValues) {
  Random random(1);
  const std::vector<double> samples{1.0, 3.0};
  MedianResampler resampler({.samples = samples});
  for (int i = 0; i < 20; ++i) EXPECT_THAT(resampler.draw(random), AnyOf(1.0, 2.0, 3.0));
}

TEST(MedianResampler, DrawsEveryRankAsOftenAsItShould) {
  // The median of three draws from {1, 2, 3} is 1 in 7 of 27 cases, 2 in 13, 3 in 7.
  const std::vector<double> samples{3, 1, 2};
  MedianResampler resampler({.samples = samples});
  Random random(1);
  std::map<double, int> found;
  for (int i = 0; i < 27000; ++i) ++found[resampler.draw(random)];
  EXPECT_NEAR(found[1], 7000, 300);
  EXPECT_NEAR(found[2], 13000, 300);
  EXPECT_NEAR(found[3], 7000, 300);
}

TEST(MedianResampler, GroupsOfUnequalSizeAreDrawnWhole) {
  // Twice the one (median 1), twice the three (9), or one and three of them (9).
  const std::vector<double> samples{1, 9, 9, 9};
  const std::vector<std::size_t> sizes{1, 3};
  MedianResampler resampler({.samples = samples, .sizes = sizes});
  Random random(1);
  std::map<double, int> found;
  for (int i = 0; i < 4000; ++i) ++found[resampler.draw(random)];
  EXPECT_NEAR(found[1], 1000, 150);
  EXPECT_NEAR(found[9], 3000, 150);
}

TEST(MedianResampler, DrawsWholeGroups) {
  // Two repetitions that agree within, but not with each other: a draw has twice the first, twice
  // the second, or one of each, whose median is the mean of 1 and 3. Were the four samples drawn
  // alike, other mixtures would occur as often.
  const std::vector<double> samples{1, 1, 1, 3, 3, 3};
  const std::vector<std::size_t> sizes{3, 3};
  MedianResampler resampler({.samples = samples, .sizes = sizes});
  Random random(1);
  int ones = 0;
  int twos = 0;
  for (int i = 0; i < 4000; ++i) {
    const double median = resampler.draw(random);
    ones += median == 1 ? 1 : 0;
    twos += median == 2 ? 1 : 0;
  }
  EXPECT_NEAR(ones, 1000, 150);
  EXPECT_NEAR(twos, 2000, 150);
}

TEST(MedianInterval, RepetitionsThatDisagreeWidenIt) {
  std::vector<double> samples(20, 1.0);
  samples.resize(40, 2.0);
  const std::vector<std::size_t> sizes{20, 20};
  EXPECT_EQ(median_interval(Groups{.samples = samples, .sizes = sizes}), (Interval{1, 2}));
}

}  // namespace
}  // namespace benanza
