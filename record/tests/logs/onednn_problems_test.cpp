// Lines printed by oneDNN 2.6.3, 3.2.0 and 3.10.2.
#include <gmock/gmock.h>

#include "record/tests/logs/onednn_lines.h"

namespace benanza::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(CallProblems, Convolution) {
  EXPECT_THAT(keys("convolution,x64:gemm:jit,forward_inference,src_f32::blocked:abcd:f0 "
                   "wei_f32::blocked:abcd:f0 bia_f32::blocked:a:f0 dst_f32::blocked:abcd:f0,"
                   "attr-scratchpad:user attr-post-ops:eltwise_relu,alg:convolution_direct,"
                   "mb1_ic64oc64_ih56oh56kh3sh1dh0ph1_iw56ow56kw3sw1dw0pw1"),
              ElementsAre("conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1_bias_relu"));
  EXPECT_THAT(keys("convolution,brdgmm_dw:avx512_core,forward_inference,src_f32::blocked:acdb::f0 "
                   "wei_f32:a:blocked:debcA16a::f0 bia_undef::undef::: dst_f32::blocked:acdb::f0,"
                   "attr-scratchpad:user,alg:convolution_direct,"
                   "g32mb1_ic32oc32_ih28oh14kh3sh2dh0ph1_iw28ow14kw3sw2dw0pw1"),
              ElementsAre("conv/1x32x28x28_k32x3x3_p1.1.1.1_s2x2_d1x1_g32"));
  EXPECT_THAT(keys("convolution,jit:avx512_core,forward_inference,src_f32::blocked:acdb:f0 "
                   "wei_f32::blocked:ABcd16b16a:f0 bia_f32::blocked:a:f0 dst_f32::blocked:acdb:f0,"
                   "attr-scratchpad:user attr-post-ops:binary_add:f32:15:acdb+eltwise_relu,"
                   "alg:convolution_direct,mb2_ic16oc32_ih14oh14kh3sh1dh1ph2_iw14ow14kw3sw1dw1pw2"),
              ElementsAre("conv/2x16x14x14_k32x3x3_p2.2.2.2_s1x1_d2x2_g1_bias_residual_relu"));
}

TEST(CallProblems, NothingIsDroppedInSilence) {
  const auto product = [](const std::string& weights, const std::string& attributes,
                          const std::string& source = "f32", const std::string& result = "f32") {
    return "matmul,jit,undef,src_" + source + ":a:blocked:ab::f0 wei_" + weights + "::f0 dst_" +
           result + ":a:blocked:ab::f0," + attributes + ",,4x8:8x16";
  };
  const std::string plain = "f32:a:blocked:ab";
  EXPECT_THAT(keys(product(plain, "attr-scratchpad:user attr-fpmath:strict")),
              ElementsAre("gemm/m4_n16_k8_nn"));
  EXPECT_THAT(reason(product("s4:a:blocked:ab", "attr-scratchpad:user")),
              HasSubstr("wei of s4 beside one of f32"));
  EXPECT_THAT(reason(product("s8:a:blocked:ab", "attr-scales:wei:2:f32")), HasSubstr("wei of s8"));
  EXPECT_THAT(reason(product(plain, "attr-fpmath:bf16")), HasSubstr("attr-fpmath:bf16"));
  EXPECT_THAT(reason(product(plain, "attr-scales:src0:0:f32")), HasSubstr("attr-scales:src0:0"));
  EXPECT_THAT(reason(product(plain, "attr-dropout:0.5")), HasSubstr("attr-dropout"));
  EXPECT_THAT(reason(product("f32:a:sparse:csr", "")), HasSubstr("a sparse tensor wei"));
  // 8-bit problems have scales and zero points.
  EXPECT_THAT(
      keys(product("s8:a:blocked:ab", "attr-scales:src0:0:f32 attr-zero-points:src0:0:s32", "u8")),
      ElementsAre("gemm/m4_n16_k8_nn_u8"));
  EXPECT_THAT(reason("softmax,jit,forward_inference,src_f32::blocked:ab:f0 dst_f32::blocked:ab:f0,,"
                     "alg:softmax_accurate axis:1 temperature:2,4x8"),
              HasSubstr("temperature:2"));
}

