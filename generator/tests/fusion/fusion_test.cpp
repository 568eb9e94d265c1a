// Which calls can be fused: patterns over the data flow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/fusion/fusion.h"
#include "generator/tests/onnx/model.h"

namespace benanza::fusion {
namespace {

using onnx::Model;

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

/// Formats fusions as "conv_bias_relu 0 1: conv/..._bias_relu".
std::vector<std::string> found(const LoweredGraph& graph) {
  std::vector<std::string> lines;
  for (const Fusion& fusion : find_fusions(graph.layers)) {
    std::string line = fusion.pattern;
    for (const std::size_t layer : fusion.layers) line += ' ' + std::to_string(layer);
    lines.push_back(line + ": " + fusion.problem);
  }
  return lines;
}

std::vector<std::string> patterns(const LoweredGraph& graph) {
  std::vector<std::string> names;
  for (const Fusion& fusion : find_fusions(graph.layers)) names.push_back(fusion.pattern);
  return names;
}

const std::string conv = "conv/1x3x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1";

/// Weights of a convolution from 3 to 8 channels, of one from 8 to 8, and of a normalization of 8.
Model with_weights() {
  Model model(13);
  model.input("x", {1, 3, 4, 4}).weights("w", {8, 3, 1, 1}).weights("w8", {8, 8, 1, 1});
  for (const char* name : {"b", "scale", "shift", "mean", "variance"}) model.weights(name, {8});
  return model;
}

Model& normalize(Model& model, const std::string& from, const std::string& to) {
  return model.node("BatchNormalization", {from, "scale", "shift", "mean", "variance"}, {to});
}

TEST(Fusion, ConvolutionBiasActivationAndEveryPrefix) {
  const LoweredGraph graph = with_weights()
                                 .node("Conv", {"x", "w", "b"}, {"c"})
                                 .node("Relu", {"c"}, {"r"})
                                 .output("r")
                                 .import();
  EXPECT_THAT(found(graph), ElementsAre("conv_bias 0: " + conv + "_bias",
                                        "conv_bias_relu 0 1: " + conv + "_bias_relu"));
}

TEST(Fusion, ABiasMayBeANodeOfItsOwn) {
  const LoweredGraph graph = with_weights()
                                 .weights("b4", {1, 8, 1, 1})
                                 .node("Conv", {"x", "w"}, {"c"})
                                 .node("Add", {"c", "b4"}, {"a"})
                                 .node("Clip", {"a", "low", "high"}, {"r"})
                                 .scalar("low", 0)
                                 .scalar("high", 6)
                                 .output("r")
                                 .import();
  EXPECT_THAT(found(graph), ElementsAre("conv_bias 0 1: " + conv + "_bias",
                                        "conv_bias_clip 0 1 2: " + conv + "_bias_clip_a0_b6"));
}

TEST(Fusion, AConstantThatIsNotOnePerFilterIsAStepAndNoBias) {
  for (const Dims& dims : {Dims{1, 1, 4, 1}, Dims{1, 8, 4, 4}}) {
    const LoweredGraph graph = with_weights()
                                   .weights("b4", dims)
                                   .node("Conv", {"x", "w"}, {"c"})
                                   .node("Add", {"c", "b4"}, {"a"})
                                   .output("a")
                                   .import();
    EXPECT_THAT(found(graph),
                ElementsAre("conv_add 0 1: " + conv + "_add_y" + join(dims, 'x') + "_w"));
  }
}

TEST(Fusion, NormalizationFoldsIntoTheWeights) {
  Model model = with_weights();
  model.node("Conv", {"x", "w"}, {"c"});
  normalize(model, "c", "n").node("Sigmoid", {"n"}, {"s"}).output("s");
  EXPECT_THAT(found(model.import()),
              ElementsAre("conv_bn 0 1: " + conv + "_bias",
                          "conv_bn_sigmoid 0 1 2: " + conv + "_bias_sigmoid"));
}

TEST(Fusion, NormalizationTakesABiasBeforeItAlong) {
  Model model = with_weights();
  model.node("Conv", {"x", "w", "b"}, {"c"});
  normalize(model, "c", "n").output("n");
  EXPECT_THAT(found(model.import()),
              ElementsAre("conv_bias 0: " + conv + "_bias", "conv_bn 0 1: " + conv + "_bias"));
}

TEST(Fusion, NormalizationDoesNotFoldIntoWhatChanges) {
  // First the weights, then the statistics are inputs of the model.
  Model weights(13);
  weights.input("x", {1, 3, 4, 4}).input("w", {8, 3, 1, 1});
  for (const char* name : {"scale", "shift", "mean", "variance"}) weights.weights(name, {8});
  weights.node("Conv", {"x", "w"}, {"c"});
  EXPECT_THAT(found(normalize(weights, "c", "n").output("n").import()),
              ElementsAre("conv_bn 0 1: " + conv + "_mul_y1x8x1x1_w_add_y1x8x1x1_w"));

  Model statistics(13);
  statistics.input("x", {1, 3, 4, 4}).weights("w", {8, 3, 1, 1}).input("mean", {8});
  for (const char* name : {"scale", "shift", "variance"}) statistics.weights(name, {8});
  statistics.node("Conv", {"x", "w"}, {"c"});
  EXPECT_THAT(found(normalize(statistics, "c", "n").output("n").import()), IsEmpty());
}

/// conv -> bn on both sides of an addition, then relu: the block of a residual network that changes
/// the number of channels. Layers 0 1 | 2 3 | 4 5.
LoweredGraph block() {
  Model model = with_weights();
  model.weights("v", {8, 3, 1, 1}).node("Conv", {"x", "w"}, {"c"});
  normalize(model, "c", "n").node("Conv", {"x", "v"}, {"d"});
  normalize(model, "d", "o").node("Add", {"n", "o"}, {"a"}).node("Relu", {"a"}, {"r"}).output("r");
  return model.import();
}

TEST(Fusion, EitherBranchMayTakeTheAddition) {
  EXPECT_THAT(
      found(block()),
      ElementsAre("conv_bn 0 1: " + conv + "_bias", "conv_bn_add 0 1 4: " + conv + "_bias_residual",
                  "conv_bn_add_relu 0 1 4 5: " + conv + "_bias_residual_relu",
                  "conv_bn 2 3: " + conv + "_bias", "conv_bn_add 2 3 4: " + conv + "_bias_residual",
                  "conv_bn_add_relu 2 3 4 5: " + conv + "_bias_residual_relu",
                  "add_relu 4 5: add/1x8x4x4_1x8x4x4_relu"));
}

TEST(Fusion, AResidualThatIsBroadcastIsAStepAndNoResidual) {
  const LoweredGraph graph = with_weights()
                                 .input("z", {1, 8, 1, 1})
                                 .node("Conv", {"x", "w"}, {"c"})
                                 .node("Add", {"c", "z"}, {"a"})
                                 .output("a")
                                 .import();
  EXPECT_THAT(found(graph), ElementsAre("conv_add 0 1: " + conv + "_add_y1x8x1x1"));
}

/// Whether the only fusion with a residual keeps the residual for later readers.
bool keeps_residual(const LoweredGraph& graph) {
  std::vector<bool> kept;
  for (const Fusion& fusion : find_fusions(graph.layers)) {
    if (parse(fusion.problem).epilogue.residual) kept.push_back(fusion.keeps_residual);
  }
  EXPECT_EQ(kept.size(), 1U);
  return !kept.empty() && kept.front();
}

/// r = conv(x), the residual; d = conv(relu(r)), the branch; a = d + r.
Model shortcut() {
  Model model = with_weights();
  model.node("Conv", {"x", "w"}, {"r"}).node("Relu", {"r"}, {"s"});
  model.node("Conv", {"s", "w8"}, {"d"}).node("Add", {"d", "r"}, {"a"}).output("a");
  return model;
}

TEST(Fusion, AResidualReadBeforeItsBranchIsDoneMayBeOverwritten) {
  EXPECT_FALSE(keeps_residual(shortcut().import()));
}

TEST(Fusion, AResidualWithAnotherReaderIsKept) {
  // r is read again: first after the addition, then at any time.
  EXPECT_TRUE(keeps_residual(
      shortcut().node("Concat", {"a", "r"}, {"z"}, {{"axis", 1}}).output("z").import()));
  EXPECT_TRUE(keeps_residual(shortcut().node("Tanh", {"r"}, {"z"}).output("z").import()));
  EXPECT_TRUE(keeps_residual(shortcut().output("r").import())) << "by the caller";
}

TEST(Fusion, AResidualThatTheProductItselfReadsIsKept) {
  Model model = with_weights();
  model.node("Conv", {"x", "w"}, {"r"}).node("Relu", {"r"}, {"s"});
  model.node("Conv", {"s", "w8"}, {"d"}).node("Add", {"d", "s"}, {"a"}).output("a");
  EXPECT_TRUE(keeps_residual(model.import()));
}

TEST(Fusion, AnInputOfTheModelIsKept) {
  EXPECT_TRUE(keeps_residual(with_weights()
                                 .input("z", {1, 8, 4, 4})
                                 .node("Conv", {"x", "w"}, {"c"})
                                 .node("Add", {"c", "z"}, {"a"})
                                 .output("a")
                                 .import()));
}

TEST(Fusion, AnotherNameOfAResidualIsTheSameMemory) {
  Model model = with_weights();
  model.node("Conv", {"x", "w"}, {"q"}).node("Identity", {"q"}, {"r"});
  model.node("Relu", {"r"}, {"s"}).node("Conv", {"s", "w8"}, {"d"});
  model.node("Add", {"d", "r"}, {"a"}).output("a");
  EXPECT_FALSE(keeps_residual(model.import()));
  EXPECT_TRUE(keeps_residual(model.node("Tanh", {"q"}, {"z"}).output("z").import()));
}

TEST(Fusion, AProductAddedToItselfHasTwoReaders) {
  const LoweredGraph graph = with_weights()
                                 .node("Conv", {"x", "w"}, {"c"})
                                 .node("Add", {"c", "c"}, {"a"})
                                 .output("a")
                                 .import();
  EXPECT_THAT(found(graph), IsEmpty());
}

TEST(Fusion, AnInnerResultWithASecondReaderStays) {
  const LoweredGraph graph = with_weights()
                                 .node("Conv", {"x", "w", "b"}, {"c"})
                                 .node("Relu", {"c"}, {"r"})
                                 .node("Tanh", {"c"}, {"t"})
                                 .output("r")
                                 .output("t")
                                 .import();
  EXPECT_THAT(patterns(graph), ElementsAre("conv_bias"));
}

TEST(Fusion, AnInnerResultThatTheCallerReadsStays) {
  Model model = with_weights();
  model.node("Conv", {"x", "w"}, {"c"}).node("Relu", {"c"}, {"r"}).output("r");
  EXPECT_THAT(patterns(model.import()), ElementsAre("conv_relu"));
  EXPECT_THAT(patterns(model.output("c").import()), IsEmpty());
}

TEST(Fusion, WhoAsksForAShapeReadsNoResult) {
  // As exporters write Flatten: the shape is known, and nothing of it is left at inference.
  const LoweredGraph graph = with_weights()
                                 .integers("first", {0})
                                 .integers("rest", {-1})
                                 .node("Conv", {"x", "w"}, {"c"})
                                 .node("Shape", {"c"}, {"s"})
                                 .node("Gather", {"s", "first"}, {"n"})
                                 .node("Concat", {"n", "rest"}, {"t"}, {{"axis", 0}})
                                 .node("Relu", {"c"}, {"r"})
                                 .node("Reshape", {"r", "t"}, {"y"})
                                 .output("y")
                                 .import();
  EXPECT_THAT(found(graph), ElementsAre("conv_relu 0 4: " + conv + "_relu"));
}

TEST(Fusion, LayersThatPassTheResultOnAreNotInTheWay) {
  const LoweredGraph graph = with_weights()
                                 .node("Conv", {"x", "w", "b"}, {"c"})
                                 .node("Identity", {"c"}, {"i"})
                                 .node("Flatten", {"i"}, {"f"})
                                 .node("Relu", {"f"}, {"r"})
                                 .output("r")
                                 .import();
  EXPECT_THAT(found(graph), ElementsAre("conv_bias 0: " + conv + "_bias",
                                        "conv_bias_relu 0 1 2 3: " + conv + "_bias_relu"));
}

TEST(Fusion, StepsFollowAnActivation) {
  const LoweredGraph graph = with_weights()
                                 .input("z", {1, 8, 4, 4})
                                 .node("Conv", {"x", "w"}, {"c"})
                                 .node("Relu", {"c"}, {"r"})
                                 .node("Add", {"r", "z"}, {"a"})
                                 .output("a")
                                 .import();
  EXPECT_THAT(found(graph), ElementsAre("conv_relu 0 1: " + conv + "_relu",
                                        "conv_relu_add 0 1 2: " + conv + "_relu_add_y1x8x4x4",
                                        "relu_add 1 2: relu/1x8x4x4_add_y1x8x4x4"));
}

TEST(Fusion, AProductOfAnotherOperatorInBetweenEndsTheChain) {
  const LoweredGraph graph = with_weights()
                                 .node("Conv", {"x", "w", "b"}, {"c"})
                                 .node("MaxPool", {"c"}, {"p"}, {{"kernel_shape", Dims{2, 2}}})
                                 .node("Relu", {"p"}, {"r"})
                                 .output("r")
                                 .import();
  EXPECT_THAT(patterns(graph), ElementsAre("conv_bias"));
}

TEST(Fusion, GemmBiasActivation) {
  const LoweredGraph graph = Model(13)
                                 .input("x", {5, 3})
                                 .weights("w", {4, 3})
                                 .weights("b", {4})
                                 .node("Gemm", {"x", "w", "b"}, {"g"}, {{"transB", 1}})
                                 .node("Dropout", {"g"}, {"d"})
                                 .node("Relu", {"d"}, {"r"})
                                 .output("r")
                                 .import();
  EXPECT_THAT(found(graph), ElementsAre("gemm_bias 0: gemm/m5_n4_k3_nt_w_bias",
                                        "gemm_bias_relu 0 1 2: gemm/m5_n4_k3_nt_w_bias_relu"));
}

TEST(Fusion, GemmWithAnAddendThatIsNoBias) {
  const LoweredGraph graph = Model(13)
                                 .input("x", {5, 3})
                                 .input("z", {5, 4})
                                 .weights("w", {3, 4})
                                 .node("Gemm", {"x", "w", "z"}, {"g"})
                                 .output("g")
                                 .import();
  EXPECT_THAT(found(graph), ElementsAre("gemm_add 0: gemm/m5_n4_k3_nn_w_residual"));
}

TEST(Fusion, MatMulBiasAndResidualOfATransformer) {
  // A sequence of 7 with 12 features; the bias is the first operand, as exporters write it.
  const LoweredGraph graph = Model(13)
                                 .input("x", {2, 7, 12})
                                 .weights("w", {12, 12})
                                 .weights("b", {12})
                                 .node("MatMul", {"x", "w"}, {"m"})
                                 .node("Add", {"b", "m"}, {"a"})
                                 .node("Add", {"a", "x"}, {"s"})
                                 .output("s")
                                 .import();
  EXPECT_THAT(found(graph),
              ElementsAre("gemm_bias 0 1: gemm/m14_n12_k12_nn_w_bias",
                          "gemm_bias_add 0 1 2: gemm/m14_n12_k12_nn_w_bias_residual"));
}

TEST(Fusion, GeluOfATransformer) {
  const LoweredGraph graph = Model(20)
                                 .input("x", {7, 12})
                                 .weights("w", {12, 48})
                                 .weights("b", {48})
                                 .node("MatMul", {"x", "w"}, {"m"})
                                 .node("Add", {"m", "b"}, {"a"})
                                 .node("Gelu", {"a"}, {"g"}, {{"approximate", std::string("tanh")}})
                                 .output("g")
                                 .import();
  EXPECT_THAT(found(graph),
              ElementsAre("gemm_bias 0 1: gemm/m7_n48_k12_nn_w_bias",
                          "gemm_bias_gelutanh 0 1 2: gemm/m7_n48_k12_nn_w_bias_gelutanh"));
}

TEST(Fusion, TransposedConvolutionsTakeThemToo) {
  const LoweredGraph graph =
      Model(13)
          .input("x", {1, 3, 4, 4})
          .weights("w", {3, 8, 2, 2})
          .node("ConvTranspose", {"x", "w"}, {"c"}, {{"strides", Dims{2, 2}}})
          .node("LeakyRelu", {"c"}, {"r"}, {{"alpha", 0.25F}})
          .output("r")
          .import();
  EXPECT_THAT(
      found(graph),
      ElementsAre(
          "deconv_leakyrelu 0 1: deconv/1x3x4x4_k8x2x2_p0.0.0.0_s2x2_d1x1_g1_leakyrelu_a0.25"));
}

// Stacked recurrent layers, 5 steps of 2 entries, as a framework's num_layers exports them.
Model recurrent_layers(std::int64_t directions, std::int64_t batch, int layers) {
  Model model(14);
  model.input("y0", {5, batch, 3});
  for (int layer = 1; layer <= layers; ++layer) {
    const std::string index = std::to_string(layer);
    model.weights("w" + index, {directions, 16, layer == 1 ? 3 : directions * 4})
        .weights("r" + index, {directions, 16, 4})
        .integers("shape" + index, {5, batch, directions * 4})
        .node("LSTM", {std::string("y") + std::to_string(layer - 1), "w" + index, "r" + index},
              {"s" + index}, {{"direction", directions == 2 ? "bidirectional" : "forward"}})
        .node("Reshape", {"s" + index, "shape" + index}, {"y" + index});
  }
  return model;
}

TEST(RecurrentStack, LayersOverEachOtherAreOneCall) {
  EXPECT_THAT(found(recurrent_layers(1, 2, 3).output("y3").import()),
              ElementsAre("lstm_lstm 0 1 2: lstm/t5_n2_i3_h4_l2_forward",
                          "lstm_lstm_lstm 0 1 2 3 4: lstm/t5_n2_i3_h4_l3_forward",
                          "lstm_lstm 2 3 4: lstm/t5_n2_i4_h4_l2_forward"));
}

TEST(RecurrentStack, DirectionsMustLieTogether) {
  EXPECT_THAT(found(recurrent_layers(2, 1, 2).output("y2").import()),
              ElementsAre("lstm_lstm 0 1 2: lstm/t5_n1_i3_h4_l2_bidirectional"));
  // Y groups the batch by direction; this Reshape mixes entries, which no stack does.
  EXPECT_THAT(found(recurrent_layers(2, 2, 2).output("y2").import()), IsEmpty());
}

TEST(RecurrentStack, InnerResultsThatOthersReadAreNotHidden) {
  EXPECT_THAT(found(recurrent_layers(1, 2, 2).output("y1").output("y2").import()), IsEmpty());
  EXPECT_THAT(found(recurrent_layers(1, 2, 2).output("s1").output("y2").import()), IsEmpty());
}

TEST(RecurrentStack, LayersMustBeAlike) {
  Model model = recurrent_layers(1, 2, 2);
  auto& attribute = *model.graph().mutable_node(2)->mutable_attribute(0);
  attribute.set_s("reverse");
  EXPECT_THAT(found(model.output("y2").import()), IsEmpty());
}

}  // namespace
}  // namespace benanza::fusion
