// Convolution, pooling and normalization: attributes, defaults and their meaning in each opset.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "generator/fusion/fusion.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LoweredLayer conv(const Dims& input, const Dims& weights, Attributes attributes = {}) {
  return Model(11)
      .input("x", input)
      .weights("w", weights)
      .node("Conv", {"x", "w"}, {"y"}, attributes)
      .output("y")
      .layer();
}

TEST(Conv, MissingStridesAndDilationsAreOnesAndKernelIsOfTheWeights) {
  EXPECT_THAT(conv({1, 3, 8, 8}, {4, 3, 3, 3}).problems,
              ElementsAre("conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1"));
}

TEST(Conv, LeNetWithSameUpperKeeps28x28) {
  const LoweredLayer layer = conv({1, 1, 28, 28}, {8, 1, 5, 5}, {{"auto_pad", "SAME_UPPER"}});
  EXPECT_THAT(layer.problems, ElementsAre("conv/1x1x28x28_k8x5x5_p2.2.2.2_s1x1_d1x1_g1"));
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 8, 28, 28}));
}

TEST(Conv, AnOddPadOfSameGoesToTheStatedSide) {
  // 5 pixels, kernel 4, stride 1: three pads.
  EXPECT_THAT(conv({1, 1, 5, 5}, {1, 1, 4, 4}, {{"auto_pad", "SAME_UPPER"}}).problems,
              ElementsAre("conv/1x1x5x5_k1x4x4_p1.1.2.2_s1x1_d1x1_g1"));
  EXPECT_THAT(conv({1, 1, 5, 5}, {1, 1, 4, 4}, {{"auto_pad", "SAME_LOWER"}}).problems,
              ElementsAre("conv/1x1x5x5_k1x4x4_p2.2.1.1_s1x1_d1x1_g1"));
}

TEST(Conv, SameWithStrideAndDilation) {
  // 7 pixels, stride 2: 4 outputs; reach 2 * 2 + 1 = 5; 3 * 2 + 5 - 7 = 4 pads.
  EXPECT_THAT(conv({1, 1, 7, 7}, {1, 1, 3, 3},
                   {{"auto_pad", "SAME_UPPER"}, {"strides", Dims{2, 2}}, {"dilations", Dims{2, 2}}})
                  .problems,
              ElementsAre("conv/1x1x7x7_k1x3x3_p2.2.2.2_s2x2_d2x2_g1"));
}

TEST(Conv, ValidIgnoresPads) {
  EXPECT_THAT(conv({1, 1, 7, 7}, {1, 1, 3, 3}, {{"auto_pad", "VALID"}}).problems,
              ElementsAre("conv/1x1x7x7_k1x3x3_p0.0.0.0_s1x1_d1x1_g1"));
}

TEST(Conv, PadsAreAllBeginsThenAllEnds) {
  const LoweredLayer layer = conv({1, 1, 10, 20}, {1, 1, 3, 3}, {{"pads", Dims{0, 1, 2, 3}}});
  EXPECT_THAT(layer.problems, ElementsAre("conv/1x1x10x20_k1x3x3_p0.1.2.3_s1x1_d1x1_g1"));
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 1, 10, 22}));
}

TEST(Conv, OneAndThreeDimensionsGroupsAndDilations) {
  EXPECT_THAT(conv({2, 4, 9}, {8, 1, 3}, {{"group", 4}, {"dilations", Dims{2}}}).problems,
              ElementsAre("conv/2x4x9_k8x3_p0.0_s1_d2_g4"));
  EXPECT_THAT(conv({1, 2, 4, 5, 6}, {3, 2, 1, 2, 3}, {{"strides", Dims{1, 2, 3}}}).problems,
              ElementsAre("conv/1x2x4x5x6_k3x1x2x3_p0.0.0.0.0.0_s1x2x3_d1x1x1_g1"));
}

