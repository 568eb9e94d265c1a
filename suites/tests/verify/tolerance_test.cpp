#include "suites/verify/tolerance.h"

#include <gtest/gtest.h>

namespace benanza {
namespace {

TEST(Tolerance, Fp32IsOfTheOrderOfTheTermsNotOfTheResult) {
  // Terms of 100 in all that cancel: (16 + 10 + 100 / 256) * 2^-24 * 100.
  EXPECT_NEAR(tolerance(Precision::fp32, {0, 100}, 100), 26.390625 * 100 / 16777216.0, 2e-6);
}

TEST(Tolerance, TransformsAmplifyTheErrorOfSumsAlone) {
  EXPECT_NEAR(tolerance(Precision::fp32, {0, 100}, 100, 8), 8 * 26.390625 * 100 / 16777216.0, 2e-6);
  EXPECT_DOUBLE_EQ(tolerance(Precision::fp16, {8, 0}, 1, 8), tolerance(Precision::fp16, {8, 0}, 1));
}

TEST(Tolerance, NoOtherMultipleOfTheInputsPasses) {
  // Sums of random products are multiples of 1/64 with terms of 0.32 on average: the largest layer
  // of AlexNet (9216 products) must not confuse two neighbours.
  EXPECT_LT(tolerance(Precision::fp32, {40, 0.32 * 9216}, 9216), 1.0 / 32);
}

TEST(Tolerance, MillionsOfTermsAreRoundedAlike) {
  // oneDNN 2.6.3 computed 1.036983e-07 of a softmax over 3,040,000 elements, 1.036593e-07 exactly.
  EXPECT_GT(tolerance(Precision::fp32, {1.036593e-07, 1.036593e-07}, 3'040'000), 3.9e-11);
  EXPECT_LT(tolerance(Precision::fp32, {1.036593e-07, 1.036593e-07}, 3'040'000), 1.036593e-10);
}

TEST(Tolerance, HalfPrecisionsRoundTheResult) {
  EXPECT_NEAR(tolerance(Precision::bf16, {8, 8}, 1), 8.0 / 128, 1e-4);
  EXPECT_NEAR(tolerance(Precision::fp16, {8, 8}, 1), 8.0 / 1024, 1e-4);
}

// Terms of 100 in all that sum to 2: a unit of the stored type of 2 and of a typical partial sum,
// and the rounding of fp32 sums, which grows with the root of their length, and at last with it.
TEST(Tolerance, ByPrecisionAndLength) {
  const Element element{.value = 2, .magnitude = 100};
  const auto sums = [](double root) { return (16 + root + root * root / 256) * 100 / 16777216; };
  const struct {
    Precision precision;
    double unit;
    double smallest;
  } stored[] = {{Precision::fp32, 1.0 / 8388608, 0},
                {Precision::tf32, 1.0 / 8388608, 0},
                {Precision::fp16, 1.0 / 1024, 1.0 / 16777216},
                {Precision::bf16, 1.0 / 128, 0},
                {Precision::fp8, 1.0 / 8, 1.0 / 512}};
  for (const auto& [precision, unit, smallest] : stored) {
    EXPECT_DOUBLE_EQ(tolerance(precision, element, 1), smallest + unit * 2 + sums(1));
    EXPECT_DOUBLE_EQ(tolerance(precision, element, 100), smallest + unit * (2 + 10) + sums(10));
    EXPECT_DOUBLE_EQ(tolerance(precision, element, 10000), smallest + unit * (2 + 1) + sums(100));
  }
  EXPECT_DOUBLE_EQ(tolerance(Precision::int8, element, 10000), 0.5 + sums(100));
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
