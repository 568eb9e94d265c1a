// Operators of ONNX Runtime: new problems of known kinds, and shapes of those that are named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int e4m3 = 17;

Model contrib() {
  Model model(21);
  return model.domain("com.microsoft", 1);
}

// As Neural Compressor writes them.
TEST(ContribShapes, DomainsThatTheModelDoesNotNameAreKnown) {
  Model own(18);
  own.input("x", {2, 8}).weights("w", {4, 8});
  add_microsoft(own, "FusedMatMul", {"x", "w"}, {"y"}, {{"transB", 1}});
  EXPECT_THAT(own.output("y").layer().problems, ElementsAre("gemm/m2_n4_k8_nt_w"));
  Model classical(18);
  classical.input("x", {2, 8}).node("Binarizer", {"x"}, {"y"});
  classical.last().set_domain("ai.onnx.ml");
  EXPECT_EQ(classical.output("y").layer().outputs[0].shape, (Dims{2, 8}));
}

// Windows of 4, 2 apart, on the axis of 8: three of them.
TEST(ContribShapes, WindowsAlongAnAxisAreACopyThatReadsAgain) {
  Model model = contrib().input("x", {2, 8, 3});
  add_microsoft(model, "UnfoldTensor", {"x"}, {"y"}, {{"dim", 1}, {"size", 4}, {"step", 2}});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_EQ(layer.cost, Cost::movement) << layer.reason;
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 3, 3, 4}));
  EXPECT_THAT(layer.problems, ElementsAre("copy/2x3x3x4_f24.6.1.3_t36.12.4.1"));
}

// ONNX Runtime 1.32: rows, batch, columns.
TEST(ContribShapes, ABatchBehindTheRowsIsReadWhereItIs) {
  Model model = contrib().input("a", {5, 2, 4}).input("b", {4, 2, 3});
  add_microsoft(model, "FusedMatMul", {"a", "b"}, {"y"}, {{"transBatchA", 1}, {"transBatchB", 1}});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 5, 3}));
  EXPECT_THAT(layer.problems, ElementsAre("gemm/m5_n3_k4_nn_a2_b2"));
  EXPECT_TRUE(layer.calls[0].is_proxy) << "a plan does not know where the rows are";
}

TEST(ContribShapes, AProductOfFp8IsOne) {
  const auto layer = [](Attributes attributes) {
    Model model = contrib();
    stored(model, "b", {32, 64}, e4m3);
    model.input("a", {16, 64}, e4m3).scalar("s", 1);
    add_microsoft(model, "GemmFloat8", {"a", "b", "", "s", "s"}, {"y"}, attributes);
    return model.output("y").layer();
  };
  const LoweredLayer plain = layer({{"transB", 1}, {"dtype", 10}});
  EXPECT_THAT(plain.problems, ElementsAre("gemm/m16_n32_k64_nt_w")) << plain.reason;
  EXPECT_EQ(plain.precision, "fp8");
  EXPECT_EQ(plain.outputs[0].type, "float16");
  EXPECT_THAT(layer({{"transB", 1}, {"alpha", 2.0F}}).reason, HasSubstr("with factors"));
}

TEST(ContribShapes, RowsOfAnEmbeddingAreMoved) {
  Model model = contrib().input("ids", {2, 5}, TensorProto::INT64).weights("w", {100, 8});
  add_microsoft(model, "TorchEmbedding", {"w", "ids"}, {"y"});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 5, 8}));
  EXPECT_THAT(layer.problems, ElementsAre("copy/80_f1_t1"));
}

TEST(ContribShapes, BytesInAnotherOrderAreTheSameWork) {
  Model model = contrib().input("x", {2, 16, 64}).scalar("s", 0.1F).weights("g", {32});
  stored(model, "w", {64, 32}, TensorProto::INT8);
  add_microsoft(model, "QuantizeWithOrder", {"x", "s"}, {"q"},
                {{"order_input", 1}, {"order_output", 2}});
  add_microsoft(model, "QOrderedMatMul", {"q", "s", "w", "s", "s"}, {"p"},
                {{"order_A", 2}, {"order_B", 0}, {"order_Y", 2}});
  add_microsoft(model, "QOrderedLayerNormalization", {"p", "s", "g", "", "s"}, {"n"},
                {{"order_X", 2}, {"order_Y", 2}});
  add_microsoft(model, "DequantizeWithOrder", {"n", "s"}, {"y"},
                {{"order_input", 2}, {"order_output", 1}, {"to", 1}});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_THAT(graph.layers[0].problems, ElementsAre("quantize/2x16x64"));
  EXPECT_THAT(graph.layers[1].problems, ElementsAre("gemm/m32_n32_k64_nn_w"));
  EXPECT_EQ(graph.layers[1].precision, "int8");
  EXPECT_THAT(graph.layers[2].problems,
              ElementsAre("dequantize/2x16x32", "layernorm/32x32_e1e-05_s", "quantize/32x32"));
  EXPECT_THAT(graph.layers[3].problems, ElementsAre("dequantize/2x16x32"));
  EXPECT_EQ(graph.layers[3].outputs[0].type, "float");
  EXPECT_EQ(graph.compulsory.weights.bytes, 64 * 32);
}