TEST(Conv, BiasIsASecondCallAndAFusion) {
  const LoweredGraph graph = Model(11)
                                 .input("x", {1, 3, 4, 4})
                                 .weights("w", {8, 3, 1, 1})
                                 .weights("b", {8})
                                 .node("Conv", {"x", "w", "b"}, {"y"})
                                 .output("y")
                                 .import();
  EXPECT_THAT(graph.layers[0].problems,
              ElementsAre("conv/1x3x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1", "add/1x8x4x4_1x8x1x1_w"));
  // 2 * 128 outputs * 3 products, then 128 additions.
  EXPECT_DOUBLE_EQ(*graph.layers[0].flops, 768 + 128);
  const auto fusions = fusion::find_fusions(graph.layers);
  ASSERT_EQ(fusions.size(), 1U);
  EXPECT_EQ(fusions[0].pattern, "conv_bias");
  EXPECT_THAT(fusions[0].layers, ElementsAre(0));
  EXPECT_EQ(fusions[0].problem, "conv/1x3x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1_bias");
}

TEST(Conv, WeightsOfAnotherChannelCountAreAnError) {
  EXPECT_THROW(conv({1, 4, 8, 8}, {4, 3, 3, 3}), Error);
  EXPECT_THROW(conv({1, 3, 2, 2}, {4, 3, 3, 3}), Error) << "the window is larger than the input";
  EXPECT_THROW(conv({1, 3, 8, 8}, {4, 3, 3, 3}, {{"pads", Dims{1, 1}}}), Error);
}

LoweredLayer pool(const std::string& op, const Dims& input, Attributes attributes = {},
                  int opset = 11) {
  return Model(opset).input("x", input).node(op, {"x"}, {"y"}, attributes).output("y").layer();
}

TEST(Pool, CeilModeBecomesLargerEndPads) {
  const LoweredLayer layer =
      pool("MaxPool", {1, 64, 112, 112},
           {{"kernel_shape", Dims{3, 3}}, {"strides", Dims{2, 2}}, {"ceil_mode", 1}});
  EXPECT_THAT(layer.problems, ElementsAre("maxpool/1x64x112x112_k3x3_p0.0.1.1_s2x2_d1x1"));
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 64, 56, 56}));
}

TEST(Pool, CeilModeThatDividesEvenlyChangesNothing) {
  EXPECT_THAT(pool("MaxPool", {1, 1, 7, 7},
                   {{"kernel_shape", Dims{3, 3}}, {"strides", Dims{2, 2}}, {"ceil_mode", 1}})
                  .problems,
              ElementsAre("maxpool/1x1x7x7_k3x3_p0.0.0.0_s2x2_d1x1"));
}

TEST(Pool, NoWindowBeginsBehindTheInput) {
  // 2 pixels and a pad of 1 on each side: windows would start at 0 and 3 of 4, the second after the
  // input.
  const LoweredLayer layer = pool("MaxPool", {1, 1, 2, 2},
                                  {{"kernel_shape", Dims{1, 1}},
                                   {"strides", Dims{3, 3}},
                                   {"pads", Dims{1, 1, 1, 1}},
                                   {"ceil_mode", 1}});
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 1, 1, 1})) << layer.reason;
  EXPECT_THAT(layer.problems, ElementsAre("maxpool/1x1x2x2_k1x1_p1.1.0.0_s3x3_d1x1"));
  // 2 pixels, kernel 1, stride 2: a window at 2 would start after them.
  EXPECT_EQ(pool("AveragePool", {1, 3, 2, 2},
                 {{"kernel_shape", Dims{1, 1}}, {"strides", Dims{2, 2}}, {"ceil_mode", 1}}, 22)
                .outputs[0]
                .shape,
            (Dims{1, 3, 1, 1}));
}

TEST(Pool, AveragesMayBeDilated) {
  // Reach 3 * 1 + 1 = 4 of 7 pixels: 4 windows.
  const LoweredLayer layer = pool("AveragePool", {1, 1, 7, 7},
                                  {{"kernel_shape", Dims{2, 2}}, {"dilations", Dims{3, 3}}}, 19);
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 1, 4, 4}));
  EXPECT_THAT(layer.problems, ElementsAre("avgpool/1x1x7x7_k2x2_p0.0.0.0_s1x1_d3x3_exclude"));
}

TEST(Pool, TheGreatestOfBytesIsAByte) {
  Model model(12);
  model.input("x", {1, 3, 4, 4}, ::onnx::TensorProto::UINT8);
  model.node("MaxPool", {"x"}, {"y"}, {{"kernel_shape", Dims{2, 2}}}).output("y");
  EXPECT_THAT(model.layer().problems, ElementsAre("maxpool/1x3x4x4_k2x2_p0.0.0.0_s1x1_d1x1"));
  EXPECT_EQ(model.layer().outputs[0].type, "uint8");
}

