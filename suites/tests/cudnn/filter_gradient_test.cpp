// Filter gradients of convolutions: the call's parts, and the engines that the library offers for a
// described H100.
#include "suites/cudnn/ops/convolution_filter_gradient.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>

#include "suites/cudnn/ops/convolution.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/harness/primitive.h"
#include "suites/tests/cudnn/case_variants.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

const char* const dense_gradient_key = "conv_bwd_filter/32x64x56x56_k128x3x3_p1.1.1.1_s2x2_d1x1_g1";
const char* const uneven_gradient_key = "conv_bwd_filter/8x16x30x30_k16x3x3_p0.0.1.1_s2x2_d1x1_g1";
const char* const depthwise_gradient_key =
    "conv_bwd_filter/8x96x56x56_k96x3x3_p1.1.1.1_s1x1_d1x1_g96";

GraphsOf filter_gradient_graphs_of(const char* key) {
  return bound(filter_gradient_graphs, shape_of<ConvolutionFilterGradient>(key));
}

using Functions = ConvolutionFunctions<FilterGradient>;

harness::Traits traits(int algorithm, const ConvolutionFilterGradient& shape =
                                          shape_of<ConvolutionFilterGradient>(dense_gradient_key)) {
  return Functions::traits(shape, static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm));
}

TEST(FilterGradientAlgorithms, NamesAreTheLibrarys) {
  EXPECT_EQ(Functions::named("algo_0"), CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0);
  EXPECT_EQ(Functions::named("algo_1"), CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1);
  EXPECT_EQ(Functions::named("fft"), CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT);
  EXPECT_EQ(Functions::named("algo_3"), CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3);
  EXPECT_EQ(Functions::named("winograd"), CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD);
  EXPECT_EQ(Functions::named("winograd_nonfused"),
            CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED);
  EXPECT_EQ(Functions::named("fft_tiling"), CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING);
  EXPECT_EQ(Functions::named("algo_2"), std::nullopt);
}

// 2 * 32 * 128 * 64 FLOP per pair of output and tap on the image. Along an axis there are 28
// outputs of 3 taps, minus the first tap of the first output, which is on the begin pad.
TEST(FilterGradientAlgorithms, TransformsMaySaveAnyArithmetic) {
  const auto least = [](int algorithm) {
    return least_work(parse(dense_gradient_key), Precision::fp16, traits(algorithm), false);
  };
  EXPECT_DOUBLE_EQ(least(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1).work.flops,
                   2.0 * 32 * 128 * 64 * 83 * 83);
  for (const int algorithm :
       {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD,
        CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT,
        CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING}) {
    EXPECT_TRUE(traits(algorithm).transforms) << algorithm;
    EXPECT_TRUE(std::isinf(least(algorithm).arithmetic_saving)) << algorithm;
  }
  for (const int algorithm :
       {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1,
        CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3}) {
    EXPECT_EQ(least(algorithm).arithmetic_saving, 1) << algorithm;
  }
}

TEST(FilterGradientAlgorithms, WinogradAloneRoundsMore) {
  for (int i = 0; i < CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT; ++i) {
    const bool tiles = i == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED;
    EXPECT_EQ(traits(i).rounding_amplification, tiles ? 16 : 1) << i;
  }
}

TEST(FilterGradientAlgorithms, AtomicsAddASumForEveryImage) {
  auto shape = shape_of<ConvolutionFilterGradient>(dense_gradient_key);
  ASSERT_EQ(shape.forward.input[0], 32);
  for (int i = 0; i < CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT; ++i) {
    const bool atomic =
        i == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 || i == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3;
    EXPECT_EQ(traits(i).partial_sums, atomic ? 32 : 4) << i;
  }
  shape.forward.input[0] = 1;
  EXPECT_EQ(traits(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, shape).partial_sums, 4);
}

TEST(FilterGradient, BiasesAndIntegersAreRefused) {
  const std::string with_bias = std::string(dense_gradient_key) + "_bias";
  EXPECT_THROW(
      filter_gradient_graphs_of(with_bias.c_str())(variant(with_bias.c_str(), Precision::fp32)),
      harness::Unsupported);
  EXPECT_THROW(filter_gradient_graphs_of(dense_gradient_key)(
                   variant(dense_gradient_key, Precision::int8, Layout::nhwc)),
               harness::Unsupported);
}

TEST(FilterGradientGraph, ReadsInputAndGradientAndWritesWeights) {
  const auto calls = filter_gradient_graphs_of(dense_gradient_key)(
      variant(dense_gradient_key, Precision::fp16, Layout::nhwc));
  ASSERT_THAT(calls, SizeIs(1));
  ASSERT_THAT(calls[0].inputs, SizeIs(2));
  EXPECT_THAT(calls[0].inputs[0].dims, ElementsAre(32, 64, 56, 56));
  EXPECT_THAT(calls[0].inputs[1].dims, ElementsAre(32, 128, 28, 28));
  EXPECT_THAT(calls[0].output.dims, ElementsAre(128, 64, 3, 3));
  EXPECT_THAT(calls[0].output.strides, ElementsAre(576, 1, 192, 64));
  EXPECT_THAT(calls[0].bound, ElementsAre(0, 1, 2));
  EXPECT_TRUE(calls[0].graph().has_products());
  // Winograd, though its notes do not say so.
  EXPECT_THAT(calls[0].silent_transforms, ElementsAre(17));
  EXPECT_TRUE(calls[0].adds_slices);
}

TEST_F(H100, OffersFilterGradientsManyConfigurations) {
  for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
    for (const Precision precision :
         {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16}) {
      const auto found = names(filter_gradient_graphs_of(dense_gradient_key),
                               variant(dense_gradient_key, precision, layout));
      EXPECT_GT(found.size(), 1U) << to_string(precision) << ' ' << to_string(layout);
      EXPECT_THAT(found, Each(testing::HasSubstr("engine")));
    }
  }
}

TEST_F(H100, PlansFilterGradients) {
  auto asked = variant(dense_gradient_key, Precision::fp16, Layout::nhwc);
  const auto graphs = filter_gradient_graphs_of(dense_gradient_key);
  asked.algorithm = names(graphs, asked).at(0);
  EXPECT_GE(workspace(graphs, asked), 0);
}

// The library must map the input that it reads to the gradient that it is given.
TEST(RealFilterGradient, AgreesOnTheOutputsExtents) {
  for (const harness::Variant& asked : variants_of<ConvolutionFilterGradient>("descriptors")) {
    SCOPED_TRACE(key(asked.problem));
    const Convolution forward = std::get<ConvolutionFilterGradient>(asked.problem.shape).forward;
    const ConvolutionCall call = map_convolution(forward, asked.precision, asked.layout);
    const ConvolutionDescriptors descriptors = describe(call, asked.layout, asked.precision);
    std::array<int, CUDNN_DIM_MAX> dims{};
    const auto rank = static_cast<int>(call.features.dims.size());
    ASSERT_EQ(cudnnGetConvolutionNdForwardOutputDim(descriptors.convolution.get(),
                                                    descriptors.image_of_library.get(),
                                                    descriptors.weights.get(), rank, dims.data()),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(Dims(dims.begin(), dims.begin() + rank), call.features.dims);
  }
}

}  // namespace
}  // namespace benanza::cudnn
