#include "suites/verify/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

namespace benanza::verify {
namespace {

TEST(Tolerance, Fp32IsOfTheOrderOfTheTermsNotOfTheResult) {
  // Terms with a total magnitude of 100 that cancel: (16 + 10 + 100 / 256) * 2^-24 * 100 =
  // 1.573e-4, plus 2^-23 times two typical partial sums of 100 / 10.
  EXPECT_NEAR(tolerance(Precision::fp32, {0, 100}, 100), 1.59685e-4, 1e-8);
}

TEST(Tolerance, TransformsAmplifyTheErrorOfSumsAlone) {
  // 8 * 1.573e-4 + 20 * 2^-23
  EXPECT_NEAR(tolerance(Precision::fp32, {0, 100}, 100, 8), 1.26079e-3, 1e-8);
  EXPECT_DOUBLE_EQ(tolerance(Precision::fp16, {8, 0}, 1, 8), tolerance(Precision::fp16, {8, 0}, 1));
}

TEST(Tolerance, NoOtherMultipleOfTheInputsPasses) {
  // Sums of random products are multiples of 1/64, with terms of 0.32 on average: the largest layer
  // of AlexNet (9216 products) must not confuse two neighbouring values.
  EXPECT_LT(tolerance(Precision::fp32, {40, 0.32 * 9216}, 9216), 1.0 / 32);
}

TEST(Tolerance, MillionsOfTermsAreRoundedAlike) {
  // For a softmax over 3,040,000 elements, oneDNN 2.6.3 computed 1.037461e-07; exact is
  // 1.036593e-07. (16 + 1743.6 + 3,040,000 / 64) * 2^-24 of that are 3.044e-10.
  EXPECT_NEAR(tolerance(Precision::fp32, {1.036593e-07, 1.036593e-07}, 3'040'000), 3.044e-10,
              1e-13);
  // Of terms that cancel, errors do, too.
  EXPECT_NEAR(tolerance(Precision::fp32, {0, 1.036593e-07}, 3'040'000), 8.42e-11, 1e-13);
}

TEST(Tolerance, HalfPrecisionsRoundTheResult) {
  EXPECT_NEAR(tolerance(Precision::bf16, {8, 8}, 1), 8.0 / 128, 1e-4);
  EXPECT_NEAR(tolerance(Precision::fp16, {8, 8}, 1), 8.0 / 1024, 1e-4);
}

// Terms with a total magnitude of 2^20 that sum to 2^16: `alike` is 1 + 3/16. One term: (16 + 1 +
// 1.1875 / 256) * 2^-24 * 2^20 = 1.0627899169921875 for the sum, plus a unit of the stored type
// times 2^16 for storing it. 256 terms: (16 + 16 + 1.1875) * 2^-4 = 2.07421875, plus a unit times
// 2^16 + 2 * 2^20 / 16 = 3 * 2^16.
TEST(Tolerance, ByPrecisionAndLength) {
  const Element element{.value = 0x1p16, .magnitude = 0x1p20};
  const struct {
    Precision precision;
    double one_term;
    double terms_256;
  } expected[] = {
      {Precision::fp32, 1.0706024169921875, 2.09765625},          // a unit of 2^-23
      {Precision::tf32, 1.0706024169921875, 2.09765625},          // stored as fp32
      {Precision::fp16, 65.062789976596832, 194.07421880960464},  // 2^-10, and 2^-24 in all
      {Precision::bf16, 513.0627899169921875, 1538.07421875},     // 2^-7
      {Precision::fp8, 8193.0647430419922, 24578.076171875},      // 2^-3, and 2^-9 in all
      {Precision::int8, 1.5627899169921875, 2.57421875},          // half an integer
  };
  for (const auto& [precision, one_term, terms_256] : expected) {
    EXPECT_DOUBLE_EQ(tolerance(precision, element, 1), one_term) << to_string(precision);
    EXPECT_DOUBLE_EQ(tolerance(precision, element, 256), terms_256) << to_string(precision);
  }
}

// 64 partial sums: 8 typical sums of 2^20 / 16, and the result 4 times: 12 * 2^16 units in addition
// to the 2.07421875 of summing in fp32.
TEST(Tolerance, PartialSumsAreRoundedOneAfterTheOther) {
  const Element element{.value = 0x1p16, .magnitude = 0x1p20};
  EXPECT_DOUBLE_EQ(tolerance(Precision::bf16, element, 256, 1, 64), 12 * 0x1p9 + 2.07421875);
  EXPECT_DOUBLE_EQ(tolerance(Precision::int8, element, 256, 1, 64), 2.57421875);
}

// Results of cuDNN 9.14's algo_0 on an H200 for gradients of 32 and of 16 images. A sum without one
// of 16 images has an error of a quarter of a typical sum.
TEST(Tolerance, WhatAtomicAdditionsMakeOfAFilterGradientPasses) {
  const auto allowed = [](Precision precision, double value, double typical, std::int64_t length,
                          double images) {
    const double magnitude = typical * std::sqrt(static_cast<double>(length));
    return tolerance(precision, {value, magnitude}, length, 1, images);
  };
  EXPECT_GT(allowed(Precision::bf16, 120, 58, 25088, 32), 2.5);
  EXPECT_GT(allowed(Precision::bf16, -11.23438, 9.3, 1568, 32), 0.265625);
  EXPECT_GT(allowed(Precision::fp16, -13.64062, 21, 3600, 16), 0.0625);
  EXPECT_GT(allowed(Precision::fp16, 54.04688, 60.8, 15376, 16), 0.171875);
  EXPECT_GT(allowed(Precision::bf16, -0.3125, 39, 15376, 16), 0.65625);
  EXPECT_LT(allowed(Precision::bf16, 0, 39, 15376, 16), 39.0 / 4);
}

TEST(Tolerance, StatesAreRoundedToWhatProductsAreMadeOf) {
  const Element element{.value = 0, .magnitude = 0, .carried = 4};
  EXPECT_EQ(tolerance(Precision::fp32, element, 100), 0x1p-21);
  EXPECT_EQ(tolerance(Precision::tf32, element, 100), 0x1p-8);
  EXPECT_NEAR(tolerance(Precision::fp16, element, 100), 0x1p-8, 1e-6);
  EXPECT_EQ(tolerance(Precision::bf16, element, 100), 0x1p-5);
}

TEST(Tolerance, OfProductsAtFp32GrowsWithTheRootOfTheLength) {
  EXPECT_DOUBLE_EQ(fp32_product_tolerance(1 << 20, 1), 0x1p-13);  // 2^-14 + 2^10 * 2^-24
  EXPECT_DOUBLE_EQ(fp32_product_tolerance(16, 512), 0x1p-14 + 0x1p-13);
}

TEST(Tolerance, IntegersAreTheNearestOrOneOfTwo) {
  EXPECT_GE(tolerance(Precision::int8, {100.5, 100.5}, 1), 0.5);
  EXPECT_LT(tolerance(Precision::int8, {100.5, 1000}, 4608), 0.51);
}

}  // namespace
}  // namespace benanza::verify