TEST(Pool, NormsOfWholeChannelsAreReductions) {
  EXPECT_THAT(pool("GlobalLpPool", {2, 3, 4, 5}).problems, ElementsAre("reducel2/2x3x4x5_a2.3"));
  EXPECT_THAT(pool("GlobalLpPool", {2, 3, 4}, {{"p", 1}}).problems,
              ElementsAre("reducel1/2x3x4_a2"));
  EXPECT_THAT(pool("GlobalLpPool", {2, 3, 4}, {{"p", 3}}).reason, HasSubstr("order 3"));
}

TEST(Pool, ImagesOfOnePixelAreTheirOwnMean) {
  EXPECT_EQ(pool("GlobalAveragePool", {2, 512, 1, 1}).cost, Cost::free);
  EXPECT_EQ(pool("GlobalMaxPool", {2, 512, 1}).cost, Cost::free);
}

TEST(Pool, NormsOfWindowsAreMeansTimesTheirNumber) {
  EXPECT_THAT(pool("LpPool", {2, 3, 4}, {{"kernel_shape", Dims{2}}}).problems,
              ElementsAre("mul/2x3x4_2x3x4", "avgpool/2x3x4_k2_p0.0_s1_d1_exclude",
                          "linear/2x3x3_a2_b0", "sqrt/2x3x3"));
  EXPECT_THAT(pool("LpPool", {2, 3, 4}, {{"kernel_shape", Dims{3}}, {"pads", Dims{1, 1}}, {"p", 1}})
                  .problems,
              ElementsAre("abs/2x3x4", "avgpool/2x3x4_k3_p1.1_s1_d1_include", "linear/2x3x4_a3_b0"))
      << "pads are zeros";
  EXPECT_THAT(pool("LpPool", {2, 3, 4}, {{"kernel_shape", Dims{2}}, {"p", 3}}).reason,
              HasSubstr("order 3"));
}

TEST(Pool, MissingStridesAreOnes) {
  EXPECT_THAT(
      pool("MaxPool", {1, 1, 7, 7}, {{"kernel_shape", Dims{2, 2}}, {"dilations", Dims{3, 3}}})
          .problems,
      ElementsAre("maxpool/1x1x7x7_k2x2_p0.0.0.0_s1x1_d3x3"));
}

TEST(Pool, AverageWithAndWithoutPaddingAreTwoFunctions) {
  const Dims kernel{3, 3};
  EXPECT_THAT(
      pool("AveragePool", {1, 1, 6, 6}, {{"kernel_shape", kernel}, {"pads", Dims{1, 1, 1, 1}}})
          .problems,
      ElementsAre("avgpool/1x1x6x6_k3x3_p1.1.1.1_s1x1_d1x1_exclude"));
  EXPECT_THAT(pool("AveragePool", {1, 1, 6, 6},
                   {{"kernel_shape", kernel}, {"pads", Dims{1, 1, 1, 1}}, {"count_include_pad", 1}})
                  .problems,
              ElementsAre("avgpool/1x1x6x6_k3x3_p1.1.1.1_s1x1_d1x1_include"));
  // Without pads both are the same.
  EXPECT_THAT(
      pool("AveragePool", {1, 1, 6, 6}, {{"kernel_shape", kernel}, {"count_include_pad", 1}})
          .problems,
      ElementsAre("avgpool/1x1x6x6_k3x3_p0.0.0.0_s1x1_d1x1_exclude"));
}

// As PyTorch exports ceil_mode: pads count by default, and there are none.
TEST(Pool, AnOverhangDoesNotCount) {
  const auto problems = [](const Dims& pads) {
    return pool("AveragePool", {1, 1, 6, 6},
                {{"kernel_shape", Dims{3, 3}},
                 {"strides", Dims{2, 2}},
                 {"pads", pads},
                 {"ceil_mode", 1},
                 {"count_include_pad", 1}})
        .problems;
  };
  EXPECT_THAT(problems({0, 0, 0, 0}),
              ElementsAre("avgpool/1x1x6x6_k3x3_p0.0.1.1_s2x2_d1x1_exclude"));
  EXPECT_THAT(problems({1, 1, 1, 1}),
              ElementsAre("copy/6x6_f6.1_t8.1", "avgpool/1x1x8x8_k3x3_p0.0.1.1_s2x2_d1x1_exclude"))
      << "pads do";
}

