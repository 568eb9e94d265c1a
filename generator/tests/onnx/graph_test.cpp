// The graph around the layers: order, names, connections, shapes that follow from values, batches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "generator/fusion/fusion.h"
#include "generator/onnx/infer/rebatch.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Graph, InputsAreProducersAscendingAndOnce) {
  const LoweredGraph graph = Model(13)
                                 .input("x", {2, 3})
                                 .weights("w", {2, 3})
                                 .node("Relu", {"x"}, {"a"})
                                 .node("Add", {"a", "w"}, {"b"})
                                 .node("Mul", {"b", "a"}, {"c"})
                                 .node("Mul", {"c", "c"}, {"d"})
                                 .output("d")
                                 .import();
  EXPECT_THAT(graph.layers[0].inputs, IsEmpty());
  EXPECT_THAT(graph.layers[1].inputs, ElementsAre(0));
  EXPECT_THAT(graph.layers[2].inputs, ElementsAre(0, 1));
  EXPECT_THAT(graph.layers[3].inputs, ElementsAre(2));
}

TEST(Graph, NodesOutOfOrderAreSorted) {
  const LoweredGraph graph = Model(13)
                                 .input("x", {2})
                                 .node("Tanh", {"a"}, {"b"})
                                 .node("Relu", {"x"}, {"a"})
                                 .output("b")
                                 .import();
  EXPECT_THAT(names(graph), ElementsAre("a", "b"));
  EXPECT_THAT(graph.layers[1].inputs, ElementsAre(0));
}

TEST(Graph, NamesAreStableAndUnique) {
  Model model(13);
  model.input("x", {2});
  for (const char* output : {"a", "b", "c", "d"})
    model.node("Relu", {"x"}, {output}).output(output);
  for (const auto& [index, name] : {std::pair{0, ""}, {1, "same"}, {2, "same"}, {3, "Relu_0"}}) {
    model.graph().mutable_node(index)->set_name(name);
  }
  EXPECT_THAT(names(model.import()), ElementsAre("Relu_0_2", "same", "same_2", "Relu_0"));
}

TEST(Graph, ANameWrittenTwiceMeansTheLastValueBeforeTheReader) {
  const LoweredGraph graph = Model(13)
                                 .input("x", {2, 3})
                                 .node("Relu", {"x"}, {"t"})
                                 .node("Tanh", {"t"}, {"a"})
                                 .node("Transpose", {"x"}, {"t"})
                                 .node("Relu", {"t"}, {"b"})
                                 .output("a")
                                 .output("b")
                                 .import();
  EXPECT_THAT(graph.layers[1].inputs, ElementsAre(0));
  EXPECT_THAT(graph.layers[3].inputs, ElementsAre(2));
  EXPECT_THAT(graph.layers[3].problems, ElementsAre("relu/3x2"));
  EXPECT_EQ(graph.layers[2].outputs[0].name, "t");
}

TEST(Graph, SubgraphsAreReadersOfWhatTheyCapture) {
  Model model(13);
  model.input("c", {}, ::onnx::TensorProto::BOOL)
      .input("x", {2})
      .node("Relu", {"x"}, {"a"})
      .node("If", {"c"}, {"y"});
  auto& branch = *model.last().add_attribute();
  branch.set_name("then_branch");
  branch.set_type(::onnx::AttributeProto::GRAPH);
  auto& inner = *branch.mutable_g()->add_node();
  inner.set_op_type("Tanh");
  inner.add_input("a");
  inner.add_output("z");
  branch.mutable_g()->add_output()->set_name("z");
  const LoweredGraph graph = model.output("y").import();
  EXPECT_THAT(graph.layers[1].inputs, ElementsAre(0));
  EXPECT_EQ(graph.layers[1].reason,
            "what its body does is only known when the model runs: hides 1 node (Tanh 1); an input "
            "decides: give --input c=true or --input c=false");
}

