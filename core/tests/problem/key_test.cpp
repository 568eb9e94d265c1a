#include <gtest/gtest.h>

#include <stdexcept>

#include "core/problem/name.h"
#include "core/problem/problem.h"

namespace benanza {
namespace {

class KeyRoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(KeyRoundTrip, ParseThenKeyIsIdentity) {
  const Problem problem = parse(GetParam());
  EXPECT_EQ(key(problem), GetParam());
  EXPECT_EQ(parse(key(problem)), problem);
}

INSTANTIATE_TEST_SUITE_P(
    EveryOperator, KeyRoundTrip,
    testing::Values(
        "conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1",
        "conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1_bias", "conv/2x8x30_k4x3_p0.1_s2_d1_g2",
        "conv/1x4x8x8x8_k4x1x1x1_p0.0.0.0.0.0_s1x1x1_d1x1x1_g4", "gemm/m1_n1000_k2048_nt_w_bias",
        "conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1_bias_residual_relu",
        "conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1_clip_a0_b6",
        "conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1_residual_leakyrelu_a0.1",
        "spmm/m7680_n1_k2560_z983040", "gemm/m1_n8_k8_nt_w_residual",
        "gemm/m1_n8_k8_nt_w_bias_tanh", "deconv/1x64x7x7_k32x4x4_p1.1.1.1_s2x2_d1x1_g1_bias_elu_a1",
        "dropout/1x4096_r0.5", "rnntanh/t5_n2_i3_h4_l1_forward",
        "rnnrelu/t5_n2_i3_h4_l2_reverse_bias",
        "lstm/t25_n1_i300_h512_l1_bidirectional_bias_initial_final_batchfirst",
        "gru/t5_n2_i3_h4_l1_forward_lbr_bias", "lstm/t5_n2_i3_h4_l1_forward_bias_training",
        "narrow/1x1301", "widen/1x1301", "lstm_bwd/t5_n2_i3_h4_l1_forward",
        "gru_bwd_data/t5_n2_i3_h4_l1_forward_lbr_bias_initial",
        "rnnrelu_bwd_weights/t5_n2_i3_h4_l2_reverse_bias_batchfirst",
        "lrn_bwd/1x64x56x56_n5_a1e-04_b0.75_k1", "gru/t5_n2_i3_h4_l1_forward",
        "deconv/1x64x7x7_k32x4x4_p1.1.1.1_s2x2_d1x1_g1", "deconv/2x8x30_k4x3_p0.-1_s2_d1_g2_bias",
        "gemm/m128_n128_k64_nn_a8x12_b8x12", "gemm/m7_n5_k3_tt_a4x1_b1x6",
        "maxpool/1x64x112x112_k3x3_p1.1.1.1_s2x2_d1x1",
        "avgpool/1x2048x7x7_k7x7_p0.0.0.0_s1x1_d1x1_exclude",
        "avgpool/1x8x7x7_k3x3_p1.1.1.1_s1x1_d1x1_include", "batchnorm/1x64x112x112_e1e-05",
        "relu/1x64x56x56", "leakyrelu/1x8_a0.1", "clip/1x8x4x4_a0_b6", "clip/1x8_a-inf_binf",
        "elu/1x8_a1", "sigmoid/1x8", "tanh/1x8", "linear/1x8_a0.5_b-1", "add/1x64x56x56_1x64x1x1_w",
        "sub/2x3_2x3", "mul/2x3_1x3", "div/2x3_2x3", "max/2x3_2x3", "min/2x3_2x3",
        "prelu/1x8x4x4_1x8x1x1_w", "softmax/1x1000_a1", "logsoftmax/1x1000_a1",
        "lrn/1x64x56x56_n5_a1e-04_b0.75_k1", "reducemean/1x2048x7x7_a2.3", "reducesum/4x5_a0",
        "reducemax/4x5_a1", "concat/1x64x28x28_1x128x28x28_a1", "copy/64x56_f56.1_t1.64",
        "gelu/1x8", "gelutanh/1x8", "erf/1x8", "hardswish/1x8", "softplus/1x8", "softsign/1x8",
        "mish/1x8", "swish/1x8_a1.702", "exp/1x8", "log/1x8", "sqrt/1x8", "pow/1x8_a0.5", "abs/1x8",
        "floor/1x8", "ceil/1x8", "round/1x8", "sign/1x8", "sin/1x8", "cos/1x8", "power/2x3_2x3",
        "eq/2x3_2x3", "ne/2x3_2x3", "lt/2x3_2x3", "le/2x3_2x3", "gt/2x3_2x3", "ge/2x3_1x3_w",
        "reducemin/4x5_a1", "reduceprod/4x5_a1", "reducel1/4x5_a1", "reducel2/4x5_a1",
        "reducesumsquare/4x5_a1", "layernorm/128x768_e1e-05_sb", "layernorm/128x768_e1e-05",
        "rmsnorm/128x768_e1e-06_s", "instancenorm/1x64x56x56_e1e-05_sb",
        "instancenorm/1x64x56x56_e1e-05", "resample/1x64x28x28_o56x56_linear",
        "resample/1x64x28x28_o56x56_nearest", "attention/1x12x128x64_k12x128x64_s0.125",
        "attention/2x8x1x64_k2x128x32_s1_m2x1x1x128",
        "attention/1x12x128x64_k12x128x64_s0.125_causal",
        "attention/2x64x2048x64_k8x2048x64_s0.125_causal_w1024",
        "attention_bwd/2x8x16x64_k2x128x32_s1_m2x1x1x128_causal", "quantize/1x64x56x56",
        "dequantize/1x64x56x56_a1",
        "conv/1x96x28x28_k96x3x3_p1.1.1.1_s1x1_d1x1_g96_bias_swish_a1_mul_y1x96x1x1",
        "conv/1x96x28x28_k96x1x1_p0.0.0.0_s1x1_d1x1_g1_mul_y1x96x1x1_w_add_y1x96x28x28",
        "conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1_linear_a0.5_b0",
        "conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1_bias_add_y1x8x1x1_w",
        "conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1_bias_residual_relu_relu", "gemm/m5_n7_k7_nn_abs",
        "gemm/m5_n7_k7_nn_add_y5x1", "gemm/m5_n7_k7_nn_w_sub_y5x7_w",
        "gemm/m5_n7_k7_nn_a2_b2_add_y1x5x7", "gemm/m5_n7_k7_nn_rsub_y5x7_rdiv_y1x7_w",
        "add/1x64x56x56_1x64x56x56_relu", "add/1x64x56x56_1x64x1x1_w_relu",
        "swish/1x96x56x56_a1_mul_y1x96x1x1", "relu/1x8_linear_a2_b1",
        "batchnorm/1x8x4x4_e1e-05_relu", "layernorm/8x16_e1e-05_sb_add_y8x16",
        "rmsnorm/8x16_e1e-06_mul_y1x16_w", "instancenorm/2x8x4x4_e1e-05_sb_swish_a1",
        "softmax/8x8_a1_mul_y8x1_max_y8x8_min_y1x8", "reducemean/1x8x7x7_a2.3_div_y1x8x1x1",
        "maxpool/1x8x4x4_k2x2_p0.0.0.0_s2x2_d1x1_relu",
        "avgpool/1x8x7x7_k3x3_p1.1.1.1_s1x1_d1x1_include_add_y1x8x1x1",
        "attention/1x12x128x64_k12x128x64_s0.125_mul_y1x12x1x1",
        "attention/1x12x128x64_k12x128x64_s0.125_max_y1x12x1x1",
        "attention/1x12x128x64_k12x128x64_s0.125_mish", "select/1x12x8x8_va0_b1x12x8x8",
        "select/1x1x8x8_w_va0_vb-inf", "select/1x1x8x8_w_a1x12x8x8_b1x1x1x1", "select/8_a8_w_b1_w",
        "select/1_a8_vb-3.4028235e+38", "rotary/1x32x128x64_t1x1x128x64",
        "rotary/2x8x4x16_t2x1x4x8", "rotary/2x8x4x16_t2x1x4x8_interleaved", "all_reduce/1048576_r2",
        "all_gather/12_r3", "reduce_scatter/1024_r8", "broadcast/7_r5", "all_to_all/64_r64"));

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
        Malformed{"select/8_vanan_b8", "a number"}, Malformed{"select/8_va0_vb1_relu", "the end"},
        Malformed{"relu/99999999999999999999", "numbers"}));

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
