#include "core/statistics/summary.h"

#include <gmock/gmock.h>

#include <random>

namespace benanza {
namespace {

using testing::ElementsAre;

// Medians of six processes of one ONNX Runtime, in ms: the gap is 0.748, the groups are 0.039 and
// 0.072 wide.
TEST(TwoGroups, OfSixProcesses) {
  const std::vector<double> medians{1.103, 1.931, 1.111, 1.072, 1.898, 1.859};
  const auto groups = two_groups(medians);
  ASSERT_TRUE(groups);
  EXPECT_THAT(groups->low, ElementsAre(1.072, 1.103, 1.111));
  EXPECT_THAT(groups->high, ElementsAre(1.859, 1.898, 1.931));
  EXPECT_TRUE(groups->are_modes());
}

TEST(TwoGroups, OneValueApartIsNoMode) {
  for (const auto& values : {std::vector{1.0, 1.01, 1.9, 1.02, 0.99}, {2.0, 2.01, 1.2, 2.02}}) {
    const auto groups = two_groups(values);
    ASSERT_TRUE(groups);
    EXPECT_FALSE(groups->are_modes());
  }
}

TEST(TwoGroups, NoneWithoutAGap) {
  EXPECT_FALSE(two_groups(std::vector{1.0, 1.1, 1.2, 1.3, 1.4, 1.5}));
  EXPECT_FALSE(two_groups(std::vector{1.0, 1.0, 1.5, 1.5, 2.0, 2.0}));  // three
  EXPECT_FALSE(two_groups(std::vector{1.0, 1.0, 1.0, 1.0, 1.0}));
  // 9% apart, and groups of no width.
  EXPECT_FALSE(two_groups(std::vector{1.0, 1.0, 1.0, 1.09, 1.09}));
  EXPECT_TRUE(two_groups(std::vector{1.0, 1.0, 1.0, 1.11, 1.11}));
  // Gaps of 0.29 and 0.31 beside a group that is 0.15 wide.
  EXPECT_FALSE(two_groups(std::vector{1.0, 1.15, 1.44, 1.44, 1.44}));
  EXPECT_TRUE(two_groups(std::vector{1.0, 1.15, 1.46, 1.46, 1.46}));
}

TEST(TwoGroups, NoneOfFewValues) {
  EXPECT_FALSE(two_groups({}));
  EXPECT_FALSE(two_groups(std::vector{1.0}));
  EXPECT_FALSE(two_groups(std::vector{1.0, 1.0, 2.0}));
  EXPECT_TRUE(two_groups(std::vector{1.0, 1.0, 2.0, 2.0}));
}

TEST(TwoGroups, NoiseHasSeldomTwoModes) {
  std::mt19937 random(20200518);
  std::normal_distribution<double> normal(1, 0.05);
  int found = 0;
  constexpr int times = 2000;
  for (int i = 0; i < times; ++i) {
    std::vector<double> values(5);
    for (double& value : values) value = normal(random);
    const auto groups = two_groups(values);
    found += groups && groups->are_modes() ? 1 : 0;
  }
  EXPECT_LT(found, times / 50);
}

}  // namespace
}  // namespace benanza