TEST(Shapes, FollowFromValuesComputedOnTheWay) {
  // x.reshape(x.shape[0], -1), as exporters write it.
  Model model(13);
  model.input("x", {-1, 6, 2})
      .integers("zero", {0})
      .integers("minus", {-1})
      .node("Shape", {"x"}, {"s"})
      .node("Gather", {"s", "zero"}, {"n"})
      .node("Concat", {"n", "minus"}, {"target"}, {{"axis", 0}})
      .node("Reshape", {"x", "target"}, {"r"})
      .node("Relu", {"r"}, {"y"})
      .output("y");
  const LoweredGraph graph = model.import({.batch = 5, .dims = {}});
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("relu/5x12"));
  EXPECT_EQ(std::count_if(graph.layers.begin(), graph.layers.end(),
                          [](const LoweredLayer& layer) { return layer.cost == Cost::free; }),
            4);
}

TEST(Shapes, ArithmeticOnShapesIsFolded) {
  Model model(13);
  model.input("x", {6, 4})
      .integers("two", {2})
      .integers("zero", {0})
      .integers("one", {1})
      .node("Shape", {"x"}, {"s"})
      .node("Slice", {"s", "zero", "one"}, {"n"})
      .node("Div", {"n", "two"}, {"half"})
      .node("Mul", {"two", "two"}, {"four"})
      .node("Mul", {"four", "two"}, {"eight"})
      .node("Concat", {"half", "eight"}, {"target"}, {{"axis", 0}})
      .node("Reshape", {"x", "target"}, {"r"})
      .node("Relu", {"r"}, {"y"})
      .output("y");
  EXPECT_THAT(model.layer().problems, ElementsAre("relu/3x8"));
}

TEST(Shapes, SqueezeTakesEveryOneIfNotTold) {
  for (const int opset : {9, 13, 25}) {
    Model model(opset);
    model.input("x", {1, 3, 1, 2}).node("Squeeze", {"x"}, {"y"}).output("y");
    EXPECT_EQ(model.layer().outputs[0].shape, (Dims{3, 2}));
  }
}

TEST(Shapes, OneHotAddsAnAxisAsLongAsTheDepth) {
  Model model(18);
  model.input("at", {4, 5}, ::onnx::TensorProto::INT64).integers("depth", {7}).weights("v", {2});
  model.node("OneHot", {"at", "depth", "v"}, {"y"}, {{"axis", 1}}).output("y");
  EXPECT_EQ(model.layer().outputs[0].shape, (Dims{4, 7, 5}));
  EXPECT_EQ(model.layer().cost, Cost::movement);
  EXPECT_THAT(model.layer().problems, testing::ElementsAre("copy/140_f0_t1"));
}

// As many numbers as the data say, or the user.
TEST(Shapes, ARangeOfStatedLengthIsWritten) {
  Model model(18);
  const int whole = ::onnx::TensorProto::INT64;
  model.input("to", {}, whole).integers("one", {1}).integers("zero", {0});
  model.node("Range", {"zero", "to", "one"}, {"y"}).output("y");
  EXPECT_EQ(model.layer().cost, Cost::unsupported);
  const LoweredGraph stated = model.import({.batch = {}, .dims = {{"y:0", 50}}});
  EXPECT_THAT(stated.layers[0].problems, testing::ElementsAre("copy/50_f0_t1"));
}

TEST(Shapes, ExpandTakesMinusOneForAsItIs) {
  Model model(13);
  model.input("x", {1, 5})
      .integers("target", {3, -1})
      .node("Expand", {"x", "target"}, {"e"})
      .node("Relu", {"e"}, {"y"})
      .output("y");
  EXPECT_THAT(model.layer().problems, ElementsAre("relu/3x5"));
}

// 2, 5, 8: as ONNX Runtime, and a test of onnx 1.17 (affine grids) have it.
TEST(Shapes, RangeTakesVectorsOfOneElementForScalars) {
  Model model(13);
  model.input("x", {1, 3})
      .integers("from", {2})
      .integers("to", {9})
      .integers("by", {3})
      .node("Range", {"from", "to", "by"}, {"r"})
      .node("Cast", {"r"}, {"f"}, {{"to", 1}})
      .node("Add", {"x", "f"}, {"y"})
      .output("y");
  EXPECT_THAT(model.layer().problems, ElementsAre("add/1x3_1x3_w"));
}

TEST(Shapes, InferenceGoesBeforeWhatTheFileStates) {
  Model model(13);
  model.input("x", {1, 4}).node("Relu", {"x"}, {"a"}).node("Relu", {"a"}, {"y"}).output("y");
  auto& stale = *model.graph().add_value_info();
  stale.set_name("a");
  stale.mutable_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::FLOAT);
  for (const int extent : {1, 4}) {
    stale.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(extent);
  }
  EXPECT_THAT(model.layer({.batch = 8, .dims = {}}).problems, ElementsAre("relu/8x4"));
}

