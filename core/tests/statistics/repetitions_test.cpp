#include "core/statistics/repetitions.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace benanza {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(TrimmedMean, LeavesTheLowestAndHighestFifthOut) {
  const std::vector<double> one{3};
  const std::vector<double> two{3, 5};
  const std::vector<double> five{100, 2, 3, 4, 0};
  const std::vector<double> ten{0, 0, 1, 2, 3, 4, 5, 6, 90, 90};
  EXPECT_EQ(trimmed_mean(one), 3);
  EXPECT_EQ(trimmed_mean(two), 4);
  EXPECT_EQ(trimmed_mean(five), 3);
  EXPECT_EQ(trimmed_mean(ten), 3.5);
}

TEST(TrimmedMean, OneStalledRepetitionDoesNotMoveIt) {
  const std::vector<double> calm{1.0, 1.1, 1.2, 1.3, 1.4};
  const std::vector<double> stalled{1.0, 1.1, 1.2, 1.3, 12};
  EXPECT_EQ(trimmed_mean(calm), trimmed_mean(stalled));
}

TEST(Winsorized, PullsTheOutermostInWithoutChangingTheOrder) {
  const std::vector<double> values{12, 1, 3, 2, 4};
  EXPECT_THAT(winsorized(values), ElementsAre(4, 2, 3, 2, 4));
}

TEST(RepetitionSum, OfOneLayerByHand) {
  // 5 values, 3 kept: sum of squares of (2, 2, 3, 4, 4) about 3 is 4, variance 4 / (3 * 2).
  RepetitionSum sum;
  sum.add(std::vector<double>{1, 2, 3, 4, 9});
  const auto found = sum.estimate();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->value, 3);
  EXPECT_DOUBLE_EQ(found->standard_error, std::sqrt(4.0 / 6));
  EXPECT_DOUBLE_EQ(found->degrees, 2);
  // t(2, 97.5%) = 4.302653
  EXPECT_THAT(found->interval().low, DoubleNear(3 - 4.302653 * std::sqrt(4.0 / 6), 1e-5));
  EXPECT_THAT(found->interval().high, DoubleNear(3 + 4.302653 * std::sqrt(4.0 / 6), 1e-5));
}

TEST(RepetitionSum, LayersThatVaryAgainstEachOtherCancel) {
  RepetitionSum sum;
  sum.add(std::vector<double>{1, 2, 3, 4, 5});
  sum.add(std::vector<double>{5, 4, 3, 2, 1});
  EXPECT_EQ(sum.estimate()->value, 6);
  EXPECT_EQ(sum.estimate()->standard_error, 0);
  EXPECT_EQ(sum.estimate()->degrees, 4);
}

TEST(RepetitionSum, FourRepetitionsAreTooFew) {
  RepetitionSum sum;
  EXPECT_FALSE(sum.estimate());
  sum.add(std::vector<double>{1, 1, 1, 1, 1});
  EXPECT_TRUE(sum.estimate());
  sum.add(std::vector<double>{1, 1, 1, 1});
  EXPECT_FALSE(sum.estimate());
  EXPECT_EQ(sum.value(), 2);
  EXPECT_FALSE(log_time(std::vector<double>{1, 1, 1, 1}));
  EXPECT_FALSE(log_time({}));
}

