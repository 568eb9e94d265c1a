// ConvTranspose: the many ways to specify the output's extents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "generator/fusion/fusion.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;

LoweredLayer transposed(const Dims& input, const Dims& weights, Attributes attributes = {},
                        int opset = 11) {
  return Model(opset)
      .input("x", input)
      .weights("w", weights)
      .node("ConvTranspose", {"x", "w"}, {"y"}, attributes)
      .output("y")
      .layer();
}

TEST(ConvTranspose, WeightsAreChannelsThenFilters) {
  const LoweredLayer layer = transposed({1, 3, 8, 8}, {3, 5, 2, 4});
  EXPECT_THAT(layer.problems, ElementsAre("deconv/1x3x8x8_k5x2x4_p0.0.0.0_s1x1_d1x1_g1"));
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 5, 9, 11}));
}

TEST(ConvTranspose, GroupsMultiplyTheFilters) {
  EXPECT_THAT(transposed({2, 4, 9}, {4, 3, 3}, {{"group", 2}, {"dilations", Dims{2}}}, 1).problems,
              ElementsAre("deconv/2x4x9_k6x3_p0.0_s1_d2_g2"));
}

TEST(ConvTranspose, OutputPaddingIsASmallerEndPad) {
  // (7 - 1) * 2 + 3 - 1 - 1 + 1 = 14.
  const LoweredLayer layer = transposed(
      {1, 1, 7, 7}, {1, 1, 3, 3},
      {{"strides", Dims{2, 2}}, {"pads", Dims{1, 1, 1, 1}}, {"output_padding", Dims{1, 1}}});
  EXPECT_THAT(layer.problems, ElementsAre("deconv/1x1x7x7_k1x3x3_p1.1.0.0_s2x2_d1x1_g1"));
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 1, 14, 14}));
}

TEST(ConvTranspose, OutputPaddingWithoutPadsAddsPixels) {
  EXPECT_THAT(transposed({1, 1, 7}, {1, 1, 3}, {{"strides", Dims{2}}, {"output_padding", Dims{1}}})
                  .problems,
              ElementsAre("deconv/1x1x7_k1x3_p0.-1_s2_d1_g1"));
}

TEST(ConvTranspose, SameMultipliesByTheStride) {
  // 3 * 2 = 6 of the 7 pixels: one pad.
  EXPECT_THAT(
      transposed({1, 1, 3, 3}, {1, 2, 3, 3}, {{"auto_pad", "SAME_UPPER"}, {"strides", Dims{2, 2}}})
          .problems,
      ElementsAre("deconv/1x1x3x3_k2x3x3_p0.0.1.1_s2x2_d1x1_g1"));
  EXPECT_THAT(
      transposed({1, 1, 3, 3}, {1, 2, 3, 3}, {{"auto_pad", "SAME_LOWER"}, {"strides", Dims{2, 2}}})
          .problems,
      ElementsAre("deconv/1x1x3x3_k2x3x3_p1.1.0.0_s2x2_d1x1_g1"));
}

TEST(ConvTranspose, AStatedOutputShapeSetsThePads) {
  // 2 * 3 + 3 = 9 and 2 * 2 + 3 = 7 pixels; 8 and 8 are requested: one pad, and one more pixel.
  EXPECT_THAT(transposed({1, 1, 3, 3}, {1, 2, 3, 3},
                         {{"strides", Dims{3, 2}}, {"output_shape", Dims{8, 8}}})
                  .problems,
              ElementsAre("deconv/1x1x3x3_k2x3x3_p1.0.0.-1_s3x2_d1x1_g1"));
}

// ONNX Runtime returns 1x2x3x9x4. The schemas before ONNX 1.15 stop at the first extent that is
// smaller than the input's.
TEST(ConvTranspose, AStatedOutputMayBeSmallerThanTheInput) {
  // 3 * 1 + 2 = 5, 4 * 2 + 1 = 9 and 0 * 3 + 4 = 4 elements; 3 of the 5 are requested: one pad on
  // each side.
  const LoweredLayer layer =
      transposed({1, 1, 4, 5, 1}, {1, 2, 2, 1, 4},
                 {{"strides", Dims{1, 2, 3}}, {"output_shape", Dims{3, 9, 4}}});
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 2, 3, 9, 4})) << layer.reason;
  EXPECT_THAT(layer.problems,
              ElementsAre("deconv/1x1x4x5x1_k2x2x1x4_p1.0.0.1.0.0_s1x2x3_d1x1x1_g1"));
}

// ONNX Runtime returns 1x2x2x2; by the older schemas the result is 1x2x2x3.
TEST(ConvTranspose, SameAddsNoPixels) {
  // Kernels of 2, dilated to 3 along the width: 2 rows, and 3 columns of which 2 are requested.
  const LoweredLayer layer =
      transposed({1, 1, 1, 1}, {1, 2, 2, 2},
                 {{"auto_pad", "SAME_LOWER"}, {"strides", Dims{3, 2}}, {"dilations", Dims{1, 2}}});
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 2, 2, 2})) << layer.reason;
  EXPECT_THAT(layer.problems, ElementsAre("deconv/1x1x1x1_k2x2x2_p0.1.0.0_s3x2_d1x2_g1"));
}

// ONNX Runtime returns 1x2x15x2.
TEST(ConvTranspose, SameLeavesNoRoomForOutputPadding) {
  // 4 * 3 + 4 + 2 = 18 rows, of which 15 are requested, and 1 + 1 columns.
  const LoweredLayer layer = transposed(
      {1, 1, 5, 1}, {1, 2, 4, 1},
      {{"auto_pad", "SAME_UPPER"}, {"strides", Dims{3, 2}}, {"output_padding", Dims{2, 1}}});
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 2, 15, 2})) << layer.reason;
  EXPECT_THAT(layer.problems, ElementsAre("deconv/1x1x5x1_k2x4x1_p1.0.0.-1_s3x2_d1x1_g1"));
}

TEST(ConvTranspose, BiasIsASecondCallAndAFusion) {
  const LoweredGraph graph =
      Model(11)
          .input("x", {1, 3, 4, 4})
          .weights("w", {3, 8, 2, 2})
          .weights("b", {8})
          .node("ConvTranspose", {"x", "w", "b"}, {"y"}, {{"strides", Dims{2, 2}}})
          .output("y")
          .import();
  EXPECT_THAT(graph.layers[0].problems,
              ElementsAre("deconv/1x3x4x4_k8x2x2_p0.0.0.0_s2x2_d1x1_g1", "add/1x8x8x8_1x8x1x1_w"));
  const auto fusions = fusion::find_fusions(graph.layers);
  ASSERT_EQ(fusions.size(), 1U);
  EXPECT_EQ(fusions[0].pattern, "deconv_bias");
  EXPECT_EQ(fusions[0].problem, "deconv/1x3x4x4_k8x2x2_p0.0.0.0_s2x2_d1x1_g1_bias");
}

TEST(ConvTranspose, WhatDoesNotFitIsAnError) {
  EXPECT_THROW(transposed({1, 4, 8, 8}, {3, 4, 3, 3}), Error) << "channels";
  EXPECT_THROW(transposed({1, 3, 2, 2}, {3, 4, 3, 3}, {{"pads", Dims{2, 2, 2, 2}}}), Error)
      << "nothing is left";
}

}  // namespace
}  // namespace benanza::onnx