TEST(Pool, PositionsOfTheMaximaAreUnsupportedOnlyIfSomebodyReadsThem) {
  Model model(11);
  model.input("x", {1, 1, 4, 4})
      .node("MaxPool", {"x"}, {"y", "at"}, {{"kernel_shape", Dims{2, 2}}})
      .output("y");
  EXPECT_EQ(model.layer().cost, Cost::measured);
  EXPECT_EQ(model.output("at").layer().cost, Cost::unsupported);
}

TEST(Pool, GlobalPoolingIsAWindowAsLargeAsTheInput) {
  const LoweredLayer average = pool("GlobalAveragePool", {1, 2048, 7, 7});
  EXPECT_THAT(average.problems, ElementsAre("avgpool/1x2048x7x7_k7x7_p0.0.0.0_s1x1_d1x1_exclude"));
  EXPECT_DOUBLE_EQ(*average.flops, 2048 * 49);
  EXPECT_THAT(pool("GlobalMaxPool", {2, 3, 5}).problems,
              ElementsAre("maxpool/2x3x5_k5_p0.0_s1_d1"));
}

LoweredLayer batch_norm(int opset, Attributes attributes, bool statistics = false) {
  Model model(opset);
  model.input("x", {2, 3, 4, 4});
  for (const char* name : {"s", "b", "m", "v"}) model.weights(name, {3});
  std::vector<std::string> outputs{"y"};
  if (statistics) outputs.insert(outputs.end(), {"m2", "v2"});
  model.node("BatchNormalization", {"x", "s", "b", "m", "v"}, outputs, attributes).output("y");
  if (statistics) model.output("m2").output("v2");
  return model.layer();
}

TEST(BatchNorm, EpsilonAndItsDefault) {
  EXPECT_THAT(batch_norm(9, {}).problems, ElementsAre("batchnorm/2x3x4x4_e1e-05"));
  EXPECT_THAT(batch_norm(15, {{"epsilon", 0.001F}}).problems,
              ElementsAre("batchnorm/2x3x4x4_e0.001"));
}

TEST(BatchNorm, SpatialZeroIsAnotherFunction) {
  EXPECT_EQ(batch_norm(7, {{"spatial", 1}}).cost, Cost::measured);
  const LoweredLayer layer = batch_norm(7, {{"spatial", 0}});
  EXPECT_EQ(layer.cost, Cost::unsupported);
  EXPECT_THAT(layer.reason, HasSubstr("spatial"));
}

TEST(BatchNorm, InTrainingModeIsAProblemOfItsOwn) {
  const LoweredLayer layer = batch_norm(15, {{"training_mode", 1}}, true);
  EXPECT_THAT(layer.problems, ElementsAre("batchnorm_training/2x3x4x4_e1e-05"));
  EXPECT_EQ(layer.calls[0].operands.size(), 3U);
}

TEST(Lrn, ParametersAndDefaults) {
  EXPECT_THAT(pool("LRN", {1, 64, 56, 56}, {{"size", 5}}).problems,
              ElementsAre("lrn/1x64x56x56_n5_a1e-04_b0.75_k1"));
  EXPECT_THAT(
      pool("LRN", {1, 64, 56, 56}, {{"size", 5}, {"alpha", 0.5F}, {"beta", 0.25F}, {"bias", 2.0F}})
          .problems,
      ElementsAre("lrn/1x64x56x56_n5_a0.5_b0.25_k2"));
}

TEST(ImageScaler, ScalesThenShiftsEachChannel) {
  const LoweredLayer layer = pool("ImageScaler", {1, 3, 4, 4},
                                  {{"scale", 0.5F}, {"bias", std::vector<float>{1, 2, 3}}}, 8);
  EXPECT_THAT(layer.problems, ElementsAre("linear/1x3x4x4_a0.5_b0", "add/1x3x4x4_1x3x1x1_w"));
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 3, 4, 4}));
}

}  // namespace
}  // namespace benanza::onnx