TEST(CallProblems, ConvolutionWhoseEndPadIsAnother) {
  // With an end pad of e, 224 + 1 + e - 3 = 2 * 111 + r: 0 and 1 give the same output, so the begin
  // pad is used.
  EXPECT_THAT(keys("convolution,jit,forward_training,src_f32::blocked:abcd:f0,,,"
                   "mb1_ic3oc8_ih224oh112kh3sh2dh0ph1_iw224ow112kw3sw2dw0pw1"),
              ElementsAre("conv/1x3x224x224_k8x3x3_p1.1.1.1_s2x2_d1x1_g1"));
  // TensorFlow's SAME: 0 before, 1 after: (224 + 1 - 3) / 2 + 1 = 112.
  EXPECT_THAT(keys("convolution,jit,forward_training,src_f32::blocked:abcd:f0,,,"
                   "mb1_ic3oc8_ih224oh112kh3sh2dh0ph0_iw224ow112kw3sw2dw0pw0"),
              ElementsAre("conv/1x3x224x224_k8x3x3_p0.0.1.1_s2x2_d1x1_g1"));
}

TEST(CallProblems, ConvolutionBackward) {
  // PyTorch 2.11: 7 = (16 - 3) / 2 + 1; backward: (7 - 1) * 2 + 3 - 16 = -1 after.
  EXPECT_THAT(
      keys("convolution,brgconv_strided:avx512_core,backward_data,src:f32:a:blocked:acdb::f0 "
           "wei:f32:a:blocked:Bcda16b::f0 bia:undef::undef::: dst:f32:a:blocked:acdb::f0,"
           "attr-scratchpad:user,alg:convolution_direct,"
           "mb4_ic16oc32_ih16oh7kh3sh2dh0ph0_iw16ow7kw3sw2dw0pw0"),
      ElementsAre("deconv/4x32x7x7_k16x3x3_p0.0.-1.-1_s2x2_d1x1_g1"));
  EXPECT_THAT(
      keys("convolution,jit:avx512_core,backward_weights,src:f32:a:blocked:aBcd16b::f0 "
           "wei:f32:a:blocked:ABcd16b16a::f0 bia:f32:a:blocked:a::f0 dst:f32:a:blocked:aBcd16b::f0,"
           "attr-scratchpad:user,alg:convolution_direct,"
           "mb4_ic16oc32_ih16oh7kh3sh2dh0ph0_iw16ow7kw3sw2dw0pw0"),
      ElementsAre("conv_bwd_filter/4x16x16x16_k32x3x3_p0.0.0.0_s2x2_d1x1_g1_bias"));
}

TEST(CallProblems, Deconvolution) {
  EXPECT_THAT(keys("deconvolution,jit:avx512_core,forward_inference,src_f32::blocked:acdb:f0 "
                   "wei_f32::blocked:BAcd16b16a:f0 bia_undef::undef::f0 dst_f32::blocked:acdb:f0,"
                   "attr-scratchpad:user,alg:deconvolution_direct,"
                   "mb1_ic32oc16_ih7oh14kh4sh2dh0ph1_iw7ow14kw4sw2dw0pw1"),
              ElementsAre("deconv/1x32x7x7_k16x4x4_p1.1.1.1_s2x2_d1x1_g1"));
}

TEST(CallProblems, Products) {
  EXPECT_THAT(keys("matmul,brg:avx512_core,undef,src_f32::blocked:ab:f0 wei_f32::blocked:ba:f0 "
                   "dst_f32::blocked:ab:f0,attr-scratchpad:user,,128x3072:3072x768:128x768"),
              ElementsAre("gemm/m128_n768_k3072_nt"));
  EXPECT_THAT(keys("matmul,brg:avx512_core,undef,src_f32::blocked:ab::f0 wei_f32::blocked:ab::f0 "
                   "dst_f32::blocked:ab::f0,attr-scratchpad:user,,128x3072:3072x768"),
              ElementsAre("gemm/m128_n768_k3072_nn"));
  EXPECT_THAT(keys("matmul,brg_matmul:avx512_core_bf16,undef,src:bf16::blocked:abc::f0 "
                   "wei:bf16::blocked:acb::f0 dst:bf16::blocked:abc::f0,attr-scratchpad:user,,"
                   "32x16x8:32x8x16"),
              ElementsAre("gemm/m16_n16_k8_nt_a32_b32"));
  EXPECT_THAT(keys("inner_product,gemm:jit,forward_inference,src_f32::blocked:ab:f0 "
                   "wei_f32::blocked:ab:f0 bia_f32::blocked:a:f0 dst_f32::blocked:ab:f0,,,"
                   "mb8ic2048oc1000"),
              ElementsAre("gemm/m8_n1000_k2048_nt_w_bias"));
  EXPECT_THAT(keys("inner_product,gemm:jit,backward_data,src_f32::blocked:ab:f0 "
                   "wei_f32::blocked:ab:f0 bia_undef::undef::f0 dst_f32::blocked:ab:f0,,,"
                   "mb8ic2048oc1000"),
              ElementsAre("gemm/m8_n2048_k1000_nn"));
  EXPECT_THAT(keys("inner_product,gemm:jit,backward_weights,src_f32::blocked:ab:f0 "
                   "wei_f32::blocked:ab:f0 bia_f32::blocked:a:f0 dst_f32::blocked:ab:f0,,,"
                   "mb8ic2048oc1000"),
              ElementsAre("gemm/m1000_n2048_k8_tn", "reducesum/8x1000_a0"));
}

