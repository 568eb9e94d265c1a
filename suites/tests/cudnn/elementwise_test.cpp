#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include "suites/cudnn/ops/activation.h"
#include "suites/cudnn/ops/binary.h"
#include "suites/harness/primitive.h"
#include "suites/tests/cudnn/shapes.h"

namespace benanza::cudnn {
namespace {

float apply(cudnnOpTensorOp_t op, float a, float b) {
  switch (op) {
    case CUDNN_OP_TENSOR_ADD:
      return a + b;
    case CUDNN_OP_TENSOR_MUL:
      return a * b;
    case CUDNN_OP_TENSOR_MIN:
      return std::min(a, b);
    case CUDNN_OP_TENSOR_MAX:
      return std::max(a, b);
    default:
      ADD_FAILURE() << "unexpected operation " << op;
      return 0;
  }
}

/// The result of the steps for one value.
float evaluate(const std::vector<OpTensorStep>& steps, float x) {
  float value = x;
  for (const OpTensorStep& step : steps) {
    const float other = step.other_is_input ? x : 1.0F;
    value = apply(step.op, step.factor * value, step.other_factor * other);
  }
  return value;
}

std::vector<OpTensorStep> steps(ActivationKind kind, float alpha, float beta = 0) {
  return std::get<std::vector<OpTensorStep>>(
      map_activation({.input = {4}, .kind = kind, .alpha = alpha, .beta = beta}));
}

ActivationCall call(ActivationKind kind, float alpha = 0, float beta = 0) {
  return std::get<ActivationCall>(
      map_activation({.input = {4}, .kind = kind, .alpha = alpha, .beta = beta}));
}

constexpr std::array samples{-8.0F, -3.0F, -1.0F, -0.5F, 0.0F, 0.25F, 1.0F, 5.0F, 9.0F};
constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(MapActivation, EveryModeIsItself) {
  EXPECT_EQ(call(ActivationKind::relu), (ActivationCall{CUDNN_ACTIVATION_RELU, 0}));
  EXPECT_EQ(call(ActivationKind::clip, 0, 6), (ActivationCall{CUDNN_ACTIVATION_CLIPPED_RELU, 6}));
  EXPECT_EQ(call(ActivationKind::elu, 0.5F), (ActivationCall{CUDNN_ACTIVATION_ELU, 0.5}));
  EXPECT_EQ(call(ActivationKind::sigmoid), (ActivationCall{CUDNN_ACTIVATION_SIGMOID, 0}));
  EXPECT_EQ(call(ActivationKind::tanh), (ActivationCall{CUDNN_ACTIVATION_TANH, 0}));
}

TEST(MapActivation, LeakyRelu) {
  for (const float slope : {0.0F, 0.1F, 1.0F, 2.5F}) {
    const auto calls = steps(ActivationKind::leaky_relu, slope);
    EXPECT_EQ(calls.size(), 1U);
    for (const float x : samples) EXPECT_EQ(evaluate(calls, x), x < 0 ? slope * x : x) << slope;
  }
  EXPECT_THROW(steps(ActivationKind::leaky_relu, -0.1F), harness::Unsupported);
}

TEST(MapActivation, ClipWithAnyBounds) {
  for (const auto& [low, high] : std::array<std::pair<float, float>, 4>{
           {{-1, 1}, {-infinity, 2}, {-0.5F, infinity}, {-infinity, infinity}}}) {
    const auto calls = steps(ActivationKind::clip, low, high);
    for (const float x : samples) {
      EXPECT_EQ(evaluate(calls, x), std::min(std::max(x, low), high)) << low << ' ' << high;
    }
  }
  EXPECT_EQ(steps(ActivationKind::clip, -1, infinity).size(), 1U);
}

TEST(MapActivation, Linear) {
  const auto calls = steps(ActivationKind::linear, 2, -3);
  for (const float x : samples) EXPECT_EQ(evaluate(calls, x), 2 * x - 3);
}

TEST(Scaled, StepsComputeTheScaledFunction) {
  for (const auto& calls :
       {steps(ActivationKind::leaky_relu, 0.1F), steps(ActivationKind::clip, -2, 3),
        steps(ActivationKind::linear, 2, -3)}) {
    for (const float x : samples) {
      EXPECT_EQ(evaluate(scaled(calls, 0.25F), x), 0.25F * evaluate(calls, x));
    }
  }
}

BinaryCall mapped_elementwise(std::string_view key, Layout layout = Layout::nchw,
                              Folding folding = Folding::none) {
  return map_binary(shape_of<Binary>(key), Precision::fp32, layout, folding);
}

float evaluate(const BinaryCall& call, float a, float b) {
  const std::array operands{a, b};
  return apply(call.op, call.full_factor * operands.at(call.full),
               call.other_factor * operands.at(call.other));
}

TEST(MapBinary, ComputesTheFunctionWhicheverOperandIsBroadcast) {
  for (const char* dims : {"/1x8x4x4_1x8x4x4", "/1x8x4x4_1x8x1x1", "/1x8x1x1_1x8x4x4"}) {
    const auto of = [&](const char* op) {
      return evaluate(mapped_elementwise(std::string(op) + dims), 5, 3);
    };
    EXPECT_EQ(of("add"), 8) << dims;
    EXPECT_EQ(of("sub"), 2) << dims;
    EXPECT_EQ(of("mul"), 15) << dims;
    EXPECT_EQ(of("min"), 3) << dims;
    EXPECT_EQ(of("max"), 5) << dims;
  }
}

TEST(Scaled, BinaryComputesTheScaledFunction) {
  for (const char* op : {"add", "sub", "mul", "min", "max"}) {
    const auto call = mapped_elementwise(std::string(op) + "/1x8x1x1_1x8x4x4");
    EXPECT_EQ(evaluate(scaled(call, 0.25F), 5, 3), 0.25F * evaluate(call, 5, 3)) << op;
  }
}

TEST(MapBinary, TheFullOperandHasTheResultsExtents) {
  const auto call = mapped_elementwise("sub/1x8x1x1_2x8x4x4", Layout::nhwc);
  EXPECT_EQ(call.full, 1U);
  EXPECT_EQ(call.full_format,
            (nvidia::TensorFormat{Precision::fp32, {2, 8, 4, 4}, {128, 1, 32, 8}}));
  EXPECT_EQ(call.other_format.dims, (Dims{1, 8, 1, 1}));
}

TEST(MapBinary, RefusesWhatTheLibraryDoesNotHave) {
  EXPECT_THROW(mapped_elementwise("div/1x8_1x8"), harness::Unsupported);
  EXPECT_THROW(mapped_elementwise("prelu/1x8x4x4_1x8x1x1"), harness::Unsupported);
  EXPECT_THROW(mapped_elementwise("add/1x8x1_1x1x4"), harness::Unsupported);
}

TEST(MapBinary, ManyAxesAreMergedIntoFour) {
  const auto call = mapped_elementwise("add/2x3x4x5x6x7_1x1x1x1x6x7", Layout::plain);
  EXPECT_EQ(call.full_format.dims, (Dims{120, 42, 1, 1}));
  EXPECT_EQ(call.other_format.dims, (Dims{1, 42, 1, 1}));
  EXPECT_EQ(nvidia::span_elements(call.full_format), 5040);
}

// The bias of a channels-last convolution: a matrix of pixels x channels.
TEST(MapBinary, FoldedBiasIsAMatrix) {
  const auto call = mapped_elementwise("add/2x64x7x5_1x64x1x1_w", Layout::nhwc, Folding::folded);
  EXPECT_EQ(call.full_format,
            (nvidia::TensorFormat{Precision::fp32, {70, 64, 1, 1}, {64, 1, 1, 1}}));
  EXPECT_EQ(call.other_format.dims, (Dims{1, 64, 1, 1}));
}

// A gate per image and channel, channels last.
TEST(MapBinary, FoldedGateKeepsTheImages) {
  const auto call = mapped_elementwise("mul/2x64x7x5_2x64x1x1", Layout::nhwc, Folding::folded);
  EXPECT_EQ(call.full_format.dims, (Dims{2, 35, 1, 64}));
  EXPECT_EQ(call.other_format.dims, (Dims{2, 1, 1, 64}));
}

TEST(BinaryAlgorithms, SumsAlsoInPlaceAndFoldedWhereChannelsAreInnermost) {
  using Algorithms = std::vector<harness::Algorithm>;
  const auto names = [](std::string_view key, Layout layout) {
    Algorithms found;
    for (const BinaryAlgorithm& one : binary_algorithms(shape_of<Binary>(key), layout)) {
      EXPECT_EQ(one.in_place, one.name.starts_with("add_tensor")) << one.name;
      EXPECT_EQ(one.folding == Folding::folded, one.name.ends_with(".folded")) << one.name;
      found.push_back(one.name);
    }
    return found;
  };
  EXPECT_EQ(names("mul/1x8x4x4_1x8x4x4", Layout::nchw), Algorithms{"op_tensor"});
  EXPECT_EQ(names("add/1x8x4x4_1x8x4x4", Layout::nhwc), (Algorithms{"op_tensor", "add_tensor"}));
  EXPECT_EQ(names("add/1x8x4x4_1x8x1x1", Layout::nchw), (Algorithms{"op_tensor", "add_tensor"}));
  EXPECT_EQ(names("sub/1x8x4x4_1x8x1x1", Layout::nhwc),
            (Algorithms{"op_tensor", "add_tensor", "op_tensor.folded", "add_tensor.folded"}));
  EXPECT_THROW(names("div/1x8_1x8", Layout::plain), harness::Unsupported);
}

}  // namespace
}  // namespace benanza::cudnn
