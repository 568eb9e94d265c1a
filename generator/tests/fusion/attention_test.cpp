// Attention as in vision transformers and language models: windows with masks, and queries, keys
// and values from one product.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/fusion/fusion.h"
#include "generator/tests/onnx/model.h"

namespace benanza::fusion {
namespace {

using onnx::Model;

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> attentions(const LoweredGraph& graph) {
  std::vector<std::string> lines;
  for (const Fusion& fusion : find_fusions(graph.layers)) {
    if (fusion.pattern != "attention") continue;
    std::string line;
    for (const std::size_t layer : fusion.layers) line += std::to_string(layer) + ' ';
    lines.push_back(line + fusion.problem);
  }
  return lines;
}

/// Windows of 9 pixels, 4 per image, 3 heads: a bias, and a mask for every window.
std::vector<std::string> shifted_windows(std::int64_t images, bool given_mask) {
  const std::int64_t windows = 4 * images;
  Model model(17);
  model.input("q", {windows, 3, 9, 8}).input("kt", {windows, 3, 8, 9});
  model.input("v", {windows, 3, 9, 8}).weights("bias", {1, 3, 9, 9});
  if (given_mask) {
    model.input("mask", {1, 4, 1, 9, 9});
  } else {
    std::vector<float> hidden(4 * 81);
    hidden[1] = -100;
    model.reals("mask", {1, 4, 1, 9, 9}, hidden);
  }
  model.integers("five", {images, 4, 3, 9, 9}).integers("four", {windows, 3, 9, 9});
  model.node("MatMul", {"q", "kt"}, {"s"}).node("Add", {"bias", "s"}, {"b"});
  model.node("Reshape", {"b", "five"}, {"w"}).node("Add", {"w", "mask"}, {"m"});
  model.node("Reshape", {"m", "four"}, {"x"}).node("Softmax", {"x"}, {"p"}, {{"axis", -1}});
  return attentions(model.node("MatMul", {"p", "v"}, {"y"}).output("y").import());
}

/// Scores of 4 queries and 6 keys divided by `below`, their tanh, and `behind`, then a mask.
std::vector<std::string> capped(const char* behind, float by) {
  Model model(17);
  model.input("q", {1, 2, 4, 8}).input("kt", {1, 2, 8, 6}).input("v", {1, 2, 6, 8});
  model.input("mask", {1, 1, 4, 6}).reals("below", {}, {40}).reals("cap", {}, {by});
  model.node("MatMul", {"q", "kt"}, {"s"}).node("Div", {"s", "below"}, {"d"});
  model.node("Tanh", {"d"}, {"t"}).node(behind, {"t", "cap"}, {"c"});
  model.node("Add", {"c", "mask"}, {"m"}).node("Softmax", {"m"}, {"p"}, {{"axis", -1}});
  return attentions(model.node("MatMul", {"p", "v"}, {"y"}).output("y").import());
}

TEST(AttentionPattern, TanhTimesANumberIsACap) {
  EXPECT_THAT(capped("Mul", 20),
              ElementsAre("0 1 2 3 4 5 6 attention/1x2x4x8_k2x6x8_s0.5_m1x1x4x6_cap20"));
  EXPECT_THAT(capped("Mul", -20), IsEmpty());
  EXPECT_THAT(capped("Add", 20), IsEmpty());
}

TEST(AttentionPattern, TwoConstantMasksAreOne) {
  EXPECT_THAT(shifted_windows(1, false),
              ElementsAre("0 1 2 3 4 5 6 attention/4x3x9x8_k3x9x8_s1_m4x3x9x9"));
}

TEST(AttentionPattern, AMaskOfWindowsIsRepeatedForEveryImage) {
  EXPECT_THAT(shifted_windows(2, false),
              ElementsAre("0 1 2 3 4 5 6 attention/8x3x9x8_k3x9x8_s1_m8x3x9x9"));
}

TEST(AttentionPattern, TwoMasksThatChangeAreNotOne) {
  EXPECT_THAT(shifted_windows(1, true), IsEmpty());
}

/// 3 heads with a bias of positions, as in BLOOM and MPT, and scores replaced by `number` where a
/// tensor says so.
std::vector<std::string> selected(bool bias_first, bool given_condition, float number) {
  Model model(17);
  model.input("q", {2, 3, 9, 8}).input("kt", {2, 3, 8, 9}).input("v", {2, 3, 9, 8});
  model.weights("bias", {1, 3, 1, 9}).scalar("low", number);
  if (given_condition) {
    model.input("hide", {9, 9}, ::onnx::TensorProto::BOOL);
  } else {
    model.integers("later", Dims(81, 1)).integers("square", {9, 9});
    model.node("Cast", {"later"}, {"flags"}, {{"to", 9}})
        .node("Reshape", {"flags", "square"}, {"hide"});
  }
  model.node("MatMul", {"q", "kt"}, {"s"});
  if (bias_first) {
    model.node("Add", {"s", "bias"}, {"b"}).node("Where", {"hide", "low", "b"}, {"m"});
  } else {
    model.node("Where", {"hide", "low", "s"}, {"w"}).node("Add", {"w", "bias"}, {"m"});
  }
  model.node("Softmax", {"m"}, {"p"}, {{"axis", -1}}).node("MatMul", {"p", "v"}, {"y"});
  return attentions(model.output("y").import());
}

TEST(AttentionPattern, ABiasAndASelectionThatAreConstantsAreOneMask) {
  for (const bool bias_first : {true, false}) {
    EXPECT_THAT(selected(bias_first, false, -3e38F),
                ElementsAre("2 3 4 5 6 attention/2x3x9x8_k3x9x8_s1_m1x3x9x9"));
    EXPECT_THAT(selected(bias_first, true, -3e38F), IsEmpty()) << "the selection changes";
  }
}

TEST(AttentionPattern, ASelectionOfOtherNumbersHidesNothing) {
  EXPECT_THAT(selected(true, false, -1), IsEmpty());
}

/// One product makes queries, keys and values of 2 heads of 4 for 5 tokens.
Model projected() {
  Model model(17);
  model.input("x", {1, 5, 8}).weights("w", {8, 24}).node("MatMul", {"x", "w"}, {"qkv"});
  model.integers("parts", {1, 5, 3, 2, 4}).integers("heads", {1, 5, 2, 4}).integers("first", {0});
  return model;
}

std::vector<std::string> attend(Model& model) {
  model.node("Transpose", {"k"}, {"kt"}, {{"perm", Dims{0, 1, 3, 2}}});
  model.node("MatMul", {"q", "kt"}, {"s"}).node("Softmax", {"s"}, {"p"}, {{"axis", -1}});
  model.node("MatMul", {"p", "v"}, {"y"}).output("y");
  return attentions(model.import());
}

Model& split_heads(Model& model) {
  model.node("Reshape", {"qkv", "parts"}, {"r"});
  return model.node("Transpose", {"r"}, {"t"}, {{"perm", Dims{2, 0, 3, 1, 4}}});
}

const std::string two_heads = "attention/1x2x5x4_k2x5x4_s1";

TEST(AttentionPattern, ReadsTheResultOfOneProductWhereItIs) {
  Model model = projected();
  split_heads(model).node("Split", {"t"}, {"q0", "k0", "v0"}, {{"axis", 0}});
  model.node("Squeeze", {"q0", "first"}, {"q"}).node("Squeeze", {"k0", "first"}, {"k"});
  model.node("Squeeze", {"v0", "first"}, {"v"});
  // 0: the product, 1: its view, 7: the transposition of the keys.
  EXPECT_THAT(attend(model),
              ElementsAre("7 8 9 10 " + two_heads, "2 3 4 5 6 7 8 9 10 " + two_heads));
}

TEST(AttentionPattern, ReadsWhatIsGatheredWhereItIs) {
  Model model = projected();
  split_heads(model);
  for (const auto& [name, index] : {std::pair{"q", 0}, std::pair{"k", 1}, std::pair{"v", 2}}) {
    const std::string at = std::string(name) + "_at";
    auto* tensor = model.graph().add_initializer();
    tensor->set_name(at);
    tensor->set_data_type(::onnx::TensorProto::INT64);
    tensor->add_int64_data(index);
    model.node("Gather", {"t", at}, {name}, {{"axis", 0}});
  }
  EXPECT_THAT(attend(model), ElementsAre("6 7 8 9 " + two_heads, "2 3 4 5 6 7 8 9 " + two_heads));
}

TEST(AttentionPattern, ReadsRowsOfASplitWhereTheyAre) {
  Model model = projected();
  model.node("Split", {"qkv"}, {"q0", "k0", "v0"}, {{"axis", 2}});
  for (const std::string name : {"q", "k", "v"}) {
    model.node("Reshape", {name + "0", "heads"}, {name + "1"});
    model.node("Transpose", {name + "1"}, {name}, {{"perm", Dims{0, 2, 1, 3}}});
  }
  EXPECT_THAT(attend(model),
              ElementsAre("8 9 10 11 " + two_heads, "1 2 3 4 5 6 7 8 9 10 11 " + two_heads));
}

TEST(AttentionPattern, WhatAnotherLayerReadsIsStillMoved) {
  Model model = projected();
  split_heads(model).node("Split", {"t"}, {"q0", "k0", "v0"}, {{"axis", 0}});
  model.node("Squeeze", {"q0", "first"}, {"q"}).node("Squeeze", {"k0", "first"}, {"k"});
  model.node("Squeeze", {"v0", "first"}, {"v"}).output("v0");
  EXPECT_THAT(attend(model), ElementsAre("7 8 9 10 " + two_heads));
}

TEST(AttentionPattern, ExtentsAreNoReadersOfHeads) {
  // As scaled_dot_product_attention is exported: only the shape of a transposition is used.
  Model model = projected();
  model.input("v", {1, 2, 5, 4}).weights("wq", {8, 8}).weights("wk", {8, 8});
  model.node("MatMul", {"x", "wq"}, {"q0"}).node("Reshape", {"q0", "heads"}, {"q1"});
  model.node("Transpose", {"q1"}, {"q"}, {{"perm", Dims{0, 2, 1, 3}}});
  model.node("MatMul", {"x", "wk"}, {"k0"}).node("Reshape", {"k0", "heads"}, {"k1"});
  model.node("Transpose", {"k1"}, {"unread"}, {{"perm", Dims{0, 2, 1, 3}}});
  model.node("Shape", {"unread"}, {"extents"}).output("extents");
  model.node("Transpose", {"k1"}, {"kt"}, {{"perm", Dims{0, 2, 3, 1}}});
  model.node("MatMul", {"q", "kt"}, {"s"}).node("Softmax", {"s"}, {"p"}, {{"axis", -1}});
  const LoweredGraph graph = model.node("MatMul", {"p", "v"}, {"y"}).output("y").import();
  EXPECT_EQ(graph.layers[6].cost, Cost::free);
  EXPECT_EQ(graph.layers[6].reason, "nobody reads its result");
  EXPECT_THAT(graph.layers[6].problems, IsEmpty());
  EXPECT_EQ(graph.layers[5].uses, 1);
  EXPECT_THAT(attentions(graph), ElementsAre("8 9 10 11 " + two_heads, "3 8 9 10 11 " + two_heads));
}

}  // namespace
}  // namespace benanza::fusion