TEST(Difference, HasWelchsDegreesOfFreedom) {
  const Uncertain a{.value = 3, .standard_error = 1, .degrees = 2};
  const Uncertain b{.value = 1, .standard_error = 1, .degrees = 2};
  const Uncertain found = difference(a, b);
  EXPECT_EQ(found.value, 2);
  EXPECT_DOUBLE_EQ(found.standard_error, std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(found.degrees, 4);  // (1 + 1)^2 / (1/2 + 1/2)
}

TEST(Uncertain, ProbabilityAboveALimit) {
  // P(t(2) > 2.919986) = 5%
  const Uncertain found{.value = 2.919986, .standard_error = 1, .degrees = 2};
  EXPECT_THAT(found.probability_above(0), DoubleNear(0.05, 1e-6));
  EXPECT_EQ((Uncertain{.value = 1}.probability_above(0.5)), 0);
  EXPECT_EQ((Uncertain{.value = 1}.probability_above(1)), 1);
}

TEST(Holm, ByHand) {
  // Sorted 0.01 0.02 0.04: 3 x 0.01, 2 x 0.02, max(0.04, 1 x 0.04).
  const std::vector<double> found = holm_adjusted(std::vector<double>{0.04, 0.01, 0.02});
  EXPECT_THAT(found, ElementsAre(DoubleNear(0.04, 1e-12), DoubleNear(0.03, 1e-12),
                                 DoubleNear(0.04, 1e-12)));
  EXPECT_THAT(holm_adjusted(std::vector<double>{0.9, 0.8}), ElementsAre(1, 1));
}

TEST(SignedRank, ByHand) {
  EXPECT_EQ(signed_rank_probability({}), 1);
  // All of 5 above zero: one of 2^5 assignments of signs.
  EXPECT_DOUBLE_EQ(signed_rank_probability(std::vector<double>{1, 2, 3, 4, 5}), 1.0 / 32);
  // The smallest one below: 2 of 32 assignments, with rank sums 15 and 14, are at least this far.
  EXPECT_DOUBLE_EQ(signed_rank_probability(std::vector<double>{-1, 2, 3, 4, 5}), 2.0 / 32);
  EXPECT_DOUBLE_EQ(signed_rank_probability(std::vector<double>{-1, -2, -3}), 1);
}

TEST(SignedRank, TheApproximationMeetsTheExactValue) {
  std::vector<double> differences(60);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    differences[i] = (i % 3 == 0 ? -1.0 : 1.0) * static_cast<double>(i + 1);
  }
  const double exact = signed_rank_probability(differences);
  differences.push_back(1e-9);  // 61: beyond the exact limit, its rank the lowest
  EXPECT_THAT(signed_rank_probability(differences), DoubleNear(exact, 0.1 * exact));
}

/// Simulates measurements: each repetition has its own state, and samples vary about it.
class Simulation {
 public:
  double repetition_median(double between, double within) {
    std::normal_distribution<double> state(0, between);
    std::normal_distribution<double> noise(0, within);
    const double shift = state(random_);
    std::vector<double> samples(20);
    for (double& sample : samples) sample = std::exp(shift + noise(random_));
    return median(samples);
  }

 private:
  std::mt19937_64 random_{20200518};
};

struct Spread {
  std::size_t repetitions;
  double between;
  double within;
};

class Coverage : public testing::TestWithParam<Spread> {};

TEST_P(Coverage, OfALayersTimeIs95Percent) {
  Simulation simulation;
  constexpr int runs = 20000;
  int covered = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> medians(GetParam().repetitions);
    for (double& value : medians) {
      value = simulation.repetition_median(GetParam().between, GetParam().within);
    }
    const Interval interval = log_time(medians)->interval();
    if (interval.low <= 0 && 0 <= interval.high) ++covered;  // the true median is 1
  }
  const double share = covered / static_cast<double>(runs);
  EXPECT_GE(share, 0.93);
  EXPECT_LE(share, 0.97);
}

TEST_P(Coverage, OfASumOverLayersIs95Percent) {
  Simulation simulation;
  constexpr int runs = 3000;
  constexpr int layers = 8;
  int covered = 0;
  for (int run = 0; run < runs; ++run) {
    RepetitionSum sum;
    const bool together = run % 2 == 0;
    std::vector<double> shared(GetParam().repetitions);
    for (double& value : shared) {
      value = simulation.repetition_median(GetParam().between, GetParam().within);
    }
    for (int layer = 0; layer < layers; ++layer) {
      std::vector<double> medians = shared;
      for (double& value : medians) {
        const double own = simulation.repetition_median(GetParam().between, GetParam().within);
        value = together ? value * std::sqrt(own) : own;
      }
      sum.add(medians);
    }
    const Interval interval = sum.estimate()->interval();
    if (interval.low <= layers && layers <= interval.high) ++covered;
  }
  const double share = covered / static_cast<double>(runs);
  EXPECT_GE(share, 0.93);
  EXPECT_LE(share, 0.97);
}

INSTANTIATE_TEST_SUITE_P(Repetitions, Coverage,
                         testing::Values(Spread{5, 0.02, 0.02}, Spread{5, 0.05, 0.01},
                                         Spread{7, 0.03, 0.01}, Spread{10, 0.02, 0.02},
                                         Spread{20, 0.05, 0.02}),
                         [](const auto& info) {
                           return std::to_string(info.param.repetitions) + "_" +
                                  std::to_string(static_cast<int>(info.param.between * 100)) + "_" +
                                  std::to_string(static_cast<int>(info.param.within * 100));
                         });

