// Gradients of attention as graphs: the graphs given to the library, and the engines it offers for
// a described H100.
#include "suites/cudnn/ops/attention_gradient.h"

#include <gmock/gmock.h>

#include "suites/tests/cudnn/h100.h"
#include "suites/tests/cudnn/told_tensors.h"

namespace benanza::cudnn {
namespace {

using testing::SizeIs;

GraphCalls calls_of(const char* key, Precision precision = Precision::fp16) {
  return attention_gradient_graphs(shape_of<AttentionGradient>(key), variant(key, precision));
}

TEST(AttentionGradientGraph, HasTheProblemsOperandsAndResults) {
  const auto calls = calls_of("attention_bwd/2x8x16x64_k4x128x32_s1_m2x1x1x128");
  ASSERT_THAT(calls, SizeIs(1));
  const GraphCall& call = calls[0];
  // Seven operands and the gradient of Q; those of K and V.
  EXPECT_THAT(call.inputs, SizeIs(7));
  EXPECT_THAT(call.bound, SizeIs(8));
  EXPECT_EQ(call.inputs[AttentionGradient::logarithms].precision, Precision::fp32);
  EXPECT_EQ(call.inputs[AttentionGradient::mask].dims, (Dims{2, 1, 1, 128}));
  EXPECT_EQ(call.output.dims, (Dims{2, 8, 16, 64}));
  ASSERT_THAT(call.further_results, SizeIs(2));
  EXPECT_EQ(call.further_results[0].format.dims, (Dims{2, 4, 128, 64}));
  EXPECT_EQ(call.further_results[1].format.dims, (Dims{2, 4, 128, 32}));
  // The sums of rows, and the gradient of Q in fp32.
  ASSERT_THAT(call.ignored_results, SizeIs(2));
  EXPECT_EQ(call.ignored_results[0].format.dims, (Dims{2, 8, 16, 1}));
  EXPECT_EQ(call.ignored_results[1].format.precision, Precision::fp32);
}

// With an extent of 1, the library's engines compute wrong gradients.
TEST(AttentionGradientGraph, AMaskOfOneRowIsRepeated) {
  const auto mask_of = [](const char* key) {
    const auto calls = calls_of(key);
    const auto mask = calls[0].bound[AttentionGradient::mask];
    return std::pair(extents_in(calls[0].graph(), mask), strides_in(calls[0].graph(), mask));
  };
  EXPECT_EQ(mask_of("attention_bwd/2x8x16x64_k4x128x32_s1_m2x1x1x128"),
            std::pair(Dims{2, 1, 16, 128}, Dims{128, 128, 0, 1}));
  EXPECT_EQ(mask_of("attention_bwd/2x8x16x64_k4x128x32_s1_m2x1x16x128"),
            std::pair(Dims{2, 1, 16, 128}, Dims{2048, 2048, 128, 1}));
}

}  // namespace
}  // namespace benanza::cudnn