TEST(CallProblems, Pooling) {
  EXPECT_THAT(keys("pooling_v2,jit:avx512_core,forward_inference,src_f32::blocked:abcd:f0 "
                   "dst_f32::blocked:abcd:f0 ws_undef::undef::f0,attr-scratchpad:user,"
                   "alg:pooling_max,mb1ic64_ih112oh56kh3sh2dh0ph1_iw112ow56kw3sw2dw0pw1"),
              ElementsAre("maxpool/1x64x112x112_k3x3_p1.1.1.1_s2x2_d1x1"));
  EXPECT_THAT(keys("pooling,jit:avx512_core,backward_data,src_f32::blocked:abcd::f0 "
                   "dst_f32::blocked:abcd::f0 ws_undef::undef:::,attr-scratchpad:user,"
                   "alg:pooling_avg_include_padding,mb1ic64_ih8oh4kh2sh2dh0ph0_iw8ow4kw2sw2dw0pw0"),
              ElementsAre("avgpool_bwd/1x64x8x8_k2x2_p0.0.0.0_s2x2_d1x1_exclude"));
}

TEST(CallProblems, ElementByElement) {
  const auto eltwise = [](const std::string& auxiliary, const std::string& kind) {
    return keys("eltwise,jit:avx512_core," + kind +
                ",data_f32::blocked:abc:f0 diff_undef::undef::f0,attr-scratchpad:user," +
                auxiliary + ",1x64x56");
  };
  const std::string forward = "forward_inference";
  EXPECT_THAT(eltwise("alg:eltwise_relu alpha:0 beta:0", forward), ElementsAre("relu/1x64x56"));
  EXPECT_THAT(eltwise("alg:eltwise_relu alpha:0.1 beta:0", forward),
              ElementsAre("leakyrelu/1x64x56_a0.1"));
  EXPECT_THAT(eltwise("alg:eltwise_clip alpha:0 beta:6", forward),
              ElementsAre("clip/1x64x56_a0_b6"));
  EXPECT_THAT(eltwise("alg:eltwise_gelu_erf alpha:0 beta:0", forward), ElementsAre("gelu/1x64x56"));
  EXPECT_THAT(eltwise("alg:eltwise_logistic_use_dst_for_bwd alpha:0 beta:0", "backward_data"),
              ElementsAre("sigmoid_bwd/1x64x56"));
  EXPECT_THAT(eltwise("alg:eltwise_relu alpha:0 beta:0", "backward_data"),
              ElementsAre("relu_bwd/1x64x56"));
  EXPECT_THAT(keys("binary,jit:uni,undef,src_f32::blocked:abcd:f0 src_f32::blocked:abcd:f0 "
                   "dst_f32::blocked:abcd:f0,attr-scratchpad:user,alg:binary_add,"
                   "1x64x56x56:1x64x1x1"),
              ElementsAre("add/1x64x56x56_1x64x1x1"));
  EXPECT_THAT(keys("prelu,jit_uni,forward_inference,data_f32::blocked:abcd:f0 "
                   "wei_f32::blocked:abcd:f0 diff_undef::undef::f0 diff_wei_undef::undef::f0,"
                   "attr-scratchpad:user,,1x64x56x56:1x64x1x1"),
              ElementsAre("prelu/1x64x56x56_1x64x1x1_w"));
}

