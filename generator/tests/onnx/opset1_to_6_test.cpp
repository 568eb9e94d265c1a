// Opsets 1 to 6, whose schemas infer few shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(FirstOpsets, AConvolutionalNetwork) {
  for (const int opset : {1, 2, 3, 4, 5, 6}) {
    Model model(opset);
    model.input("x", {2, 3, 8, 8}).weights("w", {4, 3, 3, 3}).weights("c", {4}).weights("row", {8});
    model.node("Conv", {"x", "w", "c"}, {"conv"}, {{"pads", Dims{1, 1, 1, 1}}})
        .node("BatchNormalization", {"conv", "c", "c", "c", "c"}, {"bn"}, {{"is_test", 1}})
        .node("Relu", {"bn"}, {"relu"})
        .node("Add", {"relu", "c"}, {"add"}, {{"broadcast", 1}, {"axis", 1}})
        .node("Mul", {"add", "row"}, {"mul"}, {{"broadcast", 1}})
        .node("PRelu", {"mul", "c"}, {"prelu"})
        .node("Clip", {"prelu"}, {"clip"}, {{"min", 0.0F}, {"max", 6.0F}})
        .node("Upsample", {"clip"}, {"up"}, {{"height_scale", 2.0F}, {"width_scale", 3.0F}})
        .node("Concat", {"up", "up"}, {"join"}, {{"axis", 1}})
        .node("Sum", {"join", "join"}, {"sum"})
        .node("Dropout", {"sum"}, {"y"}, {{"is_test", 1}});
    const LoweredGraph graph = model.output("y").import();
    for (const LoweredLayer& layer : graph.layers) {
      EXPECT_NE(layer.cost, Cost::unsupported) << opset << ' ' << layer.name << layer.reason;
    }
    EXPECT_THAT(graph.layers[1].problems, ElementsAre("batchnorm/2x4x8x8_e1e-05")) << opset;
    EXPECT_THAT(graph.layers[3].problems, ElementsAre("add/2x4x8x8_1x4x1x1_w"));
    EXPECT_THAT(graph.layers[4].problems, ElementsAre("mul/2x4x8x8_1x1x1x8_w"));
    EXPECT_THAT(graph.layers[5].problems, ElementsAre("prelu/2x4x8x8_1x4x1x1_w"));
    EXPECT_EQ(graph.layers[7].outputs[0].shape, (Dims{2, 4, 16, 24}));
    EXPECT_EQ(graph.layers[10].outputs[0].shape, (Dims{2, 8, 16, 24}));
  }
}

TEST(FirstOpsets, AttributesThatBecameInputs) {
  Model model(1);
  model.input("x", {2, 6}).weights("w", {5, 12}).weights("c", {5});
  model.node("Pad", {"x"}, {"pad"}, {{"paddings", Dims{0, 2, 0, 4}}})
      .node("Reshape", {"pad"}, {"rows"}, {{"shape", Dims{0, 3, -1}}})
      .node("Reshape", {"rows"}, {"flat"}, {{"shape", Dims{-1, 12}}})
      .node("Gemm", {"flat", "w", "c"}, {"fc"}, {{"transB", 1}, {"broadcast", 1}})
      .node("Split", {"fc"}, {"a", "b"}, {{"axis", 1}, {"split", Dims{2, 3}}})
      .node("Cast", {"b"}, {"y"}, {{"to", "FLOAT16"}});
  model.node("Concat", {"a", "b"}, {"joined"}).output("joined");
  const LoweredGraph graph = model.output("y").import();
  EXPECT_EQ(graph.layers[1].outputs[0].shape, (Dims{2, 3, 4}));
  EXPECT_EQ(graph.layers[3].outputs[0].shape, (Dims{2, 5}));
  EXPECT_EQ(graph.layers[4].outputs[1].shape, (Dims{2, 3}));
  EXPECT_EQ(graph.layers[5].outputs[0].type, "float16");
  EXPECT_EQ(graph.layers[6].outputs[0].shape, (Dims{2, 5})) << "along axis 1, if not told";
}

TEST(FirstOpsets, SlicesMayCountFromTheEnd) {
  for (const int opset : {1, 6, 9}) {
    Model model(opset);
    model.input("x", {2, 3, 8, 9})
        .node("Slice", {"x"}, {"y"},
              {{"axes", Dims{2, 3}}, {"starts", Dims{0, -5}}, {"ends", Dims{-2, 100}}});
    EXPECT_EQ(model.output("y").layer().outputs[0].shape, (Dims{2, 3, 6, 5})) << opset;
  }
}

std::string message(const Model& model) {
  try {
    model.import();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(FirstOpsets, WhatDoesNotFitIsNotMeasured) {
  Model plain(6);
  plain.input("x", {2, 3}).weights("w", {3}).node("Add", {"x", "w"}, {"y"}).output("y");
  EXPECT_EQ(plain.layer().cost, Cost::unsupported);
  EXPECT_EQ(plain.layer().reason, "combines 2x3 and 3 without broadcasting");
  Model beyond(6);
  beyond.input("x", {2, 3}).weights("w", {2, 3}).weights("v", {2, 1});
  beyond.node("Add", {"x", "v"}, {"y"}, {{"broadcast", 1}, {"axis", 1}}).output("y");
  EXPECT_THAT(message(beyond), HasSubstr("2x1 does not lie at axis 1 of 2x3"));
  Model two(4);
  two.input("x", {2, 3}).node("Reshape", {"x"}, {"y"}, {{"shape", Dims{-1, -1}}}).output("y");
  EXPECT_THAT(message(two), HasSubstr("-1x-1"));
}

}  // namespace
}  // namespace benanza::onnx
