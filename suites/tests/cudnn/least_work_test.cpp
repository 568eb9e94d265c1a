#include "suites/cudnn/primitive/call.h"

#include <gtest/gtest.h>

#include <cmath>

namespace benanza::cudnn {
namespace {

LeastWork least(std::string_view key, bool of_engine = false, const harness::Traits& traits = {}) {
  return least_work(parse(key), Precision::fp16, traits, of_engine);
}

Work all(std::string_view key) { return work(parse(key), Precision::fp16); }

TEST(LeastWork, IsAllOfItWhereEveryTapMeetsTheInput) {
  const char* conv = "conv/2x8x10x12_k4x3x3_p0.0.0.0_s1x1_d1x1_g1";
  EXPECT_EQ(least(conv).work.flops, all(conv).flops);
  for (const char* key : {conv, "relu/1x8", "maxpool/1x8x6x6_k2x2_p0.0.0.0_s2x2_d1x1"}) {
    EXPECT_EQ(least(key).work.bytes(), all(key).bytes()) << key;
    EXPECT_EQ(least(key).arithmetic_saving, 1) << key;
  }
}

TEST(LeastWork, WhatIsNoProductMayHideBehindItsMemory) {
  EXPECT_EQ(least("relu/1x8").work.flops, 0);
}

// 4 outputs of 3 taps: 2 of the 12 fall on padding, on either axis.
TEST(LeastWork, PaddingNeedsNoProducts) {
  const char* key = "conv/1x8x4x4_k8x3x3_p1.1.1.1_s1x1_d1x1_g1";
  EXPECT_DOUBLE_EQ(least(key).work.flops, all(key).flops * 100 / 144);
  EXPECT_EQ(least(key).work.bytes(), all(key).bytes());
}

// Only a quarter of 256 x 56 x 56 pixels is read.
TEST(LeastWork, InputBetweenTheWindowsIsNotRead) {
  const char* key = "conv/1x256x56x56_k512x1x1_p0.0.0.0_s2x2_d1x1_g1";
  EXPECT_EQ(least(key).work.flops, all(key).flops);
  EXPECT_EQ(all(key).bytes_read - least(key).work.bytes_read, 2 * 256 * 56 * 56 * 3 / 4);
  EXPECT_EQ(least(key).work.bytes_written, all(key).bytes_written);
}

// 3 positions with stride 3, each with taps 0 and 2: 6 of 9 elements per row.
TEST(LeastWork, GapsOfADilatedWindow) {
  const char* key = "conv/1x16x9_k16x2_p0.0_s3_d2_g1";
  EXPECT_EQ(all(key).bytes_read - least(key).work.bytes_read, 2 * 16 * 3);
}

// With 4 inputs of 3 taps each, the pads cut off one tap at each end.
TEST(LeastWork, WhatATransposedConvolutionCutsOffNeedsNoProducts) {
  const char* key = "deconv/1x8x4x4_k8x3x3_p1.1.1.1_s1x1_d1x1_g1";
  EXPECT_DOUBLE_EQ(least(key).work.flops, all(key).flops * 100 / 144);
  EXPECT_EQ(least(key).work.bytes(), all(key).bytes());
}

// 7 outputs of 3 taps: 19 of 21 products are on the input; Winograd needs 9 multiplications.
TEST(LeastWork, EnginesOfConvolutionsGradientsMayTransformWithoutSayingSo) {
  const char* gradient = "conv_bwd_filter/1x8x7x7_k8x3x3_p1.1.1.1_s1x1_d1x1_g1";
  EXPECT_DOUBLE_EQ(least(gradient).work.flops, 2.0 * 64 * 19 * 19);
  EXPECT_DOUBLE_EQ(least(gradient, true).work.flops, 2.0 * 64 * 9 * 9);
  const char* of_data = "deconv/1x8x7x7_k8x3x3_p1.1.1.1_s1x1_d1x1_g1";
  EXPECT_DOUBLE_EQ(least(of_data, true).work.flops, 2.0 * 64 * 9 * 9);
  const char* forward = "conv/1x8x7x7_k8x3x3_p1.1.1.1_s1x1_d1x1_g1";
  EXPECT_DOUBLE_EQ(least(forward, true).work.flops, 2.0 * 64 * 19 * 19);
}

// 3 queries see 2, 3 and 4 of 4 keys: 9 scores of 12, each 8 + 6 products.
TEST(LeastWork, WhatACausalMaskHidesNeedsNoProducts) {
  EXPECT_EQ(least("attention/2x5x3x8_k5x4x6_s1_causal", true).work.flops, 2 * 5 * 9 * 2 * 14);
  EXPECT_EQ(least("attention/2x5x3x8_k5x4x6_s1", true).work.flops, 2 * 5 * 12 * 2 * 14);
}

TEST(LeastWork, TransformsMaySaveAnyArithmetic) {
  const char* key = "conv/2x8x10x12_k4x3x3_p0.0.0.0_s1x1_d1x1_g1";
  EXPECT_TRUE(std::isinf(least(key, false, {.transforms = true}).arithmetic_saving));
  EXPECT_EQ(least(key).arithmetic_saving, 1);
}

}  // namespace
}  // namespace benanza::cudnn
