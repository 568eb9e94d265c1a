// Gradients of activations: cudnnActivationBackward's modes, and the engines that the library
// offers for a described H100.
#include "suites/cudnn/ops/activation_gradient.h"

#include <gmock/gmock.h>

#include <utility>

#include "suites/harness/primitive.h"
#include "suites/tests/cudnn/case_variants.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

ActivationCall mapped_activation_gradient(const char* key) {
  return map_activation_gradient(shape_of<ActivationGradient>(key));
}

GraphsOf activation_gradient_graphs_of(const char* key) {
  return bound(activation_gradient_graphs, shape_of<ActivationGradient>(key));
}

TEST(MapActivationGradient, EveryFunctionIsItself) {
  EXPECT_EQ(mapped_activation_gradient("relu_bwd/8x64"),
            (ActivationCall{CUDNN_ACTIVATION_RELU, 0}));
  EXPECT_EQ(mapped_activation_gradient("sigmoid_bwd/8x64"),
            (ActivationCall{CUDNN_ACTIVATION_SIGMOID, 0}));
  EXPECT_EQ(mapped_activation_gradient("tanh_bwd/8x64"),
            (ActivationCall{CUDNN_ACTIVATION_TANH, 0}));
  EXPECT_EQ(mapped_activation_gradient("elu_bwd/8x64_a0.5"),
            (ActivationCall{CUDNN_ACTIVATION_ELU, 0.5}));
  EXPECT_EQ(mapped_activation_gradient("clip_bwd/8x64_a0_b6"),
            (ActivationCall{CUDNN_ACTIVATION_CLIPPED_RELU, 6}));
  EXPECT_EQ(mapped_activation_gradient("swish_bwd/8x64_a1"),
            (ActivationCall{CUDNN_ACTIVATION_SWISH, 1}));
  for (const char* key : {"clip_bwd/8x64_a-1_b1", "elu_bwd/8x64_a-1", "leakyrelu_bwd/8x64_a0.1",
                          "gelu_bwd/8x64", "exp_bwd/8x64"}) {
    EXPECT_THROW(mapped_activation_gradient(key), harness::Unsupported) << key;
  }
}

TEST(MapActivationGradient, TheInputOfACeilingLiesAboveIt) {
  EXPECT_EQ(clipped_relu_input(0, 6), 0);
  EXPECT_EQ(clipped_relu_input(5.5F, 6), 5.5F);
  EXPECT_EQ(clipped_relu_input(6, 6), 7);
}

TEST(ActivationGradientGraph, ReadsTheGradientAndWhatFrameworksKeep) {
  const char* key = "sigmoid_bwd/2x128x3072";
  const auto calls = activation_gradient_graphs_of(key)(variant(key, Precision::bf16));
  ASSERT_THAT(calls, SizeIs(1));
  ASSERT_THAT(calls[0].inputs, SizeIs(2));
  EXPECT_EQ(calls[0].inputs[0], calls[0].output);
  EXPECT_EQ(calls[0].inputs[1], calls[0].output);
  EXPECT_THAT(calls[0].bound, SizeIs(3));
  EXPECT_TRUE(calls[0].graph().is_elementwise());
  EXPECT_THROW(activation_gradient_graphs_of(key)(variant(key, Precision::int8)),
               harness::Unsupported);
}

// As for Select: 9.14 compiles no listed configs of an fp32 selection between two numbers.
TEST_F(H100, GradientsThatChooseAreOfferedWithoutSettings) {
  for (const char* key : {"clip_bwd/8x64x14x14_a0_b6", "elu_bwd/8x64x14x14_a1",
                          "hardswish_bwd/8x64x14x14", "abs_bwd/8x64x14x14"}) {
    for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::fp16}) {
      const auto found =
          names(activation_gradient_graphs_of(key), variant(key, precision, Layout::nhwc),
                harness::AlgorithmSet::leading);
      ASSERT_THAT(found, Not(IsEmpty())) << key;
      EXPECT_EQ(found.front() == "engine1", precision != Precision::fp16) << key;
    }
  }
  const char* smooth = "tanh_bwd/8x64x14x14";
  EXPECT_THAT(names(activation_gradient_graphs_of(smooth), variant(smooth, Precision::fp32)),
              testing::Not(testing::Contains("engine1")));
}

TEST_F(H100, ChoosesTheEngineOfAFunctionsGradientByName) {
  GraphPlans others(Target(read_file(TEST_DATA "/h100_device_properties.json")));
  for (const harness::Variant& asked : variants_of<ActivationGradient>("gradients", Layout::nhwc)) {
    SCOPED_TRACE(key(asked.problem) + ' ' + std::string(to_string(asked.precision)));
    const GraphsOf graphs =
        bound(activation_gradient_graphs, std::get<ActivationGradient>(asked.problem.shape));
    const auto found = names(graphs, asked);
    ASSERT_THAT(found, Not(IsEmpty()));
    auto calls = graphs(asked);
    const auto known = others.known(std::move(calls.at(0).graph()), {.most = 0});
    EXPECT_EQ(others.choice(*known, found[0]).name(), found[0]) << "made of the name alone";
  }
}

}  // namespace
}  // namespace benanza::cudnn
