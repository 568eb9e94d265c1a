// What is trained, and when the gradient of a parameter is complete.
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "generator/tests/onnx/model.h"
#include "generator/training/training.h"

namespace benanza::training {
namespace {

using onnx::Binding;
using onnx::Model;
using testing::ElementsAre;

LoweredGraph trained(const Model& model, const Binding& binding = {}) {
  return training_step(model.import(binding), Optimizer::sgd_momentum);
}

/// "layer: problem problem completes 8 64" for every backward layer that completes gradients or
/// serves a parameter alone.
std::vector<std::string> gradients(const LoweredGraph& step) {
  std::vector<std::string> lines;
  for (const LoweredLayer& layer : step.layers) {
    const bool serves = layer.name.find(".parameter_") != std::string::npos;
    if (layer.phase != "backward" || (layer.gradients.empty() && !serves)) continue;
    std::string line = layer.name + ':';
    for (const std::string& problem : layer.problems) line += ' ' + problem;
    if (!layer.gradients.empty()) line += " completes";
    for (const std::int64_t elements : layer.gradients) line += ' ' + std::to_string(elements);
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> sources(const LoweredGraph& step, const std::string& name) {
  for (const LoweredLayer& layer : step.layers) {
    if (layer.name != name) continue;
    std::vector<std::string> names;
    for (const Read& read : layer.reads) {
      names.push_back(read.producer ? step.layers[*read.producer].name : "");
    }
    return names;
  }
  throw Error("no layer " + name);
}

TEST(Parameters, ATiedTableIsCompleteAfterBothUses) {
  Model model(13);
  model.input("ids", {1, 2}, ::onnx::TensorProto::INT64).weights("t", {9, 8}).weights("f", {8, 8});
  model.node("Gather", {"t", "ids"}, {"g"}).node("MatMul", {"g", "f"}, {"h"});
  model.node("Transpose", {"t"}, {"u"}, {{"perm", Dims{1, 0}}});
  const LoweredGraph step = trained(model.node("MatMul", {"h", "u"}, {"y"}).output("y"));
  EXPECT_THAT(gradients(step), ElementsAre("h.weight_gradient: gemm/m8_n8_k2_tn completes 64",
                                           "g.parameter_sum: add/9x8_9x8 completes 72"));
  EXPECT_THAT(sources(step, "g.parameter_sum"), ElementsAre("y.weight_gradient", "g.gradient"));
  EXPECT_THAT(sources(step, "update.gradients"),
              ElementsAre("g.parameter_sum", "h.weight_gradient"));
  EXPECT_EQ(step.parameters, 72 + 64);
}

TEST(Parameters, AConvolutionUsedThreeTimesIsSummedTwice) {
  Model model(13);
  model.input("x", {2, 4, 5, 5}).weights("w", {4, 4, 1, 1}).weights("b", {4});
  model.node("Conv", {"x", "w", "b"}, {"c1"}).node("Relu", {"c1"}, {"r1"});
  model.node("Conv", {"r1", "w", "b"}, {"c2"}).node("Relu", {"c2"}, {"r2"});
  const LoweredGraph step = trained(model.node("Conv", {"r2", "w", "b"}, {"c3"}).output("c3"));
  EXPECT_THAT(gradients(step),
              ElementsAre("c2.parameter_sum: add/4_4", "c2.parameter_sum_2: add/4x4x1x1_4x4x1x1",
                          "c1.parameter_sum: add/4_4 completes 4",
                          "c1.parameter_sum_2: add/4x4x1x1_4x4x1x1 completes 16"));
  EXPECT_THAT(sources(step, "c1.parameter_sum"),
              ElementsAre("c2.parameter_sum", "c1.weight_gradient"));
  EXPECT_EQ(step.parameters, 20);
  EXPECT_EQ(trainable_parameters(step), 20);
}

// As PyTorch's exporter writes two biases that are still 0, and as it writes two names of a matrix.
TEST(Parameters, EqualVectorsAreSeveralParametersAndEqualMatricesOne) {
  Model model(13);
  model.input("x", {2, 8}).weights("w", {8, 8}).weights("b", {8});
  model.node("Identity", {"w"}, {"w2"}).node("Identity", {"b"}, {"b2"});
  model.node("MatMul", {"x", "w"}, {"m1"}).node("Add", {"m1", "b"}, {"a1"});
  model.node("MatMul", {"a1", "w2"}, {"m2"}).node("Add", {"m2", "b2"}, {"a2"});
  const LoweredGraph step = trained(model.output("a2"));
  EXPECT_THAT(gradients(step), ElementsAre("a2.bias_gradient: reducesum/2x8_a0 completes 8",
                                           "a1.bias_gradient: reducesum/2x8_a0 completes 8",
                                           "m1.parameter_sum: add/8x8_8x8 completes 64"));
  EXPECT_EQ(step.parameters, 80);
}

/// x w, to which positions are added.
Model positioned(std::int64_t batch) {
  Model model(13);
  model.input("x", {batch, 5, 8}).weights("w", {8, 8}).weights("v", {8, 3});
  return model.node("MatMul", {"x", "w"}, {"a"});
}

Model& finished(Model& model, const std::string& positions) {
  model.node("Add", {"a", positions}, {"b"}).node("MatMul", {"b", "v"}, {"y"});
  return model.output("y");
}

TEST(Parameters, PositionsAreReducedOverTheBatch) {
  Model model = positioned(2);
  model.weights("p", {1, 5, 8});
  const LoweredGraph step = trained(finished(model, "p"));
  EXPECT_THAT(gradients(step), ElementsAre("y.weight_gradient: gemm/m8_n3_k10_tn completes 24",
                                           "b.bias_gradient: reducesum/2x5x8_a0 completes 40",
                                           "a.weight_gradient: gemm/m8_n8_k10_tn completes 64"));
  EXPECT_EQ(step.parameters, 24 + 40 + 64);
}

TEST(Parameters, PositionsOfOneImageNeedNoCall) {
  Model model = positioned(1);
  model.weights("p", {5, 8});
  EXPECT_THAT(gradients(trained(finished(model, "p"))),
              ElementsAre("y.data_gradient: gemm/m5_n8_k3_nt completes 40",
                          "y.weight_gradient: gemm/m8_n3_k5_tn completes 24",
                          "a.weight_gradient: gemm/m8_n8_k5_tn completes 64"));
}

TEST(Parameters, PositionsMayBePartOfALongerTable) {
  // Cut, as in ViT, or gathered by numbers that are known, as in BERT.
  for (const bool gathers : {false, true}) {
    Model model = positioned(2);
    model.weights("table", {32, 8}).integers("from", {0}).integers("to", {5});
    model.integers("numbers", {0, 1, 2, 3, 4});
    if (gathers) {
      model.node("Gather", {"table", "numbers"}, {"p"});
    } else {
      model.node("Slice", {"table", "from", "to"}, {"p"});
    }
    EXPECT_THAT(gradients(trained(finished(model, "p"))),
                ElementsAre("y.weight_gradient: gemm/m8_n3_k10_tn completes 24",
                            "b.parameter_gradient: copy/40_f1_t1 completes 256",
                            "a.weight_gradient: gemm/m8_n8_k10_tn completes 64"));
  }
}

TEST(Parameters, WeightsThatWereReplacedAreStillTrained) {
  // As onnx.tools.replace_constants does.
  Model model = positioned(2);
  model.integers("p__SHAPE", {5, 8}).node("ConstantOfShape", {"p__SHAPE"}, {"p"});
  EXPECT_EQ(trained(finished(model, "p")).parameters, 24 + 40 + 64);
  Model zeros = positioned(2);
  zeros.integers("extents", {5, 8}).node("ConstantOfShape", {"extents"}, {"p"});
  EXPECT_EQ(trained(finished(zeros, "p")).parameters, 24 + 64);
}

/// A class token before 4 patches of each image.
Model with_token(std::int64_t batch, const Dims& token) {
  Model model(13);
  model.input("x", {batch, 4, 8}).weights("w", {8, 8}).weights("v", {8, 3});
  model.weights("token", token).integers("all", {batch, 1, 8});
  return model.node("MatMul", {"x", "w"}, {"a"});
}

Model& joined(Model& model, const std::string& token) {
  model.node("Concat", {token, "a"}, {"c"}, {{"axis", 1}}).node("MatMul", {"c", "v"}, {"y"});
  return model.output("y");
}

TEST(Parameters, AClassTokenThatIsExpanded) {
  Model model = with_token(2, {1, 1, 8});
  model.node("Expand", {"token", "all"}, {"t"});
  EXPECT_THAT(gradients(trained(joined(model, "t"))),
              ElementsAre("y.weight_gradient: gemm/m8_n3_k10_tn completes 24",
                          "c.parameter_gradient: reducesum/2x1x8_a0 completes 8",
                          "a.weight_gradient: gemm/m8_n8_k8_tn completes 64"));
}

TEST(Parameters, AClassTokenThatIsRepeated) {
  Model model = with_token(2, {1, 1, 8});
  model.integers("repeats", {2, 1, 1}).node("Tile", {"token", "repeats"}, {"t"});
  EXPECT_THAT(gradients(trained(joined(model, "t"))),
              ElementsAre("y.weight_gradient: gemm/m8_n3_k10_tn completes 24",
                          "c.parameter_gradient: reducesum/2x8_a0 completes 8",
                          "a.weight_gradient: gemm/m8_n8_k8_tn completes 64"));
}

TEST(Parameters, AClassTokenOfOneImage) {
  Model model = with_token(1, {1, 1, 8});
  EXPECT_THAT(gradients(trained(joined(model, "token"))),
              ElementsAre("y.weight_gradient: gemm/m8_n3_k5_tn completes 24",
                          "c.gradient_0: copy/8_f1_t1 completes 8",
                          "a.weight_gradient: gemm/m8_n8_k4_tn completes 64"));
}

TEST(Parameters, AClassTokenOfAModelForOneImageInALargerBatch) {
  Model model = with_token(1, {1, 1, 8});
  Binding four;
  four.batch = 4;
  EXPECT_THAT(gradients(trained(joined(model, "token"), four)),
              ElementsAre("y.weight_gradient: gemm/m8_n3_k20_tn completes 24",
                          "c.parameter_gradient: reducesum/4x1x8_a0 completes 8",
                          "a.weight_gradient: gemm/m8_n8_k16_tn completes 64"));
}

TEST(Parameters, WhatIsComputedOrHidesIsNotTrained) {
  Model model = positioned(2);
  model.weights("table", {5, 8}).node("Sin", {"table"}, {"p"});
  EXPECT_EQ(trained(finished(model, "p")).parameters, 24 + 64);
  Model masked = positioned(2);
  std::vector<float> mask(40, 0);
  mask[7] = -100;
  masked.reals("p", {5, 8}, mask);
  EXPECT_EQ(trained(finished(masked, "p")).parameters, 24 + 64);
  Model zeros = positioned(2);
  zeros.reals("p", {5, 8}, std::vector<float>(40, 0));
  EXPECT_EQ(trained(finished(zeros, "p")).parameters, 24 + 40 + 64);
}

TEST(Parameters, ABiasOfPositionsKeepsAttentionApart) {
  // Its gradient is that of the scores, which a call for attention does not give.
  for (const bool biased : {false, true}) {
    Model model(13);
    model.input("x", {2, 4, 8}).weights("u", {6, 5}).weights("bias", {1, 4, 4});
    for (const char* name : {"wq", "wk", "wv"}) model.weights(name, {8, 6});
    model.node("MatMul", {"x", "wq"}, {"q"}).node("MatMul", {"x", "wk"}, {"k"});
    model.node("MatMul", {"x", "wv"}, {"v"});
    model.node("Transpose", {"k"}, {"t"}, {{"perm", Dims{0, 2, 1}}});
    model.node("MatMul", {"q", "t"}, {"s"});
    if (biased) model.node("Add", {"s", "bias"}, {"b"});
    model.node("Softmax", {biased ? "b" : "s"}, {"p"}, {{"axis", -1}});
    model.node("MatMul", {"p", "v"}, {"o"}).node("MatMul", {"o", "u"}, {"y"});
    const LoweredGraph step = trained(model.output("y"));
    EXPECT_EQ(step.parameters, 3 * 48 + 30 + (biased ? 16 : 0));
    EXPECT_EQ(step.fusions.size(), biased ? 0U : 1U);
  }
}

}  // namespace
}  // namespace benanza::training
