#include "core/problem/least_work.h"

#include <gtest/gtest.h>

#include <string>

namespace benanza {
namespace {

// 56 outputs times 3 taps with a pixel of padding on both sides: 168 products, 2 of them on
// padding. Winograd's bound is 56 + 3 - 1.
TEST(LeastProducts, OfAKernelOfThree) {
  EXPECT_EQ(least_products({.inputs = 56, .outputs = 56, .kernel = 3, .pad = 1}), 58);
  // Without padding there are 54 outputs: F(54, 3) takes 56.
  EXPECT_EQ(least_products({.inputs = 56, .outputs = 54, .kernel = 3}), 56);
}

// F(2, 3) takes 4 multiplications instead of 6, F(4, 3) 6 instead of 12.
TEST(LeastProducts, AreThoseOfTheKnownSmallAlgorithms) {
  EXPECT_EQ(least_products({.inputs = 4, .outputs = 2, .kernel = 3}), 4);
  EXPECT_EQ(least_products({.inputs = 6, .outputs = 4, .kernel = 3}), 6);
}

// One pixel meets only the middle tap of a kernel of 3. Two pixels: y0 = w1 x0 + w2 x1 and y1 = w0
// x0 + w1 x1 take 3 multiplications instead of 4 (Karatsuba).
TEST(LeastProducts, OfTinyImages) {
  EXPECT_EQ(least_products({.inputs = 1, .outputs = 1, .kernel = 3, .pad = 1}), 1);
  EXPECT_EQ(least_products({.inputs = 2, .outputs = 2, .kernel = 3, .pad = 1}), 3);
}

// 112 outputs of 224 inputs with 7 taps at stride 2: the 4 even and 3 odd taps use alternate
// inputs: 112 + 4 - 1 and 112 + 3 - 1, compared with 7 times 112 direct products less those on
// padding.
TEST(LeastProducts, AStrideMakesSeveralSums) {
  EXPECT_EQ(least_products({.inputs = 224, .outputs = 112, .kernel = 7, .stride = 2, .pad = 3}),
            229);
  // A kernel of 1 saves nothing: one product each.
  EXPECT_EQ(least_products({.inputs = 56, .outputs = 28, .kernel = 1, .stride = 2}), 28);
}

// Dilation 2: outputs 0, 2, 4 use inputs 0, 2, 4, 6, 8; outputs 1, 3, 5 use the others. 3 + 3 - 1
// each.
TEST(LeastProducts, ADilationMakesSeveralSums) {
  EXPECT_EQ(least_products({.inputs = 10, .outputs = 6, .kernel = 3, .dilation = 2}), 10);
}

// Stride 2 and dilation 2 use every other input alone, and there they are a plain sum: 4 + 3 - 1
// instead of 3 taps for each of 4 outputs.
TEST(LeastProducts, ACommonDivisorOfStrideAndDilationChangesNothing) {
  EXPECT_EQ(least_products({.inputs = 12, .outputs = 4, .kernel = 3, .stride = 2, .dilation = 2}),
            6);
  EXPECT_EQ(all_products({.inputs = 12, .outputs = 4, .kernel = 3, .stride = 2, .dilation = 2}),
            12);
  // 56 outputs of 11 taps: 56 + 11 - 1 instead of 616.
  EXPECT_EQ(
      least_products({.inputs = 264, .outputs = 56, .kernel = 11, .stride = 4, .dilation = 4}), 66);
}

// Stride 2, dilation 3: outputs 0, 3 and 1, 4 and 2, 5, each with taps 0, 2 and tap 1: three times
// 2 + 2 - 1 and 2 + 1 - 1, instead of 18.
TEST(LeastProducts, AStrideAndADilationMakeAGridOfSums) {
  const Axis axis{.inputs = 17, .outputs = 6, .kernel = 3, .stride = 2, .dilation = 3};
  EXPECT_EQ(least_products(axis), 15);
  EXPECT_EQ(all_products(axis), 18);
  EXPECT_EQ(touched_inputs(axis), 15);  // all but 1 and 15
}

double flops(const std::string& key) { return least_flops(parse(key)); }

TEST(LeastFlops, OfAConvolution) {
  // 64 x 64 pairs of channels, 58 x 58 multiplications instead of 56 x 56 x 9.
  EXPECT_DOUBLE_EQ(flops("conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1"), 2.0 * 64 * 64 * 58 * 58);
  // 1x1: no savings.
  EXPECT_DOUBLE_EQ(flops("conv/2x64x56x56_k128x1x1_p0.0.0.0_s1x1_d1x1_g1"),
                   2.0 * 2 * 64 * 128 * 56 * 56);
  // Depthwise: one pair per channel.
  EXPECT_DOUBLE_EQ(flops("conv/1x96x56x56_k96x7x7_p3.3.3.3_s1x1_d1x1_g96"), 2.0 * 96 * 62 * 62);
}

// 4x4 at stride 2 from 7x7 to 14x14. Like the convolution from 14 to 7, its 2 even and 2 odd taps
// take 7 + 2 - 1 each: 16 per axis, compared with 7 x 4 direct products less those on padding.
TEST(LeastFlops, OfATransposedConvolution) {
  EXPECT_DOUBLE_EQ(flops("deconv/1x64x7x7_k32x4x4_p1.1.1.1_s2x2_d1x1_g1"), 2.0 * 64 * 32 * 16 * 16);
}

// 56 x 3 taps less two on padding, on both axes; direct products, whatever a transform may save.
TEST(DirectFlops, LeaveOutPaddingAlone) {
  EXPECT_DOUBLE_EQ(direct_flops(parse("conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1")),
                   2.0 * 64 * 64 * 166 * 166);
  EXPECT_DOUBLE_EQ(direct_flops(parse("deconv/1x64x7x7_k32x4x4_p1.1.1.1_s2x2_d1x1_g1")),
                   2.0 * 64 * 32 * 26 * 26);
  EXPECT_DOUBLE_EQ(direct_flops(parse("gemm/m128_n768_k3072_nt")), 2.0 * 128 * 768 * 3072);
}

TEST(LeastFlops, OfProductsAndTheRest) {
  EXPECT_DOUBLE_EQ(flops("gemm/m128_n768_k3072_nt"), 2.0 * 128 * 768 * 3072);
  EXPECT_DOUBLE_EQ(flops("relu/1x64x56x56"), 0);
}

// 4 queries and 6 keys: query i sees 3 + i keys, in total 3 + 4 + 5 + 6 of 24 scores, each with 64
// + 64 products.
TEST(LeastFlops, OfAttentionWithoutWhatIsHidden) {
  EXPECT_DOUBLE_EQ(flops("attention/1x12x4x64_k12x6x64_s0.125"), 2.0 * 12 * 24 * 128);
  EXPECT_DOUBLE_EQ(flops("attention/1x12x4x64_k12x6x64_s0.125_causal"), 2.0 * 12 * 18 * 128);
  // A window of 4: the last two queries see 4 instead of 5 and 6.
  EXPECT_DOUBLE_EQ(flops("attention/1x12x4x64_k12x6x64_s0.125_causal_w4"), 2.0 * 12 * 15 * 128);
}

// Without a window and with one, over every small number of queries and keys.
TEST(LeastFlops, OfAttentionAreThoseOfTheVisibleKeys) {
  for (std::int64_t queries = 1; queries < 7; ++queries) {
    for (std::int64_t keys = 1; keys < 7; ++keys) {
      for (std::int64_t window = 0; window < 8; ++window) {
        const Attention shape{.queries = queries,
                              .size = 1,
                              .keys = keys,
                              .value_size = 1,
                              .mask = {},
                              .causal = true,
                              .window = window};
        std::int64_t scores = 0;
        for (std::int64_t query = 0; query < queries; ++query) {
          const auto [begin, end] = shape.visible_keys(query);
          scores += end - begin;
        }
        EXPECT_EQ(shape.visible_scores(), scores) << queries << ' ' << keys << ' ' << window;
      }
    }
  }
}

// Two layers in one call: the second one reads the first one's 2 directions of 5.
TEST(LeastFlops, OfRecurrentLayersOnTopOfEachOther) {
  EXPECT_DOUBLE_EQ(flops("lstm/t3_n2_i7_h5_l2_bidirectional_initial"),
                   2.0 * 2 * 2 * 4 * 5 * (3 * 7 + 3 * 10 + 2 * 3 * 5));
}

// Three steps of 4 gates of 5: all products of the input, but those of the state only if it is not
// zero.
TEST(LeastFlops, OfARecurrentLayer) {
  EXPECT_DOUBLE_EQ(flops("lstm/t3_n2_i7_h5_l1_forward_bias"), 2.0 * 2 * 4 * 5 * (3 * 7 + 2 * 5));
}

TEST(LeastBytes, PixelsThatNobodyReadsDoNotCount) {
  // Every other pixel of every other row: 28 x 28 of 56 x 56.
  const Problem strided = parse("conv/1x8x56x56_k16x1x1_p0.0.0.0_s2x2_d1x1_g1");
  EXPECT_DOUBLE_EQ(least_bytes(strided, Precision::fp16),
                   2.0 * (8 * 28 * 28 + 16 * 8 + 16 * 28 * 28));
  // The last of 10 pixels is past the last window: 9 of 10 on both axes.
  const Problem behind = parse("maxpool/1x8x10x10_k3x3_p0.0.0.0_s2x2_d1x1");
  EXPECT_DOUBLE_EQ(least_bytes(behind, Precision::fp32), 4.0 * 8 * (9 * 9 + 4 * 4));
  const Problem plain = parse("conv/1x8x56x56_k16x3x3_p1.1.1.1_s1x1_d1x1_g1");
  EXPECT_DOUBLE_EQ(least_bytes(plain, Precision::fp32),
                   4.0 * (8 * 56 * 56 + 16 * 8 * 9 + 16 * 56 * 56));
}

// The residual has the result's extents; a bias is no place for the result.
TEST(InPlaceBytes, AreThoseThatAResultMayReplace) {
  const auto bytes = [](const char* key) { return in_place_bytes(parse(key), Precision::fp16); };
  EXPECT_EQ(bytes("gemm/m5_n8_k8_nn_bias"), 0);
  EXPECT_EQ(bytes("gemm/m5_n8_k8_nn_residual"), 2 * 40);
  EXPECT_EQ(bytes("add/2x3_2x3"), 2 * 6);
  EXPECT_EQ(bytes("add/2x3_1x3_w"), 2 * 6);
  EXPECT_EQ(bytes("add/2x1_1x3"), 0);
  EXPECT_EQ(bytes("relu/2x3"), 0);
}

// One pixel meets the middle of 3x3 taps; two of five pixels meet no window; the second of 2^20
// taps meets one of two inputs, all others padding.
TEST(LeastWork, TapsThatOnlyMeetPaddingAreNotRead) {
  const auto read = [](const char* key) { return least_read_bytes(parse(key), Precision::fp32); };
  EXPECT_EQ(read("conv/1x8x1x1_k16x3x3_p1.1.1.1_s1x1_d1x1_g1"), 4 * (8 + 16 * 8));
  EXPECT_DOUBLE_EQ(read("conv/1x8x1x1_k16x3x3_p1.1.1.1_s1x1_d1x1_g1_packed.int8.c"),
                   4 * 8 + (16 * 8 * 9 + 4 * 16) / 9.0);
  EXPECT_EQ(read("deconv/1x8x1x1_k16x3x3_p1.1.1.1_s1x1_d1x1_g1"), 4 * (8 + 16 * 8));
  EXPECT_EQ(read("conv/1x1x5_k1x2_p0.0_s3_d1_g1"), 4 * (4 + 2));
  EXPECT_EQ(touched_taps({.inputs = 2, .outputs = 1, .kernel = 1 << 20, .pad = (1 << 20) - 3}), 2);
}

// 2 rows of 3 inputs, weights of 16 x 3. A second step, or a state, multiplies the other 16 x 4.
TEST(LeastWork, OneStepFromZerosReadsNoRecurrentWeights) {
  const auto read = [](const char* key) { return least_read_bytes(parse(key), Precision::fp32); };
  EXPECT_EQ(read("lstm/t1_n2_i3_h4_l1_forward"), 4 * (6 + 48));
  EXPECT_EQ(read("lstm/t2_n2_i3_h4_l1_forward"), 4 * (12 + 48 + 64));
  EXPECT_EQ(read("lstm/t1_n2_i3_h4_l1_forward_initial"), 4 * (6 + 48 + 64 + 2 * 8));
}

/// Of 64 keys, the first of four queries sees eight: the 54th to the 61st.
TEST(LeastWork, AttentionReadsNoKeysBeforeItsWindow) {
  const auto read = [](const char* key) { return least_read_bytes(parse(key), Precision::fp32); };
  const double queries = 4 * 12 * 4 * 64;
  EXPECT_EQ(read("attention/1x12x4x64_k6x64x32_s0.125_causal"), queries + 4 * 6 * 64 * 96);
  EXPECT_EQ(read("attention/1x12x4x64_k6x64x32_s0.125_causal_w8"), queries + 4 * 6 * 11 * 96);
  EXPECT_EQ(read("attention/1x12x4x64_k6x64x32_s0.125_causal_w64"), queries + 4 * 6 * 64 * 96);
}

}  // namespace
}  // namespace benanza
