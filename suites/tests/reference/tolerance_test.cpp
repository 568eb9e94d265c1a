#include "harness/reference/tolerance.h"

#include <gtest/gtest.h>

namespace benanza {
namespace {

TEST(Tolerance, Fp32IsOfTheOrderOfTheTermsNotOfTheResult) {
  // Terms of 100 in all that cancel: (16 + 10) * 2^-24 * 100.
  EXPECT_NEAR(tolerance(Precision::fp32, {0, 100}, 100), 26 * 100 / 16777216.0, 2e-6);
}

TEST(Tolerance, NoOtherMultipleOfTheInputsPasses) {
  // Sums of random products are multiples of 1/64 with terms of 0.32 on average: the largest layer
  // of AlexNet (9216 products) must not confuse two neighbours.
  EXPECT_LT(tolerance(Precision::fp32, {40, 0.32 * 9216}, 9216), 1.0 / 32);
}

TEST(Tolerance, HalfPrecisionsRoundTheResult) {
  EXPECT_NEAR(tolerance(Precision::bf16, {8, 8}, 1), 8.0 / 128, 1e-4);
  EXPECT_NEAR(tolerance(Precision::fp16, {8, 8}, 1), 8.0 / 1024, 1e-4);
}

TEST(Tolerance, StatesAreRoundedToWhatProductsAreMadeOf) {
  const Element element{.value = 0, .magnitude = 0, .carried = 4};
  EXPECT_EQ(tolerance(Precision::fp32, element, 100), 0x1p-21);
  EXPECT_EQ(tolerance(Precision::tf32, element, 100), 0x1p-8);
  EXPECT_NEAR(tolerance(Precision::fp16, element, 100), 0x1p-8, 1e-6);
  EXPECT_EQ(tolerance(Precision::bf16, element, 100), 0x1p-5);
}

TEST(Tolerance, IntegersAreTheNearestOrOneOfTwo) {
  EXPECT_GE(tolerance(Precision::int8, {100.5, 100.5}, 1), 0.5);
  EXPECT_LT(tolerance(Precision::int8, {100.5, 1000}, 4608), 0.51);
}

}  // namespace
}  // namespace benanza