TEST(Coverage, RepetitionsThatAreNotNormalAreNoExcuse) {
  // One repetition in ten stalls to ten times its time.
  std::mt19937_64 random(7);
  std::normal_distribution<double> state(0, 0.02);
  std::uniform_int_distribution<int> one_in_ten(0, 9);
  constexpr int runs = 4000;
  int covered = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> medians(10);
    for (double& value : medians)
      value = std::exp(state(random)) * (one_in_ten(random) == 0 ? 10 : 1);
    const Interval interval = log_time(medians)->interval();
    if (interval.low <= 0.01 && -0.01 <= interval.high) ++covered;
  }
  EXPECT_GE(covered / static_cast<double>(runs), 0.93);
}

TEST(Holm, NoAlarmsWhereNothingDiffers) {
  // 500 problems, 5 repetitions against 5, 200 runs: at 1%, two runs may raise an alarm.
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 0.05);
  int alarms = 0;
  for (int run = 0; run < 200; ++run) {
    std::vector<double> probabilities(500);
    for (double& probability : probabilities) {
      std::vector<double> a(5);
      std::vector<double> b(5);
      for (double& value : a) value = std::exp(noise(random));
      for (double& value : b) value = std::exp(noise(random));
      probability = difference(*log_time(a), *log_time(b)).probability_above(std::log(1.02));
    }
    for (const double adjusted : holm_adjusted(probabilities)) {
      if (adjusted < 0.01) {
        ++alarms;
        break;
      }
    }
  }
  EXPECT_LE(alarms, 4);
}

/// Estimates of zero from five values each, with standard deviation 1, or those in `deviations` in
/// turn.
std::vector<Uncertain> estimates_of_zero(std::mt19937& random, std::size_t count,
                                         const std::vector<double>& deviations = {1}) {
  std::vector<Uncertain> estimates;
  for (std::size_t i = 0; i < count; ++i) {
    std::normal_distribution<double> noise(0, deviations[i % deviations.size()]);
    std::vector<double> values(5);
    for (double& value : values) value = noise(random);
    RepetitionSum sum;
    sum.add(values);
    estimates.push_back(*sum.estimate());
  }
  return estimates;
}

std::size_t covering_zero(const std::vector<Uncertain>& estimates) {
  std::size_t count = 0;
  for (const Uncertain& one : estimates) {
    count += one.interval().low <= 0 && 0 <= one.interval().high ? 1 : 0;
  }
  return count;
}

TEST(Moderate, EqualErrorsAreSharedAndIntervalsShrinkWithoutLosingCoverage) {
  std::mt19937 random(3);
  std::vector<Uncertain> estimates = estimates_of_zero(random, 4000);
  double before = 0;
  for (const Uncertain& one : estimates) before += one.interval().high - one.interval().low;
  moderate(estimates);
  double after = 0;
  for (const Uncertain& one : estimates) after += one.interval().high - one.interval().low;
  EXPECT_GT(estimates[0].degrees, 8);
  EXPECT_LT(after, 0.7 * before);
  EXPECT_NEAR(static_cast<double>(covering_zero(estimates)) / 4000, 0.95, 0.02);
}

TEST(Moderate, ErrorsThatDifferAreSharedLess) {
  std::mt19937 random(4);
  std::vector<Uncertain> estimates = estimates_of_zero(random, 4000, {1, 30});
  moderate(estimates);
  EXPECT_LT(estimates[0].degrees, 6);
  EXPECT_GE(static_cast<double>(covering_zero(estimates)) / 4000, 0.93);
}

TEST(Moderate, FewEstimatesStayAsTheyAre) {
  std::vector<Uncertain> estimates(19, {.value = 1, .standard_error = 1, .degrees = 2});
  estimates[0].standard_error = 100;
  moderate(estimates);
  EXPECT_DOUBLE_EQ(estimates[0].standard_error, 100);
  EXPECT_DOUBLE_EQ(estimates[0].degrees, 2);
}

}  // namespace
}  // namespace benanza
