#include "generator/onnx/operators/shared/interpolation.h"

#include <gmock/gmock.h>

#include "generator/lowered/number_tensors.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;

TEST(InterpolationWeights, AreLinearBetweenTwoPixels) {
  EXPECT_THAT(interpolation_weights({-0.25, 0.25, 1, 1.25}, 2, {}),
              ElementsAre(1, 0, 0.75, 0.25, 0, 1, 0, 1));
}

TEST(InterpolationWeights, AreCubicBetweenFour) {
  // a = -3/4: (a + 2) / 8 - (a + 3) / 4 + 1 at 1/2, and a / 8 at 3/2.
  EXPECT_THAT(interpolation_weights({1.5}, 4, {.cubic = true}),
              ElementsAre(-0.09375, 0.59375, 0.59375, -0.09375));
  // The first two are outside: 19/32 and -3/32 of a sum of 1/2.
  EXPECT_THAT(interpolation_weights({-0.5}, 2, {.cubic = true, .excludes_outside = true}),
              ElementsAre(1.1875, -0.1875));
}

TEST(AttributeNumbers, OfAResizeAreItsWeights) {
  Model model(13);
  model.input("x", {1, 1, 3, 2}).integers("sizes", {1, 1, 3, 4});
  model.node("Resize", {"x", "", "", "sizes"}, {"y"}, {{"mode", "linear"}}).output("y");
  const FlowCall call = number_tensors(model.import(), {}).layers.at(0).calls.at(0);
  EXPECT_EQ(call.operands.at(1).kind, FlowOperand::Kind::numbers);
  // Of each of 2 pixels in each of 4.
  EXPECT_THAT(call.operands[1].numbers, ElementsAre(1, 0.75, 0.25, 0, 0, 0.25, 0.75, 1));
}

TEST(AttributeNumbers, OfAnImageScalerAreItsBias) {
  Model model(8);
  model.input("x", {1, 2, 4, 4});
  model.node("ImageScaler", {"x"}, {"y"}, {{"bias", std::vector<float>{-104, -117}}}).output("y");
  const FlowCall call = number_tensors(model.import(), {}).layers.at(0).calls.at(0);
  EXPECT_THAT(call.operands.at(1).numbers, ElementsAre(-104, -117));
}

// 3 pixels by 0.7 are 2, or 2.1 of which the standard's reference takes the corners.
TEST(AttributeNumbers, OfAlignedCornersAreStatedForWholeNumbersOfPixels) {
  const auto is_stated = [](float scale) {
    Model model(13);
    model.input("x", {1, 1, 1, 3}).reals("scales", {4}, {1, 1, 1, scale});
    model.node("Resize", {"x", "", "scales"}, {"y"},
               {{"mode", "linear"}, {"coordinate_transformation_mode", "align_corners"}});
    return !number_tensors(model.output("y").import(), {}).layers.at(0).calls.at(0).proxy;
  };
  EXPECT_TRUE(is_stated(2));
  EXPECT_FALSE(is_stated(0.7F));
}

TEST(AttributeNumbers, ThatNobodyStatesMakeAProxy) {
  Model model(13);
  model.input("x", {4}).node("IsNaN", {"x"}, {"y"}).output("y");
  EXPECT_TRUE(number_tensors(model.import(), {}).layers.at(0).calls.at(0).proxy);
}

}  // namespace
}  // namespace benanza::onnx
