#include <gtest/gtest.h>

#include <stdexcept>

#include "core/problem/name.h"
#include "core/problem/problem.h"
#include "core/tests/problem/keys.h"

namespace benanza {
namespace {

class KeyRoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(KeyRoundTrip, ParseThenKeyIsIdentity) {
  const Problem problem = parse(GetParam());
  EXPECT_EQ(key(problem), GetParam());
  EXPECT_EQ(parse(key(problem)), problem);
}

INSTANTIATE_TEST_SUITE_P(EveryOperator, KeyRoundTrip,
                         testing::ValuesIn(test::keys_of_every_operator));

struct Malformed {
  const char* key;
  const char* wanted;
};

class MalformedKey : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedKey, NamesTheKeyAndWhatWasExpected) {
  try {
    parse(GetParam().key);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().key), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(GetParam().wanted), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fields, MalformedKey,
    testing::Values(
        Malformed{"", "op/fields"}, Malformed{"conv", "op/fields"},
        Malformed{"frobnicate/1x2", "known operator"}, Malformed{"conv/1x64x56x56", "numbers"},
        Malformed{"conv/1x64x56x56_k64x3_p1.1.1.1_s1x1_d1x1_g1", "rank"},
        Malformed{"conv/1x64x56x56_k64x3x3_p1.1_s1x1_d1x1_g1", "pad"},
        Malformed{"conv/1x64x56x56_k64x3x3_p1.1.1.1_s0x1_d1x1_g1", "positive"},
        Malformed{"conv/1x64x2x2_k64x3x3_p0.0.0.0_s1x1_d1x1_g1", "fits"},
        Malformed{"conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g3", "divide"},
        Malformed{"deconv/1x8x4x4_k8x3x3_p0.0.0.0_s1x1_d1x1_g3", "divide"},
        Malformed{"deconv/1x8x4x4_k8x3x3_p-1.0.0.0_s1x1_d1x1_g1", "begin pads"},
        Malformed{"deconv/1x8x4x4_k8x3x3_p3.3.3.3_s1x1_d1x1_g1", "leave an output"},
        Malformed{"conv/1x4x8x8_k8x3x3_p0.0.0.0_s1x1_d1x1_g1_relu_u8", "the end"},
        Malformed{"conv/1x4x8x8_k8x3x3_p0.0.0.0_s1x1_d1x1_g1_s8", "the end"},
        Malformed{"conv_bwd_filter/1x4x8x8_k8x3x3_p0.0.0.0_s1x1_d1x1_g1_u8", "data of floats"},
        Malformed{"gemm/m1_n8_k8_nt_u8_w", "the end"},
        Malformed{"grouped_gemm/g8_m1_n8_k8_nt_u8", "the end"},
        Malformed{"dropout/1x8_r1", "below 1"},
        Malformed{"lstm/t0_n2_i3_h4_l1_forward", "positive steps"},
        Malformed{"lstm/t5_n2_i3_h4_l1_sideways", "bidirectional"},
        Malformed{"lstm/t5_n2_i3_h4_l1_forward_lbr", "the end"},
        Malformed{"lstm/t5_n2_i3_h4_l1_forward_final_bias", "the end"},
        Malformed{"gemm/m0_n1_k1_nn", "positive m, n and k"},
        Malformed{"gemm/m1_n1_k1_xx", "nn, nt, tn or tt"},
        Malformed{"relu/1x0", "positive extents"}, Malformed{"relu/1x8_bias", "the end"},
        Malformed{"gemm/m1_n8_k8_nn_residual_bias", "the end"},
        Malformed{"gemm/m1_n8_k8_nn_relu_bias", "the end"},
        Malformed{"gemm/m1_n8_k8_nn_relu_residual", "the end"},
        Malformed{"gemm/m1_n8_k8_nn_clip", "a number"},
        Malformed{"gemm/m1_n8_k8_nn_linear_a1", "a number"},
        Malformed{"gemm/m5_n8_k8_nn_mul", "numbers"},
        Malformed{"gemm/m5_n8_k8_nn_mul_8", "numbers"},
        Malformed{"gemm/m5_n8_k8_nn_mul_y8", "broadcast to 5x8"},
        Malformed{"gemm/m5_n8_k8_nn_mul_y8x1", "broadcast to 5x8"},
        Malformed{"relu/1x8_mul_y4x8", "broadcast to 1x8"},
        Malformed{"relu/1x8_mul_y0x8", "broadcast to 1x8"},
        Malformed{"relu/1x8_frobnicate", "the end"}, Malformed{"relu/1x8_residual", "the end"},
        Malformed{"relu/1x8_prelu_y1x8", "the end"}, Malformed{"concat/1x3_1x3_a1_relu", "the end"},
        Malformed{"copy/4x4_f4.1_t1.4_relu", "the end"},
        Malformed{"lrn/1x64x56x56_n5_a1e-04_b0.75_k1_relu", "the end"},
        Malformed{"gemm/m5_n8_k8_nn_add_y1x8_w", "gemm/m5_n8_k8_nn_bias"},
        Malformed{"gemm/m5_n8_k8_nn_add_y5x8", "gemm/m5_n8_k8_nn_residual"},
        Malformed{"gemm/m5_n8_k8_nn_residual_add_y1x8_w", "nn_bias_residual"},
        Malformed{"all_reduce/8_r1", "two ranks"}, Malformed{"all_reduce/0_r2", "positive"},
        Malformed{"all_gather/8_r3", "divide"}, Malformed{"all_reduce/8_r2_relu", "the end"},
        Malformed{"relu/01x8", "canonical"}, Malformed{"relu/1x8_", "numbers"},
        Malformed{"softmax/1x8_a2", "axis"}, Malformed{"add/2x3_2x4", "broadcast"},
        Malformed{"reducemean/2x3_a1.0", "ascending"}, Malformed{"select/2x3_a2x3", "numbers"},
        Malformed{"select/2x3_a2x4_b2x3", "broadcast"},
        Malformed{"rotary/1x2x3x5_t1x1x3x5", "even"}, Malformed{"rotary/2x3x4_t1x3x4", "four axes"},
        Malformed{"rotary/1x2x3x4_t1x2x2x4", "broadcast"},
        Malformed{"rotary/1x2x3x4_t1x2x3x1", "half a row"},
        Malformed{"rotary/1x2x3x4_t1x1x3x4_relu", "the end"},
        Malformed{"select/2x3_a3_b2x3", "equal rank"}, Malformed{"select/8_van_b8", "va<number>"},
        Malformed{"select/8_vanan_b8", "va<number>"}, Malformed{"select/8_va0_vb1_relu", "the end"},
        Malformed{"relu/1x8_linear_anan_b0", "a<number>"}));

// Extents whose product, or whose reach, 64 bits do not hold; lists as long as a number says; loops
// over layers and ranks. Each names the key and what is too large in it.
INSTANTIATE_TEST_SUITE_P(
    TooLarge, MalformedKey,
    testing::Values(
        Malformed{"relu/1152921504606846976x16", "too large: 1152921504606846976"},
        Malformed{"relu/99999999999999999999", "too large: 99999999999999999999 in the field of"},
        Malformed{"relu/281474976710657", "beyond 2^48"},
        Malformed{"relu/16777216x16777217", "input 16777216x16777217"},
        Malformed{"add/16777216x16777216_1x1", "most of them a 16777216x16777216"},
        Malformed{"relu/281474976710656", "most of them input 281474976710656"},
        Malformed{"gemm/m281474976710656_n2_k1_nn", "most of them result 281474976710656x2"},
        Malformed{"gemm/m16777216_n16777217_k1_nn", "result 16777216x16777217"},
        Malformed{"conv/1x8x8x8_k8x1x1_p0.0.0.0_s1x1_d1x4611686018427387904_g1",
                  "4611686018427387904 in the field \"d\""},
        Malformed{"conv/1x8x8x8_k8x1x1_p0.0.0.0_s1x1_d1x2147483648_g1", "2147483647 at most"},
        Malformed{"conv/1x8x8x8_k8x1x1_p0.0.0.0_s1x2147483648_d1x1_g1", "2147483647 at most"},
        Malformed{"conv/1x8x8x8_k8x1x1_p0.0.0.2147483648_s1x1_d1x1_g1", "2147483647 at most"},
        Malformed{"deconv/1x8x281474976710656x8_k8x1x1_p0.0.0.0_s2147483647x1_d1x1_g1",
                  "most of them result 1x8x1152921504606846976x8"},
        Malformed{"maxpool/1x1x1x1_k65536x65536_p65536.65536.0.0_s1x1_d1x1", "a window of more"},
        Malformed{"copy/281474976710656x281474976710656_f0.0_t1.1", "result"},
        Malformed{"copy/16777216x16777217_f0.0_t1.1", "it writes"},
        Malformed{"copy/2x2_f281474976710656.1_t2.1", "input 281474976710658"},
        Malformed{"concat/1x281474976710656_1x281474976710656_a1", "result"},
        Malformed{"lstm/t1_n1_i1_h1_l281474976710656_forward", "most of them weights"},
        Malformed{"lstm/t1048576_n1048576_i1_h1048576_l1_forward", "most of them result"},
        Malformed{"lstm_bwd/t1048576_n1_i1_h1_l1073741824_forward", "the forward call kept"},
        Malformed{"attention/1x1x281474976710656x1_k1x1x1_s1", "q 1x1x281474976710656x1"},
        Malformed{"all_reduce/8_r1048577", "1048576 ranks"},
        Malformed{"all_gather/281474976710656_r1048576", "result"},
        Malformed{"spmm/m281474976710656_n1_k2_z281474976710657", "281474976710657 in"},
        Malformed{"lrn/1x8_n281474976710657_a1_b1_k1", "281474976710657 in"},
        Malformed{"layernorm_bwd/281474976710656x281474976710656_e1e-05_s", "output gradient"}));

// A bound of a clip and a value of a mask may be infinite. Nothing is "not a number".
INSTANTIATE_TEST_SUITE_P(
    NotFinite, MalformedKey,
    testing::Values(Malformed{"batchnorm/1x8x4x4_enan", "e<number>"},
                    Malformed{"batchnorm/1x8x4x4_einf", "e<finite number>"},
                    Malformed{"batchnorm/1x8x4x4_e-inf", "e<finite number>"},
                    Malformed{"batchnorm_bwd/1x8x4x4_einf", "e<finite number>"},
                    Malformed{"layernorm/1x8_einf", "e<finite number>"},
                    Malformed{"instancenorm/1x8x4_einf", "e<finite number>"},
                    Malformed{"clip/1x8_anan_b0", "a<number>"},
                    Malformed{"relu/1x8_clip_a0_bnan", "b<number>"},
                    Malformed{"pow/1x8_ainf", "a<finite number>"},
                    Malformed{"relu/1x8_swish_ainf", "a<finite number>"},
                    Malformed{"linear/1x8_a1_b-inf", "b<finite number>"},
                    Malformed{"lrn/1x8_n1_ainf_b1_k1", "a<finite number>"},
                    Malformed{"attention/1x1x1x1_k1x1x1_sinf", "s<finite number>"},
                    Malformed{"dropout/1x8_rnan", "r<number>"}));

TEST(Key, PaddingZeroAndOneAreTwoProblems) {
  EXPECT_NE(parse("conv/1x8x9x9_k8x3x3_p0.0.0.0_s1x1_d1x1_g1"),
            parse("conv/1x8x9x9_k8x3x3_p1.1.1.1_s1x1_d1x1_g1"));
}

TEST(WithStep, LeadingStepsOfAProductAreItsEpilogue) {
  Problem problem = parse("conv/1x8x4x4_k6x1x1_p0.0.0.0_s1x1_d1x1_g1");
  const auto add = [](const Dims& y, bool constant) {
    return Combine{.kind = CombineKind::add, .y = y, .constant = constant};
  };
  const Activation relu{.input = {}, .kind = ActivationKind::relu};
  problem = with_step(problem, add({1, 6, 4, 4}, false));
  problem = with_step(problem, add({1, 6, 1, 1}, true));
  problem = with_step(problem, relu);
  EXPECT_EQ(key(problem), "conv/1x8x4x4_k6x1x1_p0.0.0.0_s1x1_d1x1_g1_bias_residual_relu");
  problem = with_step(problem, add({1, 6, 1, 1}, true));
  problem = with_step(problem, relu);
  EXPECT_EQ(key(problem),
            "conv/1x8x4x4_k6x1x1_p0.0.0.0_s1x1_d1x1_g1_bias_residual_relu_add_y1x6x1x1_w_relu");
  EXPECT_EQ(parse(key(problem)), problem);
}

TEST(WithStep, OtherShapesHaveStepsOnly) {
  Problem problem = parse("add/1x8x4x4_1x8x1x1_w");
  problem =
      with_step(problem, Combine{.kind = CombineKind::add, .y = {1, 8, 1, 1}, .constant = true});
  problem = with_step(problem, Activation{.input = {}, .kind = ActivationKind::relu});
  EXPECT_EQ(key(problem), "add/1x8x4x4_1x8x1x1_w_add_y1x8x1x1_w_relu");
}

TEST(WithStep, LinearsMerge) {
  Problem problem = parse("relu/1x8");
  const auto linear = [](float alpha, float beta) {
    return Activation{.input = {}, .kind = ActivationKind::linear, .alpha = alpha, .beta = beta};
  };
  // 3 (2 x + 1) - 4 = 6 x - 1.
  problem = with_step(with_step(problem, linear(2, 1)), linear(3, -4));
  EXPECT_EQ(key(problem), "relu/1x8_linear_a6_b-1");
}

// 1e30 x, then times 1e30, is no number of 32 bits.
TEST(WithStep, LinearsThatOverflowStayApart) {
  Problem problem = parse("relu/1x8");
  const Activation linear{.input = {}, .kind = ActivationKind::linear, .alpha = 1e30F, .beta = 0};
  problem = with_step(with_step(problem, linear), linear);
  EXPECT_EQ(key(problem), "relu/1x8_linear_a1e+30_b0_linear_a1e+30_b0");
  EXPECT_EQ(parse(key(problem)), problem);
}

TEST(Refitted, AxesMergeAndSplit) {
  const auto fit = [](const Dims& y, const Dims& layer, const Dims& result) {
    return refitted(y, layer, result);
  };
  EXPECT_EQ(fit({1, 8, 1}, {2, 8, 4}, {2, 8, 4}), (Dims{1, 8, 1}));
  // In the model, the rows of a product have two axes.
  EXPECT_EQ(fit({2, 7, 12}, {2, 7, 12}, {14, 12}), (Dims{14, 12}));
  EXPECT_EQ(fit({1, 1, 12}, {2, 7, 12}, {14, 12}), (Dims{1, 12}));
  EXPECT_EQ(fit({2, 7, 1}, {2, 7, 12}, {14, 12}), (Dims{14, 1}));
  EXPECT_EQ(fit({1, 7, 12}, {1, 7, 12}, {7, 12}), (Dims{7, 12}));
  EXPECT_EQ(fit({14, 1}, {14, 12}, {2, 7, 12}), (Dims{2, 7, 1}));
  EXPECT_EQ(fit({7, 12, 1}, {7, 12, 1}, {7, 12}), (Dims{7, 12}));
  // One value per step of every sequence is not one value per row.
  EXPECT_EQ(fit({1, 7, 1}, {2, 7, 12}, {14, 12}), std::nullopt);
  EXPECT_EQ(fit({1, 1, 12}, {2, 7, 12}, {2, 84}), std::nullopt);
}

TEST(Inputs, OperandsOfStepsComeLast) {
  const Problem problem = parse(
      "conv/"
      "1x8x4x4_k6x1x1_p0.0.0.0_s1x1_d1x1_g1_bias_residual_swish_a1_mul_y1x6x1x1_div_y1x1x4x4_w");
  const auto all = inputs(problem);
  ASSERT_EQ(all.size(), 6U);
  EXPECT_EQ(bias_operand(problem), 2U);
  EXPECT_EQ(residual_operand(problem), 3U);
  EXPECT_EQ(first_step_operand(problem), 4U);
  EXPECT_EQ(all[4], (Operand{.name = "y", .dims = {1, 6, 1, 1}}));
  EXPECT_EQ(
      all[5],
      (Operand{
          .name = "y", .dims = {1, 1, 4, 4}, .role = Role::weights, .domain = Domain::positive}));
}

TEST(Key, UnsignedDataAreAnotherProblem) {
  const Window window{
      .kernel = {3, 3}, .pads = {1, 1, 1, 1}, .strides = {1, 1}, .dilations = {1, 1}};
  const Convolution convolution{
      .input = {1, 4, 8, 8}, .filters = 8, .window = window, .unsigned_data = true};
  EXPECT_EQ(key({convolution, {.bias = true}}),
            "conv/1x4x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_u8_bias");
  const Deconvolution transposed{
      .input = {1, 4, 8, 8}, .filters = 8, .window = window, .unsigned_data = true};
  EXPECT_EQ(key({transposed, {}}), "deconv/1x4x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_u8");
  const Gemm product{.m = 2,
                     .n = 3,
                     .k = 4,
                     .batch_a = {},
                     .batch_b = {},
                     .constant_b = true,
                     .unsigned_data = true};
  EXPECT_EQ(key({product, {}}), "gemm/m2_n3_k4_nn_w_u8");
  for (const char* text : {"conv/1x4x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_u8_bias_residual_relu",
                           "deconv/1x4x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_u8_relu",
                           "gemm/m2_n3_k4_nn_a5_b5_cache_u8_mul_y5x1x1", "gemm/m2_n3_k4_nt_u8"}) {
    const Problem problem = parse(text);
    EXPECT_EQ(key(problem), text);
    EXPECT_TRUE(has_unsigned_data(problem));
    EXPECT_EQ(inputs(problem)[0].domain, Domain::unsigned_bytes);
    EXPECT_EQ(inputs(problem)[1].domain, Domain::any);
    const Problem with_signs = with_unsigned_data(problem, false);
    EXPECT_FALSE(has_unsigned_data(with_signs));
    EXPECT_EQ(with_unsigned_data(with_signs, true), problem);
    const Work own = work(problem, Precision::int8);
    EXPECT_EQ(own.bytes(), work(with_signs, Precision::int8).bytes());
  }
  const Problem relu = parse("relu/8");
  EXPECT_EQ(with_unsigned_data(relu, true), relu);
  EXPECT_FALSE(has_unsigned_data(relu));
}

TEST(Key, FunctionsThatDifferHaveDifferentKeys) {
  const Activation relu{.input = {1, 8}, .kind = ActivationKind::relu};
  const Activation clip{.input = {1, 8}, .kind = ActivationKind::clip, .alpha = 0, .beta = 6};
  EXPECT_NE(key({relu, {}}), key({clip, {}}));
  EXPECT_NE(key({Softmax{{1, 8}, 1, false}, {}}), key({Softmax{{1, 8}, 1, true}, {}}));
}

TEST(VariantNames, RoundTrip) {
  for (const char* text :
       {"conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1/fp16/nhwc/cudnn/implicit_gemm",
        "gemm/m1_n2_k3_nn/int8/plain/onednn/gemm:jit/cold"}) {
    EXPECT_EQ(to_string(parse_variant_name(text)), text);
  }
}

TEST(VariantNames, SayWhetherTransformsAreMultiplied) {
  for (const char* name : {"winograd", "winograd_nonfused", "fft", "fft_tiling",
                           "winograd.jit_wino_int8:avx512_core", "jit_wino:avx512_core"}) {
    EXPECT_TRUE(multiplies_transforms(name)) << name;
  }
  for (const char* name : {"implicit_gemm", "engine17.k2=3", "jit:avx2", "gemm"}) {
    EXPECT_FALSE(multiplies_transforms(name)) << name;
  }
}

TEST(VariantNames, SayHowManyCallsTheyAre) {
  EXPECT_EQ(library_calls("implicit_gemm"), 1U);
  EXPECT_EQ(library_calls("product.engine7.k17=4"), 1U);
  EXPECT_EQ(library_calls("rows.engine1.k24=37_engine1.k24=35"), 2U);
  EXPECT_EQ(library_calls("segments2048.engine1_engine1_engine3.k2=1_engine1"), 4U);
}

TEST(VariantNames, RejectsWhatIsNotAVariant) {
  for (const char* text : {"", "relu/1x8", "relu/1x8/fp99/nchw/onednn/jit",
                           "relu/1x8/fp32/xxxx/onednn/jit", "relu/1x8/fp32/nchw/onednn/jit/warm",
                           "relu//fp32/nchw/onednn/jit", "relu/1x8/fp32/nchw/onednn/jit/cold/1"}) {
    EXPECT_THROW(parse_variant_name(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace benanza
