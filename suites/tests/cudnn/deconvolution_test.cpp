#include "suites/cudnn/ops/deconvolution.h"

#include <gtest/gtest.h>

#include <array>

#include "suites/harness/primitive.h"
#include "suites/tests/cudnn/case_variants.h"
#include "suites/tests/cudnn/shapes.h"

namespace benanza::cudnn {
namespace {

ConvolutionCall mapped_deconvolution(std::string_view key, Layout layout = Layout::nchw,
                                     Precision precision = Precision::fp32) {
  return map_convolution(shape_of<Deconvolution>(key), precision, layout);
}

// DCGAN's doubling: (7 - 1) * 2 + 4 - 2 = 14.
TEST(MapDeconvolution, TwoAxes) {
  const auto call =
      mapped_deconvolution("deconv/2x64x7x7_k32x4x4_p1.1.1.1_s2x2_d1x1_g1", Layout::nhwc);
  EXPECT_EQ(call.features.dims, (Dims{2, 64, 7, 7}));
  EXPECT_EQ(call.features.strides, (Dims{64 * 49, 1, 64 * 7, 64}));
  EXPECT_EQ(call.weights.dims, (Dims{64, 32, 4, 4}));
  EXPECT_EQ(call.image.dims, (Dims{2, 32, 14, 14}));
  EXPECT_EQ(call.pads, (Dims{1, 1}));
  EXPECT_EQ(call.strides, (Dims{2, 2}));
  EXPECT_FALSE(call.padded);
}

TEST(MapDeconvolution, OneAxisIsAnImageOfHeightOne) {
  const auto call = mapped_deconvolution("deconv/1x16x10_k8x3_p1.1_s2_d3_g2");
  EXPECT_EQ(call.features.dims, (Dims{1, 16, 1, 10}));
  EXPECT_EQ(call.weights.dims, (Dims{16, 4, 1, 3}));
  // 9 * 2 + 7 - 2 = 23.
  EXPECT_EQ(call.image.dims, (Dims{1, 8, 1, 23}));
  EXPECT_EQ(call.pads, (Dims{0, 1}));
  EXPECT_EQ(call.strides, (Dims{1, 2}));
  EXPECT_EQ(call.dilations, (Dims{1, 3}));
  EXPECT_EQ(call.groups, 2);
}

Padding split(std::string_view key) { return split_output_padding(shape_of<Deconvolution>(key)); }

TEST(SplitOutputPadding, OutputPaddingBelowTheStrideIsFree) {
  // output_padding 1 makes the end pad 0: the library writes 14 pixels instead of 13.
  EXPECT_EQ(split("deconv/1x1x7_k1x3_p1.0_s2_d1_g1"), (Padding{{1}, {0}, {0}}));
  EXPECT_EQ(split("deconv/1x1x7_k1x3_p0.-1_s2_d1_g1"), (Padding{{0}, {0}, {0}}));
}

TEST(SplitOutputPadding, ALargerEndPadIsCutOff) {
  // 8 pixels, pads 0 and 1: the library writes 8, the last one is dropped.
  EXPECT_EQ(split("deconv/1x1x4_k1x2_p0.1_s2_d1_g1"), (Padding{{0}, {0}, {1}}));
}

TEST(SplitOutputPadding, ALargerBeginPadIsCutOff) {
  // 6 + 3 = 9 pixels without pads; pads 2 and 0 at stride 1: the library writes them all.
  EXPECT_EQ(split("deconv/1x1x7_k1x3_p2.0_s1_d1_g1"), (Padding{{0}, {2}, {0}}));
  // At stride 2 a pad of 1 on both sides leaves 13 or 14 pixels: the first one is dropped.
  EXPECT_EQ(split("deconv/1x1x7_k1x3_p2.0_s2_d1_g1"), (Padding{{1}, {1}, {0}}));
}

TEST(SplitOutputPadding, PixelsOutOfReachAreRefused) {
  EXPECT_THROW(split("deconv/1x1x4_k1x2_p0.-2_s2_d3_g1"), harness::Unsupported);
}

// The library must map what it writes to our input, and the output must lie inside it at the begin
// pad.
TEST(RealDeconvolution, IsTheGradientOfAConvolutionToTheInput) {
  for (const harness::Variant& asked : variants_of<Deconvolution>("descriptors")) {
    SCOPED_TRACE(key(asked.problem));
    const auto& shape = std::get<Deconvolution>(asked.problem.shape);
    const ConvolutionCall call = map_convolution(shape, asked.precision, asked.layout);
    const ConvolutionDescriptors descriptors = describe(call, asked.layout, asked.precision);
    std::array<int, CUDNN_DIM_MAX> dims{};
    const auto rank = static_cast<int>(call.features.dims.size());
    ASSERT_EQ(cudnnGetConvolutionNdForwardOutputDim(descriptors.convolution.get(),
                                                    descriptors.image_of_library.get(),
                                                    descriptors.weights.get(), rank, dims.data()),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(Dims(dims.begin(), dims.begin() + rank), call.features.dims);
    const Padding padding = split_output_padding(shape);
    for (std::size_t axis = 0; axis < shape.window.rank(); ++axis) {
      EXPECT_EQ(padding.symmetric[axis] + padding.begin[axis], shape.window.pads[axis]);
      EXPECT_GE(padding.begin[axis], 0);
      EXPECT_GE(padding.end[axis], 0);
    }
    EXPECT_EQ(call.padded.has_value(), padding.needs_copy());
    if (call.padded) {
      EXPECT_EQ(call.padded->interior.format.dims, call.image.dims);
    }
  }
}

TEST(SplitOutputPadding, EveryWindowIsComputedExactly) {
  int copies = 0;
  int refused = 0;
  for (std::int64_t input = 1; input <= 5; ++input)
    for (std::int64_t kernel = 1; kernel <= 4; ++kernel)
      for (std::int64_t begin = 0; begin <= 3; ++begin)
        for (std::int64_t end = -2; end <= 3; ++end)
          for (std::int64_t stride = 1; stride <= 3; ++stride)
            for (std::int64_t dilation = 1; dilation <= 2; ++dilation) {
              const Deconvolution shape{.input = {1, 1, input},
                                        .filters = 1,
                                        .window = {.kernel = {kernel},
                                                   .pads = {begin, end},
                                                   .strides = {stride},
                                                   .dilations = {dilation}}};
              const std::int64_t outputs = shape.output()[2];
              if (outputs < 1) continue;
              if (end <= -stride) {
                EXPECT_THROW(split_output_padding(shape), harness::Unsupported);
                ++refused;
                continue;
              }
              const Padding split = split_output_padding(shape);
              copies += split.needs_copy() ? 1 : 0;
              const std::int64_t pad = split.symmetric[0];
              const std::int64_t written = outputs + split.begin[0] + split.end[0];
              // The convolution from the written pixels to the input exists, and output 0 is pixel
              // `begin` of the unpadded result.
              const Window forward{.kernel = {kernel},
                                   .pads = {pad, pad},
                                   .strides = {stride},
                                   .dilations = {dilation}};
              ASSERT_EQ(forward.output({written})[0], input);
              ASSERT_EQ(pad + split.begin[0], begin);
              ASSERT_GE(pad, 0);
            }
  EXPECT_GT(copies, 100);
  EXPECT_GT(refused, 10);
}

TEST(DeconvolutionAlgorithms, NamesAreTheLibrarys) {
  const auto named = ConvolutionFunctions<DataGradient>::named;
  EXPECT_EQ(named("algo_0"), CUDNN_CONVOLUTION_BWD_DATA_ALGO_0);
  EXPECT_EQ(named("algo_1"), CUDNN_CONVOLUTION_BWD_DATA_ALGO_1);
  EXPECT_EQ(named("fft"), CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT);
  EXPECT_EQ(named("fft_tiling"), CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING);
  EXPECT_EQ(named("winograd"), CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD);
  EXPECT_EQ(named("winograd_nonfused"), CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED);
  EXPECT_EQ(named("implicit_gemm"), std::nullopt);
}

TEST(DeconvolutionAlgorithms, NoneRoundsMore) {
  const auto shape = shape_of<Deconvolution>("deconv/2x64x7x7_k32x4x4_p1.1.1.1_s2x2_d1x1_g1");
  for (int i = 0; i < CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT; ++i) {
    const harness::Traits traits = ConvolutionFunctions<DataGradient>::traits(
        shape, static_cast<cudnnConvolutionBwdDataAlgo_t>(i));
    EXPECT_EQ(traits, (harness::Traits{.transforms = i >= CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT}));
  }
}

}  // namespace
}  // namespace benanza::cudnn
