// Steps after products and elementwise calls as graphs: the engines that the library offers for a
// described H100.
#include <gmock/gmock.h>

#include "suites/cudnn/ops/activation.h"
#include "suites/cudnn/ops/binary.h"
#include "suites/cudnn/ops/convolution.h"
#include "suites/cudnn/ops/deconvolution.h"
#include "suites/cudnn/ops/graphs.h"
#include "suites/harness/primitive.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

GraphsOf region_graphs_of(const char* key) {
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
  const auto calls = region_graphs_of(key)(variant(key, Precision::fp16));
  ASSERT_THAT(calls, SizeIs(1));
  ASSERT_THAT(calls[0].inputs, SizeIs(3));
  EXPECT_THAT(calls[0].inputs[1].dims, ElementsAre(3072, 768));
  EXPECT_THAT(calls[0].output.dims, ElementsAre(128, 3072));
  EXPECT_THAT(calls[0].bound, SizeIs(4));
}

TEST(BatchNormalizationGraph, VectorsAreFp32) {
  const char* key = "batchnorm/2x8x5x5_e1e-05_relu_add_y2x8x5x5";
  const auto calls = region_graphs_of(key)(variant(key, Precision::fp16, Layout::nhwc));
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
  const auto calls = region_graphs_of(padded)(variant(padded, Precision::fp16, Layout::nhwc));
  EXPECT_THAT(calls.at(0).output.dims, ElementsAre(1, 8, 8, 8));
  const char* beyond = "deconv/1x8x4x4_k8x3x3_p0.0.-2.-2_s2x2_d1x1_g1";
  EXPECT_THROW(region_graphs_of(beyond)(variant(beyond, Precision::fp16, Layout::nhwc)),
               harness::Unsupported);
}

}  // namespace
}  // namespace benanza::cudnn
