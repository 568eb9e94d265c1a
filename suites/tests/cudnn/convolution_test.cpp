#include "suites/cudnn/ops/convolution.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "suites/cudnn/primitive/library.h"
#include "suites/harness/primitive.h"
#include "suites/tests/cudnn/case_variants.h"
#include "suites/tests/cudnn/shapes.h"

namespace benanza::cudnn {
namespace {

ConvolutionCall mapped_convolution(std::string_view key, Layout layout = Layout::nchw,
                                   Precision precision = Precision::fp32) {
  return map_convolution(shape_of<Convolution>(key), precision, layout);
}

harness::Traits traits(const Convolution& shape, cudnnConvolutionFwdAlgo_t algorithm) {
  return ConvolutionFunctions<Forward>::traits(shape, algorithm);
}

TEST(RoundingAmplification, OfWinogradAloneAndMoreForLargeFilters) {
  const auto three = shape_of<Convolution>("conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1");
  const auto five = shape_of<Convolution>("conv/1x64x56x56_k64x5x5_p2.2.2.2_s1x1_d1x1_g1");
  const auto of = [](const Convolution& shape, cudnnConvolutionFwdAlgo_t algorithm) {
    return traits(shape, algorithm).rounding_amplification;
  };
  EXPECT_EQ(of(three, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED), 16);
  EXPECT_EQ(of(three, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM), 1);
  EXPECT_EQ(of(five, CUDNN_CONVOLUTION_FWD_ALGO_FFT), 1);
  EXPECT_GT(of(five, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED), 123);
}

TEST(MapConvolution, TwoAxes) {
  const auto call =
      mapped_convolution("conv/2x64x56x28_k128x3x5_p1.2.1.2_s2x1_d1x1_g1", Layout::nhwc);
  EXPECT_EQ(call.image.dims, (Dims{2, 64, 56, 28}));
  EXPECT_EQ(call.image.strides, (Dims{64 * 56 * 28, 1, 64 * 28, 64}));
  EXPECT_EQ(call.weights.dims, (Dims{128, 64, 3, 5}));
  EXPECT_EQ(call.weights.strides, (Dims{64 * 15, 1, 64 * 5, 64}));
  EXPECT_EQ(call.bias.dims, (Dims{1, 128, 1, 1}));
  // floor((56 + 2 - 3) / 2) + 1 = 28; 28 + 4 - 5 + 1 = 28.
  EXPECT_EQ(call.features.dims, (Dims{2, 128, 28, 28}));
  EXPECT_EQ(call.pads, (Dims{1, 2}));
  EXPECT_EQ(call.strides, (Dims{2, 1}));
  EXPECT_EQ(call.dilations, (Dims{1, 1}));
  EXPECT_FALSE(call.padded);
}

TEST(MapConvolution, OneAxisIsAnImageOfHeightOne) {
  const auto call = mapped_convolution("conv/1x16x100_k32x3_p2.2_s2_d2_g1");
  EXPECT_EQ(call.image.dims, (Dims{1, 16, 1, 100}));
  EXPECT_EQ(call.weights.dims, (Dims{32, 16, 1, 3}));
  EXPECT_EQ(call.features.dims, (Dims{1, 32, 1, 50}));
  EXPECT_EQ(call.pads, (Dims{0, 2}));
  EXPECT_EQ(call.strides, (Dims{1, 2}));
  EXPECT_EQ(call.dilations, (Dims{1, 2}));
}

TEST(MapConvolution, ThreeAxesChannelsInnermost) {
  const auto call =
      mapped_convolution("conv/1x4x8x9x10_k6x3x3x3_p1.1.1.1.1.1_s1x1x1_d1x1x1_g1", Layout::nhwc);
  EXPECT_EQ(call.image.strides, (Dims{2880, 1, 360, 40, 4}));
  EXPECT_EQ(call.weights.dims, (Dims{6, 4, 3, 3, 3}));
  EXPECT_EQ(call.bias.dims, (Dims{1, 6, 1, 1, 1}));
  EXPECT_EQ(call.features.dims, (Dims{1, 6, 8, 9, 10}));
}

TEST(MapConvolution, WeightsHoldTheChannelsOfOneGroup) {
  const auto grouped = mapped_convolution("conv/1x64x8x8_k128x3x3_p1.1.1.1_s1x1_d1x1_g4");
  EXPECT_EQ(grouped.weights.dims, (Dims{128, 16, 3, 3}));
  EXPECT_EQ(grouped.groups, 4);
  const auto depthwise = mapped_convolution("conv/1x32x8x8_k32x3x3_p1.1.1.1_s1x1_d1x1_g32");
  EXPECT_EQ(depthwise.weights.dims, (Dims{32, 1, 3, 3}));
  EXPECT_EQ(depthwise.groups, 32);
}

// MobileNet from TensorFlow: pads 0 0 before, 1 1 after.
TEST(MapConvolution, UnequalPadsReadAPaddedCopy) {
  const auto call = mapped_convolution("conv/1x3x224x224_k32x3x3_p0.0.1.1_s2x2_d1x1_g1");
  ASSERT_TRUE(call.padded);
  EXPECT_EQ(call.image.dims, (Dims{1, 3, 224, 224}));
  EXPECT_EQ(call.image_of_library().dims, (Dims{1, 3, 225, 225}));
  EXPECT_EQ(call.padded->interior.offset, 0);
  EXPECT_EQ(call.pads, (Dims{0, 0}));
  EXPECT_EQ(call.features.dims, (Dims{1, 32, 112, 112}));
}

TEST(MapConvolution, BiasOfIntegersIsFloat) {
  const std::string_view key = "conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1";
  EXPECT_EQ(mapped_convolution(key, Layout::nhwc, Precision::int8).bias.precision, Precision::fp32);
  EXPECT_EQ(mapped_convolution(key, Layout::nhwc, Precision::fp16).bias.precision, Precision::fp16);
}

// The library must derive the same output extents as ours from pads, strides, dilations and groups.
// Needs no GPU.
TEST(RealDescriptors, AgreeOnTheOutput) {
  for (const harness::Variant& asked : variants_of<Convolution>("descriptors")) {
    SCOPED_TRACE(key(asked.problem));
    const ConvolutionCall call =
        map_convolution(std::get<Convolution>(asked.problem.shape), asked.precision, asked.layout);
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

cudnnMathType_t math_of(Precision precision) {
  const auto descriptor = make_convolution({0, 0}, {1, 1}, {1, 1}, 1, precision);
  cudnnMathType_t math{};
  EXPECT_EQ(cudnnGetConvolutionMathType(descriptor.get(), &math), CUDNN_STATUS_SUCCESS);
  return math;
}

cudnnDataType_t sum_type_of(Precision precision) {
  const auto descriptor = make_convolution({0, 0}, {1, 1}, {1, 1}, 1, precision);
  std::array<int, 2> pads{};
  std::array<int, 2> strides{};
  std::array<int, 2> dilations{};
  int rank = 0;
  cudnnConvolutionMode_t mode{};
  cudnnDataType_t type{};
  EXPECT_EQ(cudnnGetConvolutionNdDescriptor(descriptor.get(), 2, &rank, pads.data(), strides.data(),
                                            dilations.data(), &mode, &type),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(mode, CUDNN_CROSS_CORRELATION);
  return type;
}

TEST(MakeConvolution, OnlyFp32ForbidsTensorCores) {
  EXPECT_EQ(math_of(Precision::fp32), CUDNN_FMA_MATH);
  EXPECT_EQ(math_of(Precision::tf32), CUDNN_DEFAULT_MATH);
  EXPECT_EQ(math_of(Precision::fp16), CUDNN_TENSOR_OP_MATH);
  EXPECT_EQ(math_of(Precision::bf16), CUDNN_TENSOR_OP_MATH);
}

TEST(MakeConvolution, HalvesAreSummedInFloat) {
  EXPECT_EQ(sum_type_of(Precision::fp16), CUDNN_DATA_FLOAT);
  EXPECT_EQ(sum_type_of(Precision::bf16), CUDNN_DATA_FLOAT);
  EXPECT_EQ(sum_type_of(Precision::int8), CUDNN_DATA_INT32);
}

TEST(ConvolutionAlgorithms, NamesAreTheLibrarys) {
  const auto named = ConvolutionFunctions<Forward>::named;
  EXPECT_EQ(named("implicit_gemm"), CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM);
  EXPECT_EQ(named("implicit_precomp_gemm"), CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM);
  EXPECT_EQ(named("gemm"), CUDNN_CONVOLUTION_FWD_ALGO_GEMM);
  EXPECT_EQ(named("direct"), CUDNN_CONVOLUTION_FWD_ALGO_DIRECT);
  EXPECT_EQ(named("fft"), CUDNN_CONVOLUTION_FWD_ALGO_FFT);
  EXPECT_EQ(named("fft_tiling"), CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING);
  EXPECT_EQ(named("winograd"), CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD);
  EXPECT_EQ(named("winograd_nonfused"), CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED);
  EXPECT_EQ(named("winograd_fused"), std::nullopt);
}

TEST(ConvolutionAlgorithms, TransformAsTheirNamesSay) {
  const auto shape = shape_of<Convolution>("conv/1x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1");
  for (int i = 0; i < CUDNN_CONVOLUTION_FWD_ALGO_COUNT; ++i) {
    const bool wanted = i == CUDNN_CONVOLUTION_FWD_ALGO_FFT ||
                        i == CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING ||
                        i == CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD ||
                        i == CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED;
    EXPECT_EQ(traits(shape, static_cast<cudnnConvolutionFwdAlgo_t>(i)).transforms, wanted) << i;
  }
}

cudnnConvolutionFwdAlgoPerf_t answer(cudnnConvolutionFwdAlgo_t algorithm, cudnnMathType_t math,
                                     cudnnStatus_t status = CUDNN_STATUS_SUCCESS) {
  cudnnConvolutionFwdAlgoPerf_t perf{};
  perf.algo = algorithm;
  perf.mathType = math;
  perf.status = status;
  return perf;
}

// An algorithm may be listed twice, with and without Tensor Cores: its first position is its rank.
TEST(AnswerFor, CountsEveryAlgorithmOnceAndOnlySupportedOnes) {
  const std::vector answers{
      answer(CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD, CUDNN_TENSOR_OP_MATH, CUDNN_STATUS_NOT_SUPPORTED),
      answer(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, CUDNN_TENSOR_OP_MATH),
      answer(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, CUDNN_FMA_MATH),
      answer(CUDNN_CONVOLUTION_FWD_ALGO_FFT, CUDNN_FMA_MATH),
      answer(CUDNN_CONVOLUTION_FWD_ALGO_GEMM, CUDNN_DEFAULT_MATH)};
  const auto precomp = answer_for(answers, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM);
  EXPECT_EQ(precomp.rank, 1);
  EXPECT_EQ(precomp.tensor_core_claimed, true);
  const auto fft = answer_for(answers, CUDNN_CONVOLUTION_FWD_ALGO_FFT);
  EXPECT_EQ(fft.rank, 2);
  EXPECT_EQ(fft.tensor_core_claimed, false);
  const auto gemm = answer_for(answers, CUDNN_CONVOLUTION_FWD_ALGO_GEMM);
  EXPECT_EQ(gemm.rank, 3);
  EXPECT_EQ(gemm.tensor_core_claimed, std::nullopt);
  EXPECT_EQ(answer_for(answers, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD).rank, std::nullopt);
  EXPECT_EQ(answer_for(answers, CUDNN_CONVOLUTION_FWD_ALGO_DIRECT).rank, std::nullopt);
}

TEST(OrderedByRank, ListsAllEightTheChosenOneFirst) {
  const std::vector answers{answer(CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED, CUDNN_FMA_MATH),
                            answer(CUDNN_CONVOLUTION_FWD_ALGO_GEMM, CUDNN_FMA_MATH)};
  const auto order = ordered_by_rank(answers, CUDNN_CONVOLUTION_FWD_ALGO_COUNT);
  ASSERT_EQ(order.size(), 8U);
  EXPECT_EQ(order[0], CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED);
  EXPECT_EQ(order[1], CUDNN_CONVOLUTION_FWD_ALGO_GEMM);
  EXPECT_EQ(order[2], CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM);
  EXPECT_EQ(order[7], CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD);
}

Epilogue epilogue_of(const char* words) {
  return parse(std::string("conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1") + words).epilogue;
}

TEST(FusedConvolution, WithoutAnActivationOnlyOneAlgorithmIsAsked) {
  const auto offered = [](const char* words) {
    int count = 0;
    for (int i = 0; i < CUDNN_CONVOLUTION_FWD_ALGO_COUNT; ++i) {
      if (Forward::offers(epilogue_of(words), static_cast<cudnnConvolutionFwdAlgo_t>(i))) ++count;
    }
    return count;
  };
  for (const char* words : {"", "_relu", "_bias_residual_relu"}) EXPECT_EQ(offered(words), 8);
  for (const char* words : {"_bias", "_residual", "_bias_residual"}) {
    EXPECT_EQ(offered(words), 1);
    EXPECT_TRUE(
        Forward::offers(epilogue_of(words), CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM));
  }
}

TEST(FusedConvolution, KnowsReluAlone) {
  EXPECT_EQ(fused_activation(epilogue_of("_bias")), CUDNN_ACTIVATION_IDENTITY);
  EXPECT_EQ(fused_activation(epilogue_of("_bias_residual_relu")), CUDNN_ACTIVATION_RELU);
  // A clipped relu must not become a plain one, nor the reverse.
  for (const char* words : {"_bias_clip_a0_b6", "_bias_leakyrelu_a0.1", "_sigmoid", "_elu_a1"}) {
    EXPECT_THROW(fused_activation(epilogue_of(words)), harness::Unsupported) << words;
  }
}

// A relu whose descriptor bounds it at 0 would return zeros.
TEST(FusedConvolution, ReluHasNoUpperBound) {
  const auto activation =
      make_activation(CUDNN_ACTIVATION_RELU, std::numeric_limits<double>::max());
  cudnnActivationMode_t mode{};
  cudnnNanPropagation_t nan{};
  double bound = 0;
  ASSERT_EQ(cudnnGetActivationDescriptor(activation.get(), &mode, &nan, &bound),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(mode, CUDNN_ACTIVATION_RELU);
  EXPECT_EQ(bound, std::numeric_limits<double>::max());
}

}  // namespace
}  // namespace benanza::cudnn