TEST(CallProblems, RowsAndChannels) {
  EXPECT_THAT(keys("softmax_v2,jit:avx512_core,forward_inference,src_f32::blocked:ab:f0 "
                   "dst_f32::blocked:ab:f0,attr-scratchpad:user,alg:softmax_log axis:1,512x1000"),
              ElementsAre("logsoftmax/512x1000_a1"));
  EXPECT_THAT(keys("softmax_v2,jit:avx512_core,backward_data,src_f32::blocked:ab:f0 "
                   "dst_f32::blocked:ab:f0 diff_dst_f32::blocked:ab:f0,attr-scratchpad:user,"
                   "alg:softmax_accurate axis:1,512x1000"),
              ElementsAre("softmax_bwd/512x1000_a1"));
  const auto batchnorm = [](const std::string& kind, const std::string& flags) {
    return keys("batch_normalization,bnorm_jit:avx512_core," + kind +
                ",data_f32::blocked:abcd:f0 diff_undef::undef::f0,attr-scratchpad:user,flags:" +
                flags + ",mb2ic64ih12iw10");
  };
  EXPECT_THAT(batchnorm("forward_inference", "GCH"), ElementsAre("batchnorm/2x64x12x10_e1e-05"));
  EXPECT_THAT(batchnorm("forward_inference", "GCHR"),
              ElementsAre("batchnorm/2x64x12x10_e1e-05_relu"));
  EXPECT_THAT(batchnorm("forward_training", "CH"),
              ElementsAre("batchnorm_training/2x64x12x10_e1e-05"));
  EXPECT_THAT(batchnorm("backward", "CH"), ElementsAre("batchnorm_bwd/2x64x12x10_e1e-05"));
  EXPECT_THAT(keys("layer_normalization,jit:uni,forward_inference,src_f32::blocked:ab::f0 "
                   "dst_f32::blocked:ab::f0 stats_undef::undef:::,attr-scratchpad:user,flags:CH,"
                   "128x768"),
              ElementsAre("layernorm/128x768_e1e-05_sb"));
  EXPECT_THAT(keys("layer_normalization,simple_layer_normalization:any,backward,"
                   "data_f32::blocked:ab:f0 stats_f32::blocked:a:f0 diff_f32::blocked:ab:f0,"
                   "attr-scratchpad:user,flags:,4x32x768"),
              ElementsAre("layernorm_bwd/128x768_e1e-05"));
  EXPECT_THAT(keys("lrn,jit:avx2,forward_inference,data_f32::blocked:abcd:f0 diff_undef::undef::f0,"
                   "attr-scratchpad:user,alg:lrn_across_channels,mb1ic64ih56iw56ls5beta0.75"),
              ElementsAre("lrn/1x64x56x56_n5_a1e-04_b0.75_k1"));
  EXPECT_THAT(keys("reduction,jit:avx512_core_bf16,undef,src_f32::blocked:ab:f0 "
                   "dst_f32::blocked:ab:f0,attr-scratchpad:user,alg:reduction_mean p:2 eps:0,"
                   "2048x49:2048x1"),
              ElementsAre("reducemean/2048x49_a1"));
  EXPECT_THAT(keys("resampling,jit:avx512_core_bf16,forward_inference,src_f32::blocked:abcd:f0 "
                   "dst_f32::blocked:abcd:f0,attr-scratchpad:user,alg:resampling_linear,"
                   "mb1ic64_ih28oh56_iw28ow56"),
              ElementsAre("resample/1x64x28x28_o56x56_linear"));
  EXPECT_THAT(keys("rnn,brgemm:avx512_core,forward_inference,src_layer_f32::blocked:abc::f0 "
                   "wei_layer_f32:p:blocked:abdEc32e::f0 wei_iter_f32:p:blocked:abdEc32e::f0 "
                   "bias_f32::blocked:abcd::f0 dst_layer_f32::blocked:abc::f0,attr-scratchpad:user,"
                   "alg:vanilla_lstm direction:bidirectional_concat activation:undef flags:,"
                   "l1t5mb1sic50slc30dhc50dic50"),
              ElementsAre("lstm/t5_n1_i30_h50_l1_bidirectional_bias"));
}