TEST(Shapes, WhatTheFileStatesFillsGaps) {
  Model model(13);
  model.domain("com.example", 1).input("x", {1, 4}).node("Magic", {"x"}, {"a"});
  model.last().set_domain("com.example");
  model.node("Relu", {"a"}, {"y"}).output("y");
  auto& stated = *model.graph().add_value_info();
  stated.set_name("a");
  stated.mutable_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::FLOAT);
  stated.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(7);
  EXPECT_THAT(model.layer().problems, ElementsAre("relu/7"));
  // Stated for another batch: unknown is better than wrong.
  EXPECT_EQ(model.layer({.batch = 8, .dims = {}}).cost, Cost::unsupported);
}

TEST(Shapes, NewerOpsetsUseTheNewestSchema) {
  EXPECT_THAT(Model(21).input("x", {2, 3}).node("Relu", {"x"}, {"y"}).output("y").layer().problems,
              ElementsAre("relu/2x3"));
}

TEST(Shapes, NewerAttributesAreNotIgnored) {
  const LoweredLayer layer = Model(28)
                                 .input("x", {1, 1, 7, 7})
                                 .node("Softsign", {"x"}, {"y"}, {{"crop", 2}})
                                 .output("y")
                                 .layer();
  EXPECT_EQ(layer.cost, Cost::unsupported);
  EXPECT_EQ(layer.outputs[0].shape, std::nullopt);
}

TEST(Rebatch, ABakedBatchIsScaled) {
  EXPECT_EQ(rebatched({1, 1024}, {8, 1024, 1, 1}, true, 1, 8), (Dims{8, 1024}));
  EXPECT_EQ(rebatched({4, 6}, {2, 3, 2}, true, 4, 2), (Dims{2, 6}));
  EXPECT_EQ(rebatched({2, 0, 5}, {8, 3, 5}, true, 2, 8), (Dims{8, 0, 5})) << "0 copies an extent";
  EXPECT_EQ(rebatched({1, -1}, {8, 3, 5}, true, 1, 8), (Dims{8, -1}));
}

// Sequences of 16 with 4 heads, the batch between the two: 2 x 4 becomes 1 x 4.
TEST(Rebatch, ABatchBehindOtherAxesIsScaled) {
  EXPECT_EQ(rebatched({16, 8, 16}, {16, 1, 64}, true, 2, 1), (Dims{16, 4, 16}));
  EXPECT_EQ(rebatched({15, 8, 16}, {15, 1, 64}, true, 2, 1), (Dims{15, 4, 16}));
  EXPECT_EQ(rebatched({16, 2, 3, 64}, {16, 1, 192}, true, 2, 1), (Dims{16, 1, 3, 64}));
}

TEST(Rebatch, WhatFitsOrIsNoBatchStays) {
  EXPECT_EQ(rebatched({8, 1024}, {8, 1024, 1, 1}, true, 1, 8), std::nullopt);
  EXPECT_EQ(rebatched({-1, 1024}, {8, 1024, 1, 1}, true, 1, 8), std::nullopt);
  EXPECT_EQ(rebatched({3, 5}, {15}, true, 1, 8), std::nullopt);
}

TEST(Rebatch, OfNothingIsNothing) {
  EXPECT_EQ(rebatched({1, 1024}, {8, 1024}, true, 0, 8), std::nullopt);
}

TEST(Rebatch, ThroughAModel) {
  Model model(13);
  model.input("x", {1, 16, 1, 1})
      .integers("target", {1, 16})
      .node("Reshape", {"x", "target"}, {"r"})
      .node("Softmax", {"r"}, {"y"})
      .output("y");
  EXPECT_THAT(model.layer({.batch = 8, .dims = {}}).problems, ElementsAre("softmax/8x16_a1"));
  EXPECT_THAT(model.layer().problems, ElementsAre("softmax/1x16_a1"));
}

