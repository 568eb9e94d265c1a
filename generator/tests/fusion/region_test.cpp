// Elementwise steps along the data flow.
#include "generator/fusion/region.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/tests/onnx/model.h"

namespace benanza::fusion {
namespace {

using onnx::Model;

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> problems(const LoweredGraph& graph) {
  std::vector<std::string> found;
  for (const Fusion& fusion : find_fusions(graph.layers)) found.push_back(fusion.problem);
  return found;
}

/// Starts with x, 1x8x4x4, the result of a pooling; z has the same extents, g is 1x8x1x1.
Model behind_pooling() {
  Model model(18);
  model.input("image", {1, 8, 8, 8}).input("z", {1, 8, 4, 4}).input("g", {1, 8, 1, 1});
  model.weights("w", {8, 8, 1, 1}).weights("c", {1, 8, 1, 1}).scalar("two", 2).scalar("half", 0.5F);
  model.node("MaxPool", {"image"}, {"x"}, {{"kernel_shape", Dims{2, 2}}, {"strides", Dims{2, 2}}});
  return model;
}

TEST(Region, ElementwiseCallsAndEveryPrefix) {
  const LoweredGraph graph = behind_pooling()
                                 .node("Tanh", {"x"}, {"t"})
                                 .node("Mul", {"t", "g"}, {"m"})
                                 .node("Add", {"z", "m"}, {"a"})
                                 .output("a")
                                 .import();
  EXPECT_THAT(problems(graph),
              ElementsAre("tanh/1x8x4x4_mul_y1x8x1x1", "tanh/1x8x4x4_mul_y1x8x1x1_add_y1x8x4x4"));
}

TEST(Region, NumbersAreLinear) {
  Model model = behind_pooling();
  // (2 - tanh(x) * 2) / 2
  model.node("Tanh", {"x"}, {"t"}).node("Mul", {"t", "two"}, {"m"});
  model.node("Sub", {"two", "m"}, {"s"}).node("Div", {"s", "two"}, {"d"}).output("d");
  EXPECT_THAT(problems(model.import()),
              ElementsAre("tanh/1x8x4x4_linear_a2_b0", "tanh/1x8x4x4_linear_a-2_b2",
                          "tanh/1x8x4x4_linear_a-1_b1"));
}

TEST(Region, AProductAndItsBiasAreOneOperator) {
  const auto whole = [](const LoweredGraph& graph) {
    std::vector<std::string> patterns;
    for (const Fusion& fusion : find_fusions(graph.layers)) {
      if (fusion.whole) patterns.push_back(fusion.pattern);
    }
    return patterns;
  };
  EXPECT_THAT(whole(Model(13)
                        .input("x", {2, 7, 12})
                        .weights("w", {12, 12})
                        .weights("b", {12})
                        .node("MatMul", {"x", "w"}, {"m"})
                        .node("Add", {"b", "m"}, {"a"})
                        .node("Add", {"a", "x"}, {"s"})
                        .output("s")
                        .import()),
              ElementsAre("gemm_bias"));
  // Nothing was taken apart: a layer with a bias of its own, a normalization.
  Model with_bias = behind_pooling();
  with_bias.weights("b", {8}).node("Conv", {"x", "w", "b"}, {"v"}).node("Relu", {"v"}, {"r"});
  EXPECT_THAT(whole(with_bias.output("r").import()), IsEmpty());
  Model normalized = behind_pooling();
  for (const char* name : {"scale", "shift", "mean", "variance"}) normalized.weights(name, {8});
  normalized.node("Conv", {"x", "w"}, {"v"});
  normalized.node("BatchNormalization", {"v", "scale", "shift", "mean", "variance"}, {"n"});
  EXPECT_THAT(whole(normalized.output("n").import()), IsEmpty());
}

TEST(Region, LargeNumbersStayTensors) {
  for (const auto& [op, number] : {std::pair{"Add", -10000.0F}, {"Mul", -3e38F}, {"Div", 0.0F}}) {
    Model model = behind_pooling();
    model.scalar("large", number).node("Tanh", {"x"}, {"t"}).node(op, {"t", "large"}, {"y"});
    const std::string word = op == std::string("Add")   ? "add"
                             : op == std::string("Mul") ? "mul"
                                                        : "div";
    EXPECT_THAT(problems(model.output("y").import()),
                ElementsAre("tanh/1x8x4x4_" + word + "_y1x1x1x1_w"));
  }
}

TEST(Region, TheOtherWayRoundIsReversed) {
  Model model = behind_pooling();
  model.node("Tanh", {"x"}, {"t"}).node("Sub", {"z", "t"}, {"s"}).output("s");
  EXPECT_THAT(problems(model.import()), ElementsAre("tanh/1x8x4x4_rsub_y1x8x4x4"));
}

TEST(Region, StepsNeverEnlarge) {
  Model model = behind_pooling();
  model.node("Tanh", {"g"}, {"t"}).node("Mul", {"z", "t"}, {"m"}).output("m");
  EXPECT_THAT(problems(model.import()), IsEmpty());
}

// Its vectors are of channels: they have one axis, the images four.
TEST(Region, ABatchNormalizationBehindASum) {
  Model model = behind_pooling();
  for (const char* name : {"scale", "shift", "mean", "variance"}) model.weights(name, {8});
  model.node("Add", {"x", "z"}, {"a"});
  model.node("BatchNormalization", {"a", "scale", "shift", "mean", "variance"}, {"n"});
  EXPECT_THAT(problems(model.node("Relu", {"n"}, {"r"}).output("r").import()),
              Contains("batchnorm/1x8x4x4_e1e-05_relu"));
}

TEST(Region, NothingThatJumpsOrMayHaveNoValue) {
  for (const char* op : {"Exp", "Log", "Sqrt", "Floor", "Sign", "Reciprocal"}) {
    Model model = behind_pooling();
    model.node("Tanh", {"x"}, {"t"}).node(op, {"t"}, {"y"}).output("y");
    EXPECT_THAT(problems(model.import()), IsEmpty()) << op;
  }
  Model model = behind_pooling();
  model.node("Tanh", {"x"}, {"t"}).node("Div", {"z", "t"}, {"y"}).output("y");
  EXPECT_THAT(problems(model.import()), IsEmpty());
}

TEST(Region, ChainsAreCutAtTheBoundAndBeginOnce) {
  Model model = behind_pooling();
  model.node("Tanh", {"x"}, {"y0"});
  for (int i = 0; i < 9; ++i) {
    model.node("Add", {"y" + std::to_string(i), "z"}, {"y" + std::to_string(i + 1)});
  }
  const auto all = problems(model.output("y9").import());
  // Six prefixes from the first addition, and the rest from the seventh on.
  EXPECT_EQ(all.size(), most_steps + 2);
  EXPECT_EQ(all.back(), "add/1x8x4x4_1x8x4x4_add_y1x8x4x4_add_y1x8x4x4");
}

TEST(Region, BehindAProductEveryStepMayBeginOne) {
  Model model = behind_pooling();
  model.node("Conv", {"x", "w"}, {"p"}).node("Sigmoid", {"p"}, {"s"});
  model.node("Mul", {"s", "g"}, {"m"}).node("Add", {"m", "z"}, {"a"}).output("a");
  const std::string conv = "conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1";
  EXPECT_THAT(
      problems(model.import()),
      ElementsAre(conv + "_sigmoid", conv + "_sigmoid_mul_y1x8x1x1",
                  conv + "_sigmoid_mul_y1x8x1x1_add_y1x8x4x4", "sigmoid/1x8x4x4_mul_y1x8x1x1",
                  "sigmoid/1x8x4x4_mul_y1x8x1x1_add_y1x8x4x4", "mul/1x8x4x4_1x8x1x1_add_y1x8x4x4"));
}

// Libraries may refuse the two together: the factor of every image, then that of all.
TEST(Region, BroadcastingAlongFewerGroupsOfAxesBeginsOne) {
  Model model(18);
  model.input("x", {2, 4, 4, 8}).input("n", {2, 1, 1, 8}).weights("c", {8});
  model.scalar("one", 1).node("Tanh", {"x"}, {"t"}).node("Mul", {"t", "n"}, {"m"});
  model.node("Mul", {"c", "m"}, {"s"}).node("Mul", {"s", "one"}, {"u"});
  model.node("Add", {"u", "x"}, {"a"}).output("a");
  EXPECT_THAT(problems(model.import()),
              ElementsAre("tanh/2x4x4x8_mul_y2x1x1x8", "tanh/2x4x4x8_mul_y2x1x1x8_mul_y1x1x1x8_w",
                          "tanh/2x4x4x8_mul_y2x1x1x8_mul_y1x1x1x8_w_add_y2x4x4x8",
                          "mul/2x4x4x8_1x1x1x8_w_add_y2x4x4x8"));
}

TEST(Region, ConstantsPerFilterGoIntoTheWeights) {
  // Layer scale and residual, as in networks trained with them: the scale leaves no step.
  Model model = behind_pooling();
  model.node("Conv", {"x", "w"}, {"p"}).node("Mul", {"p", "c"}, {"m"});
  model.node("Add", {"m", "c"}, {"b"}).node("Add", {"b", "z"}, {"a"}).output("a");
  const std::string conv = "conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1";
  EXPECT_THAT(problems(model.import()), ElementsAre(conv, conv + "_bias", conv + "_bias_residual"));
}

TEST(Region, FactorsThatChangeStaySteps) {
  Model model = behind_pooling();
  model.node("Conv", {"x", "w"}, {"p"}).node("Mul", {"p", "g"}, {"m"}).output("m");
  EXPECT_THAT(problems(model.import()),
              ElementsAre("conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1_mul_y1x8x1x1"));
}

TEST(Region, NormalizationsAndSoftmaxBeginThem) {
  Model model(17);
  model.input("x", {2, 7, 12}).input("z", {2, 7, 12}).weights("s", {12}).weights("b", {12});
  model.node("LayerNormalization", {"x", "s", "b"}, {"n"}).node("Add", {"n", "z"}, {"a"});
  model.node("Softmax", {"a"}, {"p"}).node("Mul", {"p", "z"}, {"y"}).output("y");
  EXPECT_THAT(problems(model.import()),
              ElementsAre("layernorm/14x12_e1e-05_sb_add_y14x12", "softmax/2x7x12_a2_mul_y2x7x12"));
}

TEST(Region, BatchesOfProductsTakeSteps) {
  Model model(17);
  model.input("a", {2, 4, 5, 8}).input("b", {2, 4, 8, 5}).input("mask", {2, 1, 1, 5});
  model.scalar("scale", 4).node("MatMul", {"a", "b"}, {"s"}).node("Div", {"s", "scale"}, {"d"});
  model.node("Add", {"d", "mask"}, {"m"}).output("m");
  // The batches are one axis of the product, so one mask per four of them is not one per product.
  EXPECT_THAT(problems(model.import()), ElementsAre("gemm/m5_n5_k8_nn_a8_b8_linear_a0.25_b0",
                                                    "div/2x4x5x5_1x1x1x1_w_add_y2x1x1x5"));
}

TEST(Region, CallsOfOneNodeAreSteps) {
  Model model = behind_pooling();
  model.node("Conv", {"x", "w"}, {"p"}).node("HardSigmoid", {"p"}, {"h"}).output("h");
  const std::string conv = "conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1";
  EXPECT_THAT(problems(model.import()),
              ElementsAre(conv + "_bias_clip_a0_b1", "linear/1x8x4x4_a0.2_b0.5_clip_a0_b1"));
}

TEST(Region, CastsBetweenFloatingTypesAreNotInTheWay) {
  for (const auto& [type, count] : {std::pair{10, 1U}, {7, 0U}}) {
    Model model = behind_pooling();
    model.node("Tanh", {"x"}, {"t"}).node("Cast", {"t"}, {"h"}, {{"to", type}});
    model.node("Cast", {"h"}, {"f"}, {{"to", 1}}).node("Mul", {"f", "g"}, {"m"}).output("m");
    const auto fusions = find_fusions(model.import().layers);
    ASSERT_EQ(fusions.size(), count) << type;
    if (count == 1) {
      EXPECT_THAT(fusions[0].layers, ElementsAre(1, 2, 3, 4));
      EXPECT_EQ(fusions[0].problem, "tanh/1x8x4x4_mul_y1x8x1x1");
    }
  }
}

TEST(Region, ANodeThatReadsTheResultTwiceEndsIt) {
  Model model = behind_pooling();
  model.node("Tanh", {"x"}, {"t"}).node("Mul", {"t", "t"}, {"m"}).output("m");
  EXPECT_THAT(problems(model.import()), IsEmpty());
}

}  // namespace
}  // namespace benanza::fusion