TEST(CallProblems, MovementIsSaidByItsStrides) {
  const auto reorder = [](const std::string& from, const std::string& to, const std::string& dims) {
    return keys("reorder,jit:uni,undef,src_f32::blocked:" + from + " dst_f32::blocked:" + to +
                ",,," + dims);
  };
  // 64 x 3136 pixels to 3136 x 64.
  EXPECT_THAT(reorder("abcd:f0", "acdb:f0", "1x64x56x56"),
              ElementsAre("copy/64x3136_f3136.1_t1.64"));
  EXPECT_THAT(reorder("abcd::f0", "abcd::f0", "2x3x4x5"), ElementsAre("copy/120_f1_t1"));
  // Channels as 4 blocks of 16: c = 16 C + i; pixel p. From 784 c + p to 16 * 784 C + 16 p + i.
  EXPECT_THAT(reorder("abcd:f0", "aBcd16b:f0", "1x64x28x28"),
              ElementsAre("copy/4x16x784_f12544.784.1_t12544.1.16"));
  // Rows 150 apart.
  EXPECT_THAT(reorder("ab:150x1:f0", "ab::f0", "10x100"), ElementsAre("copy/10x100_f150.1_t100.1"));
  // 3 channels in a block of 16.
  EXPECT_THAT(reorder("abcd:f0", "aBcd16b:f0", "1x3x28x28").front(), HasSubstr("padding"));
}

TEST(CallProblems, BlocksWithinBlocks) {
  // AcdB16a2b: 32 x 4 x 1 x 1, a = 16 A + i, b = 2 B + j. From 4 a + b; to 64 A + 32 B + 2 i + j.
  const auto problem = keys(
      "reorder,jit:uni,undef,src:bf16::blocked:abcd::f0 "
      "dst:bf16::blocked:AcdB16a2b::f0,,,32x4x1x1");
  EXPECT_THAT(problem, ElementsAre("copy/2x16x2x2_f64.4.2.1_t64.2.32.1"));
}

TEST(CallProblems, JoiningAndConverting) {
  EXPECT_THAT(keys("concat,simple:any,undef,src_f32::blocked:abcd:f0 src_f32::blocked:abcd:f0 "
                   "dst_f32::blocked:abcd:f0,attr-scratchpad:user,axis:1,1x64x28x28:1x128x28x28"),
              ElementsAre("concat/1x64x28x28_1x128x28x28_a1"));
  EXPECT_THAT(keys("reorder,jit:uni,undef,src_f32::blocked:abcd:f0 dst_s8::blocked:abcd:f0,"
                   "attr-oscale:0:8.000000,,1x64x56x56"),
              ElementsAre("quantize/1x64x56x56"));
  EXPECT_TRUE(problems_of(call("concat,simple:any,undef,src_f32::blocked:ab:f0 "
                               "src_f32::blocked:ab:f0 dst_f32::blocked:ab:f0,,axis:0,2x3:2x3"))
                  .moves);
}

TEST(CallProblems, WhatHasNoProblemIsNamed) {
  EXPECT_THAT(reason("shuffle,jit,forward_training,data_f32::blocked:abcd:f0,,axis:1 group:4,"
                     "1x64x56x56"),
              testing::AllOf(HasSubstr("shuffle forward_training 1x64x56x56"),
                             HasSubstr("no problem is known")));
  EXPECT_THAT(reason("convolution,jit,forward_inference,src_f32::blocked:abcd:f0,"
                     "attr-post-ops:dw_k3s1p1,,mb1_ic8oc8_ih8oh8kh1sh1dh0ph0_iw8ow8kw1sw1dw0pw0"),
              HasSubstr("post-operation dw_k3s1p1"));
  EXPECT_THAT(reason("matmul,ref,undef,src_f32::blocked:ab:f0,,,*x3:3x4"),
              HasSubstr("are no extents"));
  EXPECT_THAT(reason("eltwise,jit,backward_data,data_f32::blocked:ab:f0,,"
                     "alg:eltwise_linear alpha:2 beta:1,2x3"),
              HasSubstr("gradient of eltwise_linear"));
}

TEST(CallProblems, PrecisionIsTheOperands) {
  EXPECT_EQ(problems_of(call("matmul,x,undef,src:bf16::blocked:ab::f0 wei:bf16::blocked:ab::f0 "
                             "dst:f32::blocked:ab::f0,,,2x3:3x4"))
                .precision,
            Precision::bf16);
  EXPECT_EQ(problems_of(call("matmul,x,undef,src_u8::blocked:ab::f0 wei_s8::blocked:ab::f0 "
                             "dst_f32::blocked:ab::f0,,,2x3:3x4"))
                .precision,
            Precision::int8);
}