// What follows a node that is named keeps its shape.
TEST(ContribShapes, OfNamedOnesAreKnown) {
  const auto behind = [](Model model, const std::string& op, std::vector<std::string> inputs,
                         Attributes attributes = {}) {
    add_microsoft(model, op, inputs, {"y"}, attributes);
    const LoweredLayer layer = model.output("y").layer();
    EXPECT_EQ(layer.cost, Cost::unsupported);
    EXPECT_THAT(layer.reason, Not(HasSubstr("unknown operator"))) << op;
    return layer.outputs[0].shape.value_or(Dims{});
  };
  const auto two = [](const Dims& a, const Dims& b) {
    return contrib().input("a", a).input("b", b);
  };
  EXPECT_EQ(behind(two({4, 3}, {5, 3}), "CDist", {"a", "b"}), (Dims{4, 5}));
  EXPECT_EQ(behind(two({4, 1, 2}, {5, 2}), "ComplexMul", {"a", "b"}), (Dims{4, 5, 2}));
  EXPECT_EQ(behind(two({4, 3, 3}, {1}), "Inverse", {"a"}), (Dims{4, 3, 3}));
  EXPECT_EQ(behind(two({1, 6, 8, 8}, {1, 6, 8, 8}), "MaxpoolWithMask", {"a", "b"},
                   {{"kernel_shape", Dims{2, 2}}, {"strides", Dims{2, 2}}}),
            (Dims{1, 6, 4, 4}));
  Model crops = two({1, 6, 8, 8}, {3, 4});
  crops.input("of", {3}, TensorProto::INT32).integers("size", {2, 5});
  EXPECT_EQ(behind(crops, "CropAndResize", {"a", "b", "of", "size"}), (Dims{3, 6, 2, 5}));
}

// Two prompts, at most 20 tokens; of a beam search three sequences each.
TEST(ContribShapes, OfSearchesAreTheLongest) {
  const auto shape = [](const std::string& op, std::vector<std::string> inputs) {
    Model model = contrib().input("ids", {2, 8}, TensorProto::INT32);
    model.integers("longest", {20}).integers("three", {3});
    add_microsoft(model, op, inputs, {"y"});
    const LoweredLayer layer = model.output("y").layer();
    EXPECT_THAT(layer.reason, HasSubstr("whole model"));
    return layer.outputs[0].shape;
  };
  EXPECT_EQ(shape("GreedySearch", {"ids", "longest"}), (Dims{2, 20}));
  EXPECT_EQ(shape("BeamSearch", {"ids", "longest", "", "three", "three"}), (Dims{2, 3, 20}));
}

TEST(ContribShapes, WithoutPaddingThereAreAtMostAllTokens) {
  Model model = contrib().input("x", {2, 8, 16}).input("counts", {2}, TensorProto::INT32);
  add_microsoft(model, "RemovePadding", {"x", "counts"}, {"y", "places", "sums", "longest"});
  model.node("Relu", {"y"}, {"z"});
  const LoweredGraph graph = model.output("z").output("places").import();
  EXPECT_EQ(graph.layers[0].outputs[1].shape, (Dims{2, 8}));
  EXPECT_THAT(graph.layers[0].problems, ElementsAre("copy/256_f1_t1"));
  EXPECT_THAT(graph.layers[1].problems, ElementsAre("relu/16x16"));
}

TEST(ContribShapes, TokensAreCopiedBetweenPadding) {
  Model model = contrib().input("x", {7, 16}).input("places", {2, 5}, TensorProto::INT32);
  add_microsoft(model, "RestorePadding", {"x", "places"}, {"y"});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_EQ(layer.cost, Cost::movement);
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 5, 16}));
}

TEST(ContribShapes, OfRoutersAndStreams) {
  Model router = contrib().input("x", {3, 16}).weights("w", {16, 4 + 2 * 10});
  add_microsoft(router, "RouterGateUpProj", {"x", "w"}, {"r", "y"}, {{"router_size", 4}});
  const LoweredGraph graph = router.output("r").output("y").import();
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{3, 4}));
  EXPECT_EQ(graph.layers[0].outputs[1].shape, (Dims{3, 10}));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 16 * 24}));
  Model streams = contrib().input("x", {3, 4, 16}).input("m", {3, 4});
  add_microsoft(streams, "HyperConnectionPreMix", {"x", "m"}, {"y"});
  EXPECT_EQ(streams.output("y").layer().outputs[0].shape, (Dims{3, 16}));
}

// Of an image of 1,024 pixels, eight points take four each.
TEST(ContribShapes, SamplingReadsNoMoreThanItTakes) {
  Model model = contrib().input("x", {1, 3, 32, 32}).input("grid", {1, 2, 4, 2});
  model.node("GridSample", {"x", "grid"}, {"y"});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_EQ(layer.bytes, 4 * (3 * 8 * 4 + 8 * 2 + 3 * 8));
}

}  // namespace
}  // namespace benanza::onnx