TEST(Rebatch, ConstantsBesideTheDataTakeTheNewBatch) {
  // A class token of 1x1x8 before 4 rows; then the batch becomes 2.
  Model model(17);
  model.input("x", {1, 4, 8}).weights("token", {1, 1, 8});
  model.node("Concat", {"token", "x"}, {"c"}, {{"axis", 1}}).node("Relu", {"c"}, {"y"});
  const LoweredGraph graph = model.output("y").import({.batch = 2, .dims = {}});
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{2, 5, 8}));
  EXPECT_THAT(graph.layers[1].problems, ElementsAre("relu/2x5x8"));
  EXPECT_EQ(graph.parameters, 8);
}

TEST(Rebatch, SizesOfAResizeTakeTheNewBatch) {
  Model model(18);
  model.input("x", {1, 3, 4, 4}).integers("sizes", {1, 3, 8, 8});
  model.node("Resize", {"x", "", "", "sizes"}, {"y"}, {{"mode", "linear"}}).output("y");
  EXPECT_EQ(model.layer({.batch = 2, .dims = {}}).outputs[0].shape, (Dims{2, 3, 8, 8}));
}

TEST(Rebatch, InitialStatesTakeTheNewBatch) {
  Model model(17);
  model.input("x", {5, 1, 3}).weights("w", {1, 16, 3}).weights("r", {1, 16, 4});
  model.weights("h", {1, 1, 4}).weights("c", {1, 1, 4});
  model.node("LSTM", {"x", "w", "r", "", "", "h", "c"}, {"y"}, {{"hidden_size", 4}});
  const LoweredLayer layer = model.output("y").layer({.batch = 2, .dims = {}});
  EXPECT_EQ(layer.outputs[0].shape, (Dims{5, 1, 2, 4}));
  EXPECT_THAT(layer.problems, ElementsAre("lstm/t5_n2_i3_h4_l1_forward_initial"));
}

std::string file(const std::string& name) { return std::string(TEST_DATA) + '/' + name; }

TEST(RealModels, AlexNet) {
  const LoweredGraph one = import_file(file("torchvision_alexnet.onnx"), {.batch = 1, .dims = {}});
  EXPECT_EQ(one.model, "torchvision_alexnet");
  EXPECT_EQ(one.opset, 17);
  double flops = 0;
  int convolutions = 0;
  for (const LoweredLayer& layer : one.layers) {
    EXPECT_NE(layer.cost, Cost::unsupported) << layer.name;
    flops += layer.flops.value();
    if (layer.op != "Conv") continue;
    ++convolutions;
    EXPECT_EQ(layer.calls.size(), 2U);
  }
  EXPECT_EQ(convolutions, 5);
  // 655,566,528 multiply-adds in the convolutions and 58,621,952 in the products.
  EXPECT_NEAR(flops, 2.0 * (655566528 + 58621952), 0.01 * flops);
  // Five convolutions and three products with a bias; a relu follows all but the last product.
  EXPECT_EQ(fusion::find_fusions(one.layers).size(), 8U + 7U);
  const LoweredGraph eight =
      import_file(file("torchvision_alexnet.onnx"), {.batch = 8, .dims = {}});
  EXPECT_EQ(eight.batch, 8);
  EXPECT_EQ(eight.layers.back().outputs[0].shape, (Dims{8, 1000}));
}

TEST(RealModels, BothLayersOfAnLstmAreOneProblemEach) {
  const LoweredGraph graph = import_file(file("torch_lstm.onnx"), {});
  std::vector<std::string> found;
  for (const LoweredLayer& layer : graph.layers) {
    if (layer.op != "LSTM") continue;
    EXPECT_EQ(layer.reason, "");
    EXPECT_EQ(layer.outputs[0].shape, (Dims{25, 1, 1, 512}));
    found.push_back(layer.problems.front());
  }
  // Like all constants of this model file without weights, the initial states are not zero.
  EXPECT_THAT(found, ElementsAre("lstm/t25_n1_i256_h512_l1_forward_bias_initial",
                                 "lstm/t25_n1_i512_h512_l1_forward_bias_initial"));
  // Together they are another problem.
  const auto fusions = fusion::find_fusions(graph.layers);
  ASSERT_FALSE(fusions.empty());
  EXPECT_EQ(fusions.back().pattern, "lstm_lstm");
  EXPECT_EQ(fusions.back().problem, "lstm/t25_n1_i256_h512_l2_forward_bias_initial");
}

}  // namespace
}  // namespace benanza::onnx
