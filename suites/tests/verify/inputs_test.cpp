#include "suites/verify/inputs.h"
#include "suites/harness/int8_scale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "suites/harness/primitive.h"
#include "suites/tests/verify/reference_primitive.h"
#include "suites/verify/reference.h"

namespace benanza::verify {
namespace {

std::vector<std::vector<float>> inputs_of(const char* key, Precision precision) {
  return inputs_for(parse(key), precision, 1);
}

TEST(Inputs, AreEighthsWithoutZero) {
  const auto operands = inputs_of("gemm/m50_n20_k30_nn_bias", Precision::bf16);
  ASSERT_EQ(operands.size(), 3U);
  EXPECT_EQ(operands[0].size(), 1500U);
  EXPECT_EQ(operands[1].size(), 600U);
  EXPECT_EQ(operands[2].size(), 20U);
  const std::set<float> values(operands[0].begin(), operands[0].end());
  EXPECT_EQ(values.size(), 16U);
  EXPECT_EQ(*values.begin(), -1);
  EXPECT_EQ(*values.rbegin(), 1);
  EXPECT_EQ(values.count(0), 0U);
  for (const float value : values) EXPECT_EQ(value * 8, std::round(value * 8));
}

TEST(Inputs, ASparseMatrixHasAsManyElementsAsItsProblemSays) {
  for (const Precision precision : {Precision::fp32, Precision::bf16}) {
    const auto operands = inputs_of("spmm/m40_n2_k50_z100", precision);
    ASSERT_EQ(operands[1].size(), 2000U);
    EXPECT_EQ(std::count(operands[1].begin(), operands[1].end(), 0.0F), 1900);
    EXPECT_EQ(std::count(operands[0].begin(), operands[0].end(), 0.0F), 0);
    // Random, not a pattern: a row of 2.5 elements on average is empty with a chance of 8%.
    int empty = 0;
    for (auto row = operands[1].begin(); row != operands[1].end(); row += 50) {
      empty += std::all_of(row, row + 50, [](float value) { return value == 0; }) ? 1 : 0;
    }
    EXPECT_GT(empty, 0);
    EXPECT_LT(empty, 12);
  }
  EXPECT_EQ(std::ranges::count(inputs_of("spmm/m4_n2_k5_z20", Precision::fp32)[1], 0.0F), 0);
}

TEST(Inputs, OfProductsAtFp32HaveAllBits) {
  const auto operands = inputs_of("gemm/m50_n20_k30_nn_bias", Precision::fp32);
  for (const auto& operand : operands) {
    std::set<float> values;
    for (const float value : operand) {
      const float nearest = std::round(value * 8) / 8;
      EXPECT_LE(std::abs(nearest - value), std::abs(nearest) / 16);
      EXPECT_LE(std::abs(value), 1);
      EXPECT_GT(std::abs(value), 0.117);  // 15/16 of an eighth
      if (rounded_to_bits(value, 11) != value && rounded_to_bits(value, 8) != value) {
        values.insert(value);
      }
    }
    EXPECT_GT(values.size(), operand.size() > 256 ? 200U : 10U);
  }
  // No other problem can be computed in TF32.
  const auto others = inputs_of("relu/100", Precision::fp32);
  for (const float value : others[0]) {
    EXPECT_EQ(rounded_to_bf16(value), value);
  }
}

// With only a few distinct values, each would be squared and added many times with the same
// rounding error: oneDNN's batch normalizations over 3,136 pixels and more were "wrong" by up to
// 3e-5.
TEST(Inputs, OfSumsOfSquaresHaveAllBits) {
  for (const char* key : {"batchnorm_training/2x3x40x40_e1e-05", "layernorm/40x40_e1e-05"}) {
    const auto operands = inputs_of(key, Precision::fp32);
    EXPECT_GT(std::set<float>(operands[0].begin(), operands[0].end()).size(), 100U) << key;
  }
}

TEST(Inputs, AreExactInBf16) {
  for (const char* key : {"clip/100_a0_b6", "lrn/1x100x2x2_n5_a1e-04_b0.75_k1", "div/99_99"}) {
    for (const auto& operand : inputs_of(key, Precision::bf16)) {
      for (const float value : operand) EXPECT_EQ(rounded_to_bf16(value), value);
    }
  }
}

TEST(Inputs, DependOnSeedAndOperandOnly) {
  const Problem problem = parse("add/1000_1000");
  const auto once = inputs_for(problem, Precision::fp32, 1);
  EXPECT_EQ(once, inputs_for(problem, Precision::fp32, 1));
  EXPECT_NE(once, inputs_for(problem, Precision::fp32, 2));
  EXPECT_NE(once[0], once[1]);
}

TEST(Inputs, AreBalanced) {
  const auto operands = inputs_of("relu/1000000", Precision::int8);
  double sum = 0;
  for (const float value : operands[0]) sum += value;
  EXPECT_LT(std::abs(sum / 1e6), 0.03);  // 6 standard deviations of the mean of k = +-1 ... +-8
}

TEST(Inputs, PositiveWhereAsked) {
  for (const Precision precision : {Precision::fp32, Precision::int8}) {
    const auto norm = inputs_of("batchnorm/1x100x2x2_e1e-05", precision);
    EXPECT_GT(*std::min_element(norm[4].begin(), norm[4].end()), 0);
    EXPECT_LT(*std::min_element(norm[3].begin(), norm[3].end()), 0);
    const auto quotient = inputs_of("div/100_100", precision);
    EXPECT_GT(*std::min_element(quotient[1].begin(), quotient[1].end()), 0);
  }
}

TEST(Inputs, OfStatisticsAreManyNumbers) {
  for (const char* key : {"instancenorm/1x1x10000_e1e-05", "layernorm/1x10000_e1e-05"}) {
    for (const Precision precision : {Precision::fp32, Precision::tf32}) {
      std::vector<float> values = inputs_of(key, precision)[0];
      // Summed sequentially, as the simplest libraries do.
      float sum = 0;
      double exact = 0;
      for (const float value : values) {
        sum += value * value;
        exact += static_cast<double>(value) * value;
      }
      EXPECT_NEAR(sum / exact, 1, 2e-5) << key;
      std::sort(values.begin(), values.end());
      EXPECT_GT(std::unique(values.begin(), values.end()) - values.begin(), 100) << key;
    }
  }
}

TEST(Inputs, OfAConditionAreTruthValues) {
  for (const Precision precision : {Precision::fp32, Precision::int8}) {
    const auto operands = inputs_of("select/1x1000_va0_b1x1000", precision);
    const auto truths = std::count(operands[0].begin(), operands[0].end(), 1.0F);
    EXPECT_EQ(std::count(operands[0].begin(), operands[0].end(), 0.0F), 1000 - truths);
    EXPECT_GT(truths, 400);
    EXPECT_LT(truths, 600);
    EXPECT_EQ(std::count(operands[1].begin(), operands[1].end(), 0.0F), 0);
  }
}

TEST(Inputs, ReachTheBoundsOfAClip) {
  const auto operands = inputs_of("clip/1000_a-3_b6", Precision::fp32);
  EXPECT_GT(*std::max_element(operands[0].begin(), operands[0].end()), 6);
  EXPECT_LT(*std::min_element(operands[0].begin(), operands[0].end()), -3);
  // Networks do not have these values.
  const auto open = inputs_of("clip/1000_a0_binf", Precision::fp32);
  EXPECT_LE(*std::max_element(open[0].begin(), open[0].end()), 1);
}

TEST(Inputs, OfARecurrenceForgetWhatWas) {
  for (const char* key : {"lstm/t2_n1_i300_h512_l1_forward", "gru/t2_n1_i40_h1000_l1_forward"}) {
    const Problem problem = parse(key);
    const auto operands = inputs_for(problem, Precision::fp32, 1);
    const auto hidden = static_cast<std::size_t>(inputs(problem)[2].dims[2]);
    for (std::size_t row = 0; row < 100; ++row) {
      double squares = 0;
      for (std::size_t i = 0; i < hidden; ++i) {
        squares += std::pow(operands[2][row * hidden + i], 2);
      }
      EXPECT_GT(std::sqrt(squares), 0.25) << key;
      EXPECT_LT(std::sqrt(squares), 0.75) << key;
    }
  }
}

TEST(Inputs, IntegersFitEightBitsAndWeightsAreEven) {
  const auto operands = inputs_of("conv/1x16x9x9_k8x3x3_p0.0.0.0_s1x1_d1x1_g1", Precision::int8);
  for (const float value : operands[0]) {
    EXPECT_EQ(value, std::round(value));
    EXPECT_LE(std::abs(value), 8);
  }
  for (const float value : operands[1]) {
    EXPECT_EQ(value / 2, std::round(value / 2));
    EXPECT_NE(value, 0);
    EXPECT_LE(std::abs(value), 8);
  }
}

TEST(Inputs, UnsignedBytesUseTheirRangeAndFit16BitsInPairs) {
  for (const char* key :
       {"conv/1x16x9x9_k8x3x3_p0.0.0.0_s1x1_d1x1_g1_u8",
        "deconv/1x16x9x9_k8x3x3_p0.0.0.0_s1x1_d1x1_g1_u8", "gemm/m64_n32_k64_nn_w_u8"}) {
    const auto operands = inputs_of(key, Precision::int8);
    const auto [least, most] = std::ranges::minmax(operands[0]);
    EXPECT_EQ(least, 0);
    EXPECT_EQ(most, 255);
    for (const float value : operands[0]) EXPECT_EQ(value, std::round(value));
    const auto [first, last] = std::ranges::minmax(operands[1]);
    EXPECT_EQ(first, -8);
    EXPECT_LE(2 * most * last, 32767);
  }
}

TEST(Int8Scale, IsAPowerOfTwoThatShrinksWithTheSum) {
  // 40 / (27.7 * sqrt(k)): 1.44 for 1 product, 0.48 for 9, 0.0451 for 1024.
  EXPECT_EQ(harness::int8_scale(parse("gemm/m2_n2_k1_nn")), 1);
  EXPECT_EQ(harness::int8_scale(parse("conv/1x1x5x5_k1x3x3_p0.0.0.0_s1x1_d1x1_g1")), 0.25F);
  EXPECT_EQ(harness::int8_scale(parse("gemm/m2_n2_k1024_nn")), 0.03125F);
  EXPECT_EQ(harness::int8_scale(parse("reducesum/1024x3_a0")), 0.03125F);
  // Of unsigned data 40 / (820 * sqrt(k)): 0.0163 for 9 products, 0.00152 for 1024.
  EXPECT_EQ(harness::int8_scale(parse("conv/1x1x5x5_k1x3x3_p0.0.0.0_s1x1_d1x1_g1_u8")), 0x1p-6F);
  EXPECT_EQ(harness::int8_scale(parse("gemm/m2_n2_k1024_nn_u8")), 0x1p-10F);
  // A factor's deviation is 5.48: 0.0082 for 1024 products.
  EXPECT_EQ(harness::int8_scale(parse("gemm/m2_n2_k1024_nn_mul_y2x2")), 0.0078125F);
}

TEST(Int8Scale, IsOneWhereNothingIsSummedUp) {
  for (const char* key : {"avgpool/1x8x7x7_k7x7_p0.0.0.0_s1x1_d1x1_exclude", "relu/100",
                          "reducemean/1x8x7x7_a2.3", "reducemax/100x3_a0", "add/9_9"}) {
    EXPECT_EQ(harness::int8_scale(parse(key)), 1) << key;
  }
}

TEST(Int8Scale, UsesTheRangeAndRarelyLeavesIt) {
  for (const char* key :
       {"gemm/m30_n30_k1_nn_bias", "gemm/m30_n30_k9_nn_bias", "gemm/m30_n30_k147_nn_bias",
        "gemm/m30_n30_k2304_nn_bias", "gemm/m30_n30_k147_nn_bias_mul_y30x30",
        "gemm/m30_n30_k9_nn_u8_bias", "gemm/m30_n30_k2304_nn_u8"}) {
    const Problem problem = parse(key);
    const auto operands = inputs_for(problem, Precision::int8, 3);
    double squares = 0;
    int saturated = 0;
    for (std::int64_t i = 0; i < 900; ++i) {
      const double value = reference(problem, operands, i) * harness::int8_scale(problem);
      squares += value * value;
      if (std::abs(value) > 127) ++saturated;
    }
    EXPECT_GT(std::sqrt(squares / 900), 15) << key;
    EXPECT_LT(std::sqrt(squares / 900), 55) << key;
    EXPECT_LT(saturated, 18) << key;  // 2%
  }
}

}  // namespace
}  // namespace benanza::verify
