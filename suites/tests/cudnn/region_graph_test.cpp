// Steps after products and elementwise calls as graphs: the engines that the library offers for a
// described H100.
#include <gmock/gmock.h>

#include "suites/cudnn/ops/activation/activation.h"
#include "suites/cudnn/ops/batch_normalization.h"
#include "suites/cudnn/ops/binary/binary.h"
#include "suites/cudnn/ops/convolution/convolution.h"
#include "suites/cudnn/ops/deconvolution/deconvolution.h"
#include "suites/cudnn/ops/gemm.h"
#include "suites/harness/primitive.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

GraphsOf graphs_of(const char* key) {
  const Shape shape = parse(key).shape;
  return [shape](const harness::Variant& variant) -> GraphCalls {
    if (const auto* gemm = std::get_if<Gemm>(&shape)) return gemm_graphs(*gemm, variant);
    if (const auto* binary = std::get_if<Binary>(&shape)) return binary_graphs(*binary, variant);
    if (const auto* function = std::get_if<Activation>(&shape)) {
      return activation_graphs(*function, variant);
    }
    if (const auto* norm = std::get_if<BatchNormalization>(&shape)) {
      return batch_normalization_graphs(*norm, variant);
    }
    if (const auto* transposed = std::get_if<Deconvolution>(&shape)) {
      return deconvolution_graphs(*transposed, variant);
    }
    return convolution_graphs(std::get<Convolution>(shape), variant);
  };
}

TEST(GemmGraph, MatricesLieAsTheProblemHasThem) {
  const char* key = "gemm/m128_n3072_k768_nt_w_bias_gelu";
  const auto calls = graphs_of(key)(variant(key, Precision::fp16));
  ASSERT_THAT(calls, SizeIs(1));
  ASSERT_THAT(calls[0].inputs, SizeIs(3));
  EXPECT_THAT(calls[0].inputs[1].dims, ElementsAre(3072, 768));
  EXPECT_THAT(calls[0].output.dims, ElementsAre(128, 3072));
  EXPECT_THAT(calls[0].bound, SizeIs(4));
}

TEST(GemmGraph, WhatCublasDoesAsWellIsLeftToIt) {
  const char* plain = "gemm/m128_n3072_k768_nn_w";
  EXPECT_THROW(graphs_of(plain)(variant(plain, Precision::fp16)), harness::Unsupported);
  const char* bytes = "gemm/m128_n3072_k768_nn_w_bias";
  EXPECT_THROW(graphs_of(bytes)(variant(bytes, Precision::int8)), harness::Unsupported);
  // A's matrices are broadcast along only one axis of the batch.
  const char* partly = "gemm/m8_n8_k8_nn_a2x1_b2x3_relu";
  EXPECT_THROW(graphs_of(partly)(variant(partly, Precision::fp16)), harness::Unsupported);
}

TEST_F(H100, FusesStepsBehindProducts) {
  for (const char* key :
       {"gemm/m128_n3072_k768_nn_w_bias_gelu", "gemm/m128_n768_k3072_nn_w_bias_residual",
        "gemm/m128_n768_k3072_nt_w_bias_residual_relu",
        "gemm/m64_n64_k64_nn_a12_b12_relu_mul_y12x64x64"}) {
    EXPECT_THAT(names(graphs_of(key), variant(key, Precision::fp16)), Not(IsEmpty())) << key;
    EXPECT_THAT(names(graphs_of(key), variant(key, Precision::bf16)), Not(IsEmpty())) << key;
  }
}

TEST_F(H100, FusesStepsBehindConvolutions) {
  for (const char* key :
       {"conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1_bias_swish_a1_add_y1x64x56x56",
        "conv/1x64x56x56_k64x1x1_p0.0.0.0_s1x1_d1x1_g1_bias_sigmoid_mul_y1x64x56x56"}) {
    EXPECT_THAT(names(graphs_of(key), variant(key, Precision::fp16, Layout::nhwc)), Not(IsEmpty()))
        << key;
  }
}

TEST(BatchNormalizationGraph, VectorsAreFp32) {
  const char* key = "batchnorm/2x8x5x5_e1e-05_relu_add_y2x8x5x5";
  const auto calls = graphs_of(key)(variant(key, Precision::fp16, Layout::nhwc));
  ASSERT_THAT(calls, SizeIs(1));
  ASSERT_THAT(calls[0].inputs, SizeIs(6));
  EXPECT_EQ(calls[0].inputs[4].precision, Precision::fp32);
  EXPECT_THAT(calls[0].inputs[4].dims, ElementsAre(1, 8, 1, 1));
  EXPECT_EQ(calls[0].inputs[5], calls[0].output);
  EXPECT_THAT(calls[0].bound, SizeIs(7));
}

TEST(DeconvolutionGraph, OutputPaddingNeedsNoPad) {
  // 4 pixels with stride 2 and filters of 3: 9 pixels; 7, plus 1, with the pads.
  const char* padded = "deconv/1x8x4x4_k8x3x3_p1.1.0.0_s2x2_d1x1_g1";
  const auto calls = graphs_of(padded)(variant(padded, Precision::fp16, Layout::nhwc));
  EXPECT_THAT(calls.at(0).output.dims, ElementsAre(1, 8, 8, 8));
  const char* beyond = "deconv/1x8x4x4_k8x3x3_p0.0.-2.-2_s2x2_d1x1_g1";
  EXPECT_THROW(graphs_of(beyond)(variant(beyond, Precision::fp16, Layout::nhwc)),
               harness::Unsupported);
}

TEST_F(H100, FusesStepsBehindBatchNormalizationsAndTransposedConvolutions) {
  for (const char* key : {"batchnorm/1x64x56x56_e1e-05", "batchnorm/1x64x56x56_e1e-05_relu",
                          "deconv/1x64x14x14_k32x2x2_p0.0.0.0_s2x2_d1x1_g1",
                          "deconv/1x64x14x14_k32x4x4_p1.1.1.1_s2x2_d1x1_g1_bias"}) {
    EXPECT_THAT(names(graphs_of(key), variant(key, Precision::fp16, Layout::nhwc)), Not(IsEmpty()))
        << key;
  }
}

TEST_F(H100, FusesStepsBehindElementwiseCalls) {
  for (const char* key : {"add/1x64x56x56_1x64x56x56_relu", "swish/1x96x56x56_a1_mul_y1x96x1x1",
                          "mul/1x96x56x56_1x96x1x1_w_add_y1x96x56x56", "sigmoid/1x96_rsub_y1x96"}) {
    for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
      EXPECT_THAT(names(graphs_of(key), variant(key, Precision::fp16, layout)), Not(IsEmpty()))
          << key;
    }
  }
}

}  // namespace
}  // namespace benanza::cudnn
