// What of a node its calls do not stand for makes the layer unsupported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::HasSubstr;

/// The layer of a node of ONNX Runtime that reads "a", 4x8, and "b", 8x8.
LoweredLayer microsoft(const std::string& op, const std::vector<std::string>& inputs,
                       Attributes attributes) {
  Model model(17);
  model.domain("com.microsoft", 1).input("a", {4, 8}).weights("b", {8, 8}).input("c", {8});
  model.node(op, inputs, {"y"}, attributes).last().set_domain("com.microsoft");
  return model.output("y").layer();
}

TEST(Accounts, AnAttributeThatNobodyAskedForIsTheReason) {
  EXPECT_EQ(microsoft("FusedMatMul", {"a", "b"}, {{"alpha", 0.5F}}).cost, Cost::measured);
  const LoweredLayer layer =
      microsoft("FusedMatMul", {"a", "b"}, {{"alpha", 0.5F}, {"sparsity", 2}});
  EXPECT_EQ(layer.cost, Cost::unsupported);
  EXPECT_THAT(layer.reason, HasSubstr("its attribute sparsity = 2"));
  EXPECT_EQ(layer.outputs[0].shape, (Dims{4, 8})) << "the rest of the model survives";
}

TEST(Accounts, AnInputThatNobodyAskedForIsTheReason) {
  EXPECT_EQ(microsoft("QuickGelu", {"a"}, {}).cost, Cost::measured);
  const LoweredLayer layer = microsoft("QuickGelu", {"a", "c"}, {});
  EXPECT_EQ(layer.cost, Cost::unsupported);
  EXPECT_THAT(layer.reason, HasSubstr("its input 1 \"c\""));
  EXPECT_EQ(microsoft("QuickGelu", {"a", ""}, {}).cost, Cost::measured) << "omitted";
}

TEST(Accounts, HoldForIntegersToo) {
  Model model(17);
  model.input("i", {4}, ::onnx::TensorProto::INT64).input("j", {4}, ::onnx::TensorProto::INT64);
  model.node("Add", {"i", "j"}, {"sum"}).output("sum");
  EXPECT_EQ(model.layer().cost, Cost::measured);
  model.node("Add", {"i", "j"}, {"odd"}, {{"modulus", 7}}).output("odd");
  EXPECT_THAT(model.layer().reason, HasSubstr("modulus = 7"));
}

TEST(Accounts, ADefaultChangesNothing) {
  const auto infinite = [](std::int64_t positive) {
    Model model(20);
    model.input("x", {4});
    // With the negative ones left out, nobody asks for the positive ones.
    model.node("IsInf", {"x"}, {"y"}, {{"detect_negative", 0}, {"detect_positive", positive}});
    return model.output("y").layer();
  };
  EXPECT_EQ(infinite(1).cost, Cost::measured);
  EXPECT_THAT(infinite(0).reason, HasSubstr("detect_positive = 0"));
}

TEST(Accounts, WhatIsDeclaredIdleChangesNothing) {
  Model model(17);
  model.input("x", {4, 8}).weights("w", {8});
  model.node("LayerNormalization", {"x", "w"}, {"y"}, {{"stash_type", 10}}).output("y");
  EXPECT_EQ(model.layer().cost, Cost::measured);
}

TEST(Accounts, WhatAnotherAttributeReplacesChangesNothing) {
  Model model(17);
  model.input("x", {1, 2, 8, 8}).weights("w", {4, 2, 3, 3});
  model.node("Conv", {"x", "w"}, {"y"},
             {{"auto_pad", std::string("SAME_UPPER")},
              {"pads", Dims{1, 1, 1, 1}},
              {"kernel_shape", Dims{3, 3}}});
  EXPECT_EQ(model.output("y").layer().cost, Cost::measured);
  Model reduced(18);
  reduced.input("x", {2, 8}).integers("axes", {1});
  reduced.node("ReduceSum", {"x", "axes"}, {"y"}, {{"noop_with_empty_axes", 1}}).output("y");
  EXPECT_THAT(reduced.layer().problems, testing::ElementsAre("reducesum/2x8_a1"));
}

/// MultiHeadAttention of one token behind 8.
LoweredLayer decoder(int type, bool beam) {
  Model model(17);
  model.domain("com.microsoft", 1);
  model.input("q", {1, 1, 8}).input("k", {1, 1, 8}).input("v", {1, 1, 8});
  model.input("pk", {1, 2, 8, 4}, type).input("pv", {1, 2, 8, 4}, type);
  model.input("beams", {1, 1, 9}, ::onnx::TensorProto::INT32);
  std::vector<std::string> inputs{"q", "k", "v", "", "", "", "pk", "pv"};
  if (beam) inputs.insert(inputs.end(), {"", "beams"});
  model.node("MultiHeadAttention", inputs, {"y", "nk", "nv"}, {{"num_heads", 2}});
  model.last().set_domain("com.microsoft");
  return model.output("y").output("nk").output("nv").layer();
}

TEST(Accounts, FloatsThatAreStoredNarrowlyAreTheReason) {
  EXPECT_EQ(decoder(::onnx::TensorProto::FLOAT, false).cost, Cost::measured);
  EXPECT_EQ(decoder(::onnx::TensorProto::FLOAT16, false).cost, Cost::measured);
  constexpr int fp8 = 17;
  for (const int type : {int{::onnx::TensorProto::INT8}, int{::onnx::TensorProto::UINT8}, fp8}) {
    const LoweredLayer layer = decoder(type, false);
    EXPECT_EQ(layer.cost, Cost::unsupported) << type;
    EXPECT_THAT(layer.reason, HasSubstr("input 6 \"pk\" is stored as")) << type;
  }
}

TEST(Accounts, IndicesOfBeamsAreTheReason) {
  EXPECT_THAT(decoder(::onnx::TensorProto::FLOAT, true).reason, HasSubstr("input 9 \"beams\""));
}

}  // namespace
}  // namespace benanza::onnx