TEST(CallProblems, UnsignedSourcesAreTold) {
  const std::string window = "mb1_ic4oc8_ih8oh8kh3sh1dh0ph1_iw8ow8kw3sw1dw0pw1";
  const std::string rest =
      "wei_s8::blocked:Acdb16a:f0 bia_f32::blocked:a:f0 "
      "dst_s8::blocked:acdb:f0,attr-post-ops:eltwise_relu,";
  for (const std::string type : {"u8", "s8"}) {
    const std::string mark = type == "u8" ? "_u8" : "";
    EXPECT_THAT(keys("convolution,jit,forward_inference,src_" + type + "::blocked:acdb:f0 " + rest +
                     "alg:convolution_direct," + window),
                ElementsAre("conv/1x4x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1" + mark + "_bias_relu"));
    EXPECT_THAT(keys("deconvolution,jit,forward_inference,src_" + type + "::blocked:acdb:f0 " +
                     rest + "alg:deconvolution_direct," + window),
                ElementsAre("deconv/1x4x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1" + mark + "_bias_relu"));
    EXPECT_THAT(keys("inner_product,jit,forward_inference,src_" + type + "::blocked:ab:f0 " + rest +
                     ",mb2ic4oc8"),
                ElementsAre("gemm/m2_n8_k4_nt_w" + mark + "_bias_relu"));
  }
}

TEST(CallProblems, TensorsWithGapsAreTold) {
  const std::string products =
      "matmul,x,undef,src_f32::blocked:ab:64x1:f0 wei_f32::blocked:ab::f0 "
      "dst_f32::blocked:ab::f0,,,2x3:3x4";
  EXPECT_TRUE(problems_of(call(products)).taken_as_dense);
  EXPECT_THAT(keys(products), ElementsAre("gemm/m2_n4_k3_nn"));
}

TEST(CallProblems, OfNvidiasLibrariesTheKeyIsThere) {
  const std::string key_text = "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1";
  const auto call = problems_of({.source = "cudnn",
                                 .engine = "gpu",
                                 .kind = "cudnnConvolutionForward",
                                 .memory = "fp16 nhwc",
                                 .problem = key_text});
  ASSERT_EQ(call.problems.size(), 1);
  EXPECT_EQ(key(call.problems[0]), key_text);
  EXPECT_EQ(call.precision, Precision::fp16);
  const auto unknown = problems_of({.source = "cublas", .kind = "cublasX", .problem = "gemm/"});
  EXPECT_TRUE(unknown.problems.empty());
  EXPECT_NE(unknown.reason.find("cublasX"), std::string::npos);
  EXPECT_EQ(unknown.precision, std::nullopt);
}

TEST(CallProblems, OfCudnnTheRecordedAlgorithmIsAVariant) {
  const std::string problem = "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1";
  const auto variants = [&](const char* source, const char* algorithm, const char* memory) {
    return problems_of({.source = source,
                        .kind = "cudnnBackendExecute",
                        .implementation = algorithm,
                        .memory = memory,
                        .problem = problem})
        .variants;
  };
  EXPECT_THAT(variants("cudnn", "engine 62 TILEK=1 TILE_SIZE=6", "fp16 nhwc"),
              ElementsAre(problem + "/fp16/nhwc/cudnn/engine62.k2=6.k13=1"));
  EXPECT_THAT(variants("cudnn", "implicit_gemm", "fp32 nchw"),
              ElementsAre(problem + "/fp32/nchw/cudnn/implicit_gemm",
                          problem + "/tf32/nchw/cudnn/implicit_gemm"));
  EXPECT_THAT(variants("cudnn", "engine 62 NEW_KNOB=1", "fp16 nhwc"), IsEmpty());
  EXPECT_THAT(variants("cudnn", "engine 62", "fp16"), IsEmpty());
  EXPECT_THAT(variants("cudnn", "", "fp16 nhwc"), IsEmpty());
  EXPECT_THAT(variants("cublaslt", "algorithm 66", "fp16 nhwc"), IsEmpty());
}

}  // namespace
}  // namespace benanza::record
