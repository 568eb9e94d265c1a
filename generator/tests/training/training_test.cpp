// Training steps of small models: their layers and what these read.
#include "generator/training/training.h"

#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "generator/generate.h"
#include "generator/tests/onnx/model.h"

namespace benanza::training {
namespace {

using onnx::Model;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

/// "name: problem problem" for every layer of the backward pass and the update.
std::vector<std::string> backward(const LoweredGraph& step) {
  std::vector<std::string> lines;
  for (const LoweredLayer& layer : step.layers) {
    if (layer.phase == "forward") continue;
    std::string line = layer.name + ':';
    for (const std::string& problem : layer.problems) line += ' ' + problem;
    if (layer.cost == Cost::unsupported) line += " (" + layer.reason + ')';
    lines.push_back(line);
  }
  return lines;
}

const LoweredLayer& layer_of(const LoweredGraph& step, std::string_view name) {
  for (const LoweredLayer& layer : step.layers) {
    if (layer.name == name) return layer;
  }
  throw Error("no layer " + std::string(name));
}

std::vector<std::string> producers(const LoweredGraph& step, const std::string& name) {
  std::vector<std::string> names;
  for (const std::size_t input : layer_of(step, name).inputs) {
    names.push_back(step.layers[input].name);
  }
  return names;
}

LoweredGraph small(Optimizer optimizer = Optimizer::sgd_momentum) {
  Model model(13);
  model.input("x", {2, 3, 4, 4}).weights("w", {8, 3, 3, 3});
  for (const char* name : {"scale", "shift", "mean", "variance"}) model.weights(name, {8});
  model.weights("v", {8, 5}).weights("b", {5}).integers("shape", {2, 128}).weights("u", {128, 8});
  return training_step(
      model.node("Conv", {"x", "w"}, {"c"}, {{"pads", Dims{1, 1, 1, 1}}})
          .node("BatchNormalization", {"c", "scale", "shift", "mean", "variance"}, {"n"})
          .node("Relu", {"n"}, {"r"})
          .node("Reshape", {"r", "shape"}, {"f"})
          .node("MatMul", {"f", "u"}, {"m"})
          .node("Gemm", {"m", "v", "b"}, {"y"})
          .output("y")
          .import(),
      optimizer);
}

TEST(TrainingStep, GoesBackThroughEveryLayer) {
  EXPECT_THAT(
      backward(small()),
      ElementsAre("loss.gradient: logsoftmax_bwd/2x5_a1",
                  // Rows are summed for the bias.
                  "y.bias_gradient: reducesum/2x5_a0", "y.data_gradient: gemm/m2_n8_k5_nt",
                  "y.weight_gradient: gemm/m8_n5_k2_tn", "m.data_gradient: gemm/m2_n128_k8_nt",
                  "m.weight_gradient: gemm/m128_n8_k2_tn", "r.gradient: relu_bwd/2x8x4x4",
                  "n.gradient: batchnorm_bwd/2x8x4x4_e1e-05",
                  // The gradient of the model's input is not needed.
                  "c.weight_gradient: conv_bwd_filter/2x3x4x4_k8x3x3_p1.1.1.1_s1x1_d1x1_g1",
                  "update.gradients: widen/1x1301",
                  "update: linear/1x1301_a0.9_b0_add_y1x1301 "
                  "linear/1x1301_a-0.001_b0_add_y1x1301",
                  "update.weights: narrow/1x1301"));
}

TEST(TrainingStep, ForwardLayersAreThoseOfTraining) {
  const LoweredGraph step = small();
  EXPECT_THAT(layer_of(step, "n").problems, ElementsAre("batchnorm_training/2x8x4x4_e1e-05"));
  EXPECT_THAT(layer_of(step, "loss").problems, ElementsAre("logsoftmax/2x5_a1"));
  EXPECT_EQ(layer_of(step, "c").phase, "forward");
  EXPECT_EQ(step.model, small(Optimizer::adam).model);
}

TEST(TrainingStep, GradientsReadWhatTheForwardPassKept) {
  const LoweredGraph step = small();
  EXPECT_THAT(producers(step, "r.gradient"), ElementsAre("r", "m.data_gradient"));
  EXPECT_THAT(producers(step, "n.gradient"), ElementsAre("c", "n", "r.gradient"));
  EXPECT_THAT(producers(step, "m.weight_gradient"), ElementsAre("f", "y.data_gradient"));
  EXPECT_THAT(producers(step, "update.gradients"),
              UnorderedElementsAre("y.bias_gradient", "y.weight_gradient", "m.weight_gradient",
                                   "n.gradient", "c.weight_gradient"));
}

TEST(TrainingStep, CountsWhatIsTrained) {
  const LoweredGraph step = small();
  EXPECT_THAT(layer_of(step, "n.gradient").gradients, ElementsAre(8, 8));
  // Filters, scale and shift, the two matrices, the bias.
  EXPECT_EQ(trainable_parameters(step), 216 + 16 + 1024 + 40 + 5);
  // Weights and momentum, read and written in fp32.
  EXPECT_EQ(step.compulsory.weights.bytes, 4 * 2 * 1301);
  EXPECT_EQ(step.compulsory.weights.elements, 0);
  EXPECT_EQ(small(Optimizer::adam).compulsory.weights.bytes, 4 * 3 * 1301);
  // The update reads the gradients, too.
  const auto& update = layer_of(step, "update").compulsory;
  ASSERT_TRUE(update);
  EXPECT_EQ(update->inputs.bytes, 4 * 1301);
  EXPECT_EQ(update->weights.bytes, 4 * 2 * 1301);
  EXPECT_EQ(update->outputs.bytes, 4 * 2 * 1301);
}

// Master weights: what is not in fp32 is widened before the update and narrowed after it.
TEST(TrainingStep, TheUpdateIsInFp32) {
  const LoweredGraph step = small();
  EXPECT_EQ(layer_of(step, "update").precision, "fp32");
  EXPECT_EQ(layer_of(step, "update.gradients").precision, "cast");
  EXPECT_EQ(layer_of(step, "update.weights").precision, "cast");
  EXPECT_EQ(layer_of(step, "r.gradient").precision, "");
  EXPECT_THAT(producers(step, "update"), ElementsAre("update.gradients"));
  EXPECT_THAT(producers(step, "update.weights"), ElementsAre("update"));
}

// A call whose result a backward layer needs must store it, so no later call is fused with it.
TEST(TrainingStep, FusionsKeepWhatIsReadAgain) {
  const Graph graph = make_graph(small());
  for (const Fusion& fusion : graph.fusions) {
    for (std::size_t i = 0; i + 1 < fusion.layers.size(); ++i) {
      EXPECT_NE(graph.layers[fusion.layers[i]].name, "c") << fusion.pattern;
      EXPECT_NE(graph.layers[fusion.layers[i]].name, "n") << fusion.pattern;
    }
  }
}

// cuDNN sums for the bias in a separate call, oneDNN together with the products.
TEST(TrainingStep, FiltersAndTheirBiasAreOneLayer) {
  Model model(13);
  model.input("x", {2, 3, 4, 4}).weights("w", {8, 3, 1, 1}).weights("b", {8});
  const LoweredGraph step = training_step(
      model.node("Conv", {"x", "w", "b"}, {"c"}).output("c").import(), Optimizer::sgd_momentum);
  const LoweredLayer& layer = layer_of(step, "c.weight_gradient");
  EXPECT_THAT(layer.problems, ElementsAre("reducesum/2x8x4x4_a0.2.3",
                                          "conv_bwd_filter/2x3x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1"));
  EXPECT_EQ(key(*layer.whole), "conv_bwd_filter/2x3x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1_bias");
  EXPECT_THAT(layer.gradients, UnorderedElementsAre(24, 8));
  EXPECT_EQ(make_graph(step).fusions.back().problem, key(*layer.whole));
}

LoweredGraph lstm_step(const std::vector<std::string>& outputs, const std::string& read) {
  Model model(13);
  model.input("x", {5, 2, 3}).weights("w", {1, 16, 3}).weights("r", {1, 16, 4});
  model.weights("b", {1, 32}).integers("shape", {-1, 4}).weights("v", {4, 6});
  return training_step(model.node("LSTM", {"x", "w", "r", "b"}, outputs, {{"hidden_size", 4}})
                           .node("Reshape", {read, "shape"}, {"f"})
                           .node("MatMul", {"f", "v"}, {"y"})
                           .output("y")
                           .import(),
                       Optimizer::sgd_momentum);
}

// cuDNN has a call for the data gradient and one for the weight gradient, oneDNN one for both.
TEST(TrainingStep, RecurrentGradientsAreOneLayer) {
  const LoweredGraph step = lstm_step({"l"}, "l");
  EXPECT_THAT(layer_of(step, "l").problems,
              ElementsAre("lstm/t5_n2_i3_h4_l1_forward_bias_training"));
  const LoweredLayer& layer = layer_of(step, "l.gradient");
  EXPECT_THAT(layer.problems, ElementsAre("lstm_bwd_data/t5_n2_i3_h4_l1_forward_bias",
                                          "lstm_bwd_weights/t5_n2_i3_h4_l1_forward_bias"));
  EXPECT_EQ(key(*layer.whole), "lstm_bwd/t5_n2_i3_h4_l1_forward_bias");
  EXPECT_THAT(layer.gradients, UnorderedElementsAre(16 * 3, 16 * 4, 32));
  EXPECT_EQ(trainable_parameters(step), 16 * 3 + 16 * 4 + 32 + 4 * 6);
  EXPECT_EQ(make_graph(step).fusions.back().problem, key(*layer.whole));
  EXPECT_THAT(producers(step, "l.gradient"), ElementsAre("y.data_gradient"));
  // Operands of both calls are read once: x, w, r, b and the gradient of the result.
  EXPECT_EQ(layer.reads.size(), 5U);
}

// If only the last state is read, the gradient reaches only that.
TEST(TrainingStep, GradientsReachTheResultThatWasRead) {
  const LoweredGraph step = lstm_step({"l", "h", "c"}, "h");
  const LoweredLayer& layer = layer_of(step, "l.gradient");
  ASSERT_THAT(layer.problems, ElementsAre("lstm_bwd_data/t5_n2_i3_h4_l1_forward_bias_final",
                                          "lstm_bwd_weights/t5_n2_i3_h4_l1_forward_bias_final"));
  const std::vector<Source>& operands = layer.calls[0].operands;
  const auto read = [&](std::size_t operand) {
    return layer.reads[static_cast<std::size_t>(operands[operand].index)];
  };
  EXPECT_TRUE(read(4).constant);
  EXPECT_EQ(step.layers[*read(5).producer].name, "y.data_gradient");
  EXPECT_TRUE(read(6).constant);
}

TEST(TrainingStep, LocalResponseNormalizationHasACall) {
  Model model(13);
  model.input("x", {1, 3, 4, 4}).weights("w", {8, 3, 1, 1});
  const LoweredGraph step = training_step(model.node("Conv", {"x", "w"}, {"c"})
                                              .node("LRN", {"c"}, {"n"}, {{"size", 5}})
                                              .output("n")
                                              .import(),
                                          Optimizer::sgd_momentum);
  EXPECT_THAT(layer_of(step, "n.gradient").problems,
              ElementsAre("lrn_bwd/1x8x4x4_n5_a1e-04_b0.75_k1"));
}

TEST(TrainingStep, SeveralReadersAddUpTheirGradients) {
  Model model(13);
  model.input("x", {2, 8}).weights("w", {8, 8}).weights("v", {8, 8});
  const LoweredGraph step = training_step(model.node("MatMul", {"x", "w"}, {"a"})
                                              .node("MatMul", {"a", "v"}, {"b"})
                                              .node("Add", {"a", "b"}, {"c"})
                                              .output("c")
                                              .import(),
                                          Optimizer::sgd_momentum);
  EXPECT_THAT(layer_of(step, "a.gradient_sum").problems, ElementsAre("add/2x8_2x8"));
  EXPECT_THAT(producers(step, "a.gradient_sum"),
              UnorderedElementsAre("loss.gradient", "b.data_gradient"));
}

TEST(TrainingStep, ASoftmaxAtTheEndBelongsToTheLoss) {
  Model model(13);
  model.input("x", {2, 8}).weights("w", {8, 4});
  const LoweredGraph step = training_step(
      model.node("MatMul", {"x", "w"}, {"a"}).node("Softmax", {"a"}, {"s"}).output("s").import(),
      Optimizer::sgd_momentum);
  EXPECT_THAT(layer_of(step, "s").problems, ElementsAre("logsoftmax/2x4_a1"));
  EXPECT_THAT(layer_of(step, "s.gradient").problems, ElementsAre("logsoftmax_bwd/2x4_a1"));
}

// x (1 + erf(x / sqrt 2)) / 2 in five nodes: frameworks keep its input, and compute its gradient in
// one call.
TEST(TrainingStep, PutsOperatorsTogetherFirst) {
  Model model(13);
  model.input("x", {2, 8}).weights("w", {8, 8}).weights("v", {8, 4});
  model.scalar("root", 1.41421356F).scalar("one", 1).scalar("half", 0.5F);
  const LoweredGraph step = training_step(model.node("MatMul", {"x", "w"}, {"a"})
                                              .node("Div", {"a", "root"}, {"d"})
                                              .node("Erf", {"d"}, {"e"})
                                              .node("Add", {"e", "one"}, {"p"})
                                              .node("Mul", {"a", "p"}, {"q"})
                                              .node("Mul", {"q", "half"}, {"g"})
                                              .node("MatMul", {"g", "v"}, {"y"})
                                              .output("y")
                                              .import(),
                                          Optimizer::sgd_momentum);
  EXPECT_THAT(layer_of(step, "g").problems, ElementsAre("gelu/2x8"));
  EXPECT_THAT(layer_of(step, "g.gradient").problems, ElementsAre("gelu_bwd/2x8"));
  EXPECT_THAT(producers(step, "g.gradient"), ElementsAre("a", "y.data_gradient"));
}

/// softmax(q k^T) v of 2 x 4 tokens, heads of 6; `outputs` are the model's.
LoweredGraph attention_step(const std::vector<std::string>& outputs) {
  Model model(13);
  model.input("x", {2, 4, 8}).weights("u", {6, 5});
  for (const char* name : {"wq", "wk", "wv"}) model.weights(name, {8, 6});
  model.node("MatMul", {"x", "wq"}, {"q"})
      .node("MatMul", {"x", "wk"}, {"k"})
      .node("MatMul", {"x", "wv"}, {"v"})
      .node("Transpose", {"k"}, {"t"}, {{"perm", std::vector<std::int64_t>{0, 2, 1}}})
      .node("MatMul", {"q", "t"}, {"s"})
      .node("Softmax", {"s"}, {"p"}, {{"axis", -1}})
      .node("MatMul", {"p", "v"}, {"o"})
      .node("MatMul", {"o", "u"}, {"y"});
  for (const std::string& output : outputs) model.output(output);
  return training_step(model.import(), Optimizer::sgd_momentum);
}

TEST(TrainingStep, AttentionAndItsGradientAreTwoCalls) {
  const LoweredGraph step = attention_step({"y"});
  ASSERT_EQ(step.fusions.size(), 1U);
  const Fusion& fusion = step.fusions[0];
  EXPECT_EQ(fusion.problem, "attention/1x2x4x6_k2x4x6_s1");
  EXPECT_THAT(fusion.also, ElementsAre("attention_bwd/1x2x4x6_k2x4x6_s1"));
  EXPECT_TRUE(fusion.whole);
  std::vector<std::string> names;
  for (const std::size_t layer : fusion.layers) names.push_back(step.layers[layer].name);
  EXPECT_THAT(names, ElementsAre("t", "s", "p", "o", "o.data_gradient", "o.gradient_b",
                                 "p.gradient", "s.data_gradient", "s.gradient_b", "t.gradient"));
  EXPECT_EQ(make_graph(step).fusions.back(), fusion);
}

TEST(TrainingStep, AttentionWhoseWeightsAreReadElsewhereStaysApart) {
  EXPECT_TRUE(attention_step({"y", "p"}).fusions.empty());
}

TEST(TrainingStep, WhatHasNoCallIsNamedAndGoneThrough) {
  Model model(13);
  model.input("x", {2, 3, 4, 4}).weights("w", {8, 3, 1, 1}).integers("shape", {2, 128});
  model.weights("v", {128, 4}).weights("s", {8}).weights("t", {8});
  const LoweredGraph step = training_step(model.node("Conv", {"x", "w"}, {"c"})
                                              .node("InstanceNormalization", {"c", "s", "t"}, {"l"})
                                              .node("Reshape", {"l", "shape"}, {"f"})
                                              .node("MatMul", {"f", "v"}, {"y"})
                                              .output("y")
                                              .import(),
                                          Optimizer::sgd_momentum);
  EXPECT_EQ(layer_of(step, "l.gradient").cost, Cost::unsupported);
  EXPECT_EQ(layer_of(step, "l.gradient").reason,
            "the gradient of 'instancenorm' is not measured here");
  EXPECT_THAT(producers(step, "c.weight_gradient"), ElementsAre("l.gradient"));
}

// Two rows of a table are gathered, and the table is used as a matrix: one parameter.
TEST(TrainingStep, ATableThatMultipliesTooIsOneParameter) {
  Model model(13);
  model.input("x", {1, 2}, ::onnx::TensorProto::INT64).weights("t", {9, 8});
  const LoweredGraph step =
      training_step(model.node("Gather", {"t", "x"}, {"g"})
                        .node("Transpose", {"t"}, {"u"}, {{"perm", Dims{1, 0}}})
                        .node("MatMul", {"g", "u"}, {"y"})
                        .output("y")
                        .import(),
                    Optimizer::sgd_momentum);
  EXPECT_EQ(step.parameters, 72);
  EXPECT_EQ(layer_of(step, "g.gradient").cost, Cost::movement);
}

TEST(TrainingStep, NothingToTrainIsAnError) {
  Model model(13);
  model.input("x", {2, 8});
  EXPECT_THROW(
      training_step(model.node("Relu", {"x"}, {"y"}).output("y").import(), Optimizer::sgd_momentum),
      Error);
}

// Each call of the optimizer runs once, over all parameters.
TEST(TrainingStep, AdamHasFiveCalls) {
  EXPECT_EQ(layer_of(small(Optimizer::adam), "update").problems.size(), 5U);
}

}  // namespace
}  // namespace benanza::training
