// Gradients of attention as graphs: the graphs given to the library, and the engines it offers for
// a described H100.
#include "suites/cudnn/ops/attention_gradient/attention_gradient.h"

#include <gmock/gmock.h>

#include "suites/tests/cudnn/h100.h"
#include "suites/tests/cudnn/told_tensors.h"

namespace benanza::cudnn {
namespace {

using testing::IsEmpty;
using testing::Not;
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

TEST(AttentionGradientGraph, IsRefusedWhereTheLibraryHasNone) {
  EXPECT_THROW(calls_of("attention_bwd/1x2x8x64_k2x8x64_s1", Precision::tf32),
               harness::Unsupported);
  EXPECT_THROW(calls_of("attention_bwd/1x2x8x64_k2x9x64_s1_causal"), harness::Unsupported);
  EXPECT_THROW(calls_of("attention_bwd/1x2x8x128_k2x8x128_s1_m1x1x8x8", Precision::fp8),
               harness::Unsupported);
}

class AttentionOnH100 : public H100 {};
class AttentionShapesOnH100 : public AttentionOnH100,
                              public testing::WithParamInterface<const char*> {};

TEST_P(AttentionShapesOnH100, HasAnEngineForItsGradient) {
  const GraphsOf graphs = bound(attention_gradient_graphs, shape_of<AttentionGradient>(GetParam()));
  for (const Precision precision : {Precision::fp16, Precision::bf16}) {
    EXPECT_THAT(names(graphs, variant(GetParam(), precision)), Not(IsEmpty()))
        << to_string(precision);
  }
}

TEST_F(AttentionOnH100, HasAnEngineForItsGradientInFp8) {
  for (const char* const key : {"attention_bwd/1x64x2048x128_k8x2048x128_s0.088388346_causal",
                                "attention_bwd/1x64x2048x128_k8x2048x128_s0.088388346"}) {
    const GraphsOf graphs = bound(attention_gradient_graphs, shape_of<AttentionGradient>(key));
    EXPECT_THAT(names(graphs, variant(key, Precision::fp8)), Not(IsEmpty())) << key;
  }
}

TEST_F(AttentionOnH100, HasNoGradientInFp8ForOtherHeads) {
  const char* const key = "attention_bwd/1x8x128x64_k8x128x64_s0.125";
  const GraphsOf graphs = bound(attention_gradient_graphs, shape_of<AttentionGradient>(key));
  EXPECT_THROW(names(graphs, variant(key, Precision::fp8)), harness::Unsupported);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, AttentionShapesOnH100,
    testing::Values("attention_bwd/8x12x128x64_k12x128x64_s0.125",
                    "attention_bwd/8x12x128x64_k12x128x64_s0.125_causal",
                    "attention_bwd/8x12x128x64_k12x128x64_s0.125_m1x1x128x128",
                    "attention_bwd/8x12x128x64_k12x128x64_s0.125_m8x1x1x128",
                    "attention_bwd/2x32x128x64_k8x128x64_s0.125",
                    "attention_bwd/2x64x2048x64_k8x2048x64_s0.125_causal_w1024"));

}  // namespace
}  // namespace benanza::cudnn
