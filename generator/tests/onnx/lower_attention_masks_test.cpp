// Masks of operators of attention: causal ones, windows, numbers of keys, and those that hide
// nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/tests/onnx/attentions.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// With windows, from opset 25.
Model windowed(std::int64_t right) {
  Model model(25);
  for (const char* name : {"q", "k", "v"}) model.input(name, {2, 3, 5, 4});
  model.node("Attention", {"q", "k", "v"}, {"y"},
             {{"left_window_size", 2}, {"right_window_size", right}});
  model.output("y");
  return model;
}

TEST(Attention, AWindowBeforeEachQueryIsCausal) {
  // Each query attends to itself and the two keys before it.
  const Model model = windowed(0);
  EXPECT_THAT(model.layer().problems, ElementsAre("gemm/m5_n5_k4_nt_a6_b6", "add/2x3x5x5_1x1x5x5_w",
                                                  "softmax/2x3x5x5_a3", "gemm/m5_n4_k5_nn_a6_b6"));
  EXPECT_THAT(fused(model), ElementsAre("attention/2x3x5x4_k3x5x4_s0.5_causal_w3"));
  EXPECT_THAT(fused(windowed(1)), ElementsAre("attention/2x3x5x4_k3x5x4_s0.5_m1x1x5x5"))
      << "with a key after it, a mask";
}

TEST(Attention, ACausalMaskCountsFromTheFirstKey) {
  // Without earlier keys, query 0 sees key 0 alone.
  const auto causal = [](std::int64_t queries, std::int64_t keys) {
    return attention({1, 2, queries, 4}, {1, 2, keys, 4}, {{"is_causal", 1}});
  };
  EXPECT_THAT(fused(causal(1, 512)), ElementsAre("attention/1x2x1x4_k2x1x4_s0.5"));
  EXPECT_THAT(fused(causal(3, 7)), ElementsAre("attention/1x2x3x4_k2x3x4_s0.5_causal"));
  EXPECT_THAT(fused(causal(7, 3)), ElementsAre("attention/1x2x7x4_k2x3x4_s0.5_m1x1x7x3"));
}

TEST(Attention, OtherMasksLeaveTheSameKeysOut) {
  Model model(23);
  model.input("q", {1, 2, 3, 4}).input("k", {1, 2, 7, 4}).input("v", {1, 2, 7, 4});
  model.input("mask", {3, 7});
  model.node("Attention", {"q", "k", "v", "mask"}, {"y"}, {{"is_causal", 1}}).output("y");
  EXPECT_THAT(model.layer().problems,
              ElementsAre("gemm/m3_n3_k4_nt_a2_b2", "add/1x2x3x3_1x1x3x3", "add/1x2x3x3_1x1x3x3_w",
                          "softmax/1x2x3x3_a3", "gemm/m3_n4_k3_nn_a2_b2"));
}

TEST(Attention, ACausalMaskBehindEarlierKeysEndsWithTheLast) {
  Model model(23);
  model.input("q", {1, 2, 3, 4}).input("k", {1, 2, 3, 4}).input("v", {1, 2, 3, 4});
  model.input("pk", {1, 2, 8, 4}).input("pv", {1, 2, 8, 4});
  model.node("Attention", {"q", "k", "v", "", "pk", "pv"}, {"y", "nk", "nv"}, {{"is_causal", 1}});
  model.output("y").output("nk").output("nv");
  EXPECT_THAT(fused(model), ElementsAre("attention/1x2x3x4_k2x11x4_s0.5_causal",
                                        "attention/1x2x3x4_k2x11x4_s0.5_m1x1x3x11"));
}

/// com.microsoft.Attention over 2 x 5 rows with a mask of `dims`.
LoweredLayer masked(const Dims& dims) {
  Model model(17);
  model.domain("com.microsoft", 1);
  model.input("x", {2, 5, 8}).weights("w", {8, 24}).weights("b", {24});
  model.input("mask", dims, ::onnx::TensorProto::INT32);
  model.node("Attention", {"x", "w", "b", "mask"}, {"y"}, {{"num_heads", 2}});
  model.last().set_domain("com.microsoft");
  model.output("y");
  return model.layer();
}

TEST(PackedAttention, NumbersOfKeysAreNoMask) {
  for (const Dims& lengths : {Dims{2}, Dims{4}, Dims{8}}) {
    EXPECT_THAT(masked(lengths).problems, testing::Not(testing::Contains(HasSubstr("add/2x2"))))
        << masked(lengths).reason;
    EXPECT_EQ(masked(lengths).cost, Cost::measured);
  }
  EXPECT_THAT(masked({2, 5}).problems, testing::Contains("add/2x2x5x5_2x1x1x5"));
  EXPECT_THAT(masked({2, 5, 5}).problems, testing::Contains("add/2x2x5x5_2x1x5x5"));
  EXPECT_THAT(masked({2, 1, 5, 5}).problems, testing::Contains("add/2x2x5x5_2x1x5x5"));
  EXPECT_THAT(masked({2, 7}).reason, HasSubstr("a mask of 2x7"));
}

/// Attention of opset 23 with a stored mask of `values`.
Model masked_by(const std::vector<float>& values) {
  Model model(23);
  model.input("q", {1, 2, 3, 4}).input("k", {1, 2, 2, 4}).input("v", {1, 2, 2, 4});
  model.reals("mask", {3, 2}, values);
  return model.node("Attention", {"q", "k", "v", "mask"}, {"y"}).output("y");
}

TEST(Attention, AMaskOfZerosIsNone) {
  const Model none = masked_by({0, 0, 0, 0, 0, 0});
  EXPECT_THAT(fused(none), ElementsAre("attention/1x2x3x4_k2x2x4_s0.5"));
  // 2 products of 2 x 3 x 2 x 4, and a softmax of 2 x 3 x 2.
  EXPECT_THAT(none.layer().problems, ElementsAre("gemm/m3_n2_k4_nt_a2_b2", "softmax/1x2x3x2_a3",
                                                 "gemm/m3_n4_k2_nn_a2_b2"));
  const Model one = masked_by({0, 0, 0, 0, 0, -9});
  EXPECT_THAT(fused(one), ElementsAre("attention/1x2x3x4_k2x2x4_s0.5_m1x1x3x2"));
  EXPECT_EQ(*one.layer().flops - *none.layer().flops, 12) << "a sum for each score";
}

TEST(Attention, AMaskOfTruthsIsNone) {
  Model model(23);
  model.input("q", {1, 2, 3, 4}).input("k", {1, 2, 2, 4}).input("v", {1, 2, 2, 4});
  model.truths("mask", {3, 2}, {true, true, true, true, true, true});
  model.node("Attention", {"q", "k", "v", "mask"}, {"y"}).output("y");
  EXPECT_THAT(fused(model), ElementsAre("attention/1x2x3x4_k2x2x4_s0.5"));
}

/// Two heads of three queries and five keys; which scores output 3 has, opset 23 says by number.
LoweredLayer handing_out(std::int64_t mode, float softcap) {
  Model model(23);
  model.input("q", {1, 2, 3, 4}).input("k", {1, 2, 5, 4}).input("v", {1, 2, 5, 4});
  model.input("mask", {3, 5});
  model.node("Attention", {"q", "k", "v", "mask"}, {"y", "", "", "qk"},
             {{"qk_matmul_output_mode", mode}, {"softcap", softcap}});
  return model.output("y").output("qk").layer();
}

TEST(Attention, HandsOutScoresBehindAnyStep) {
  const auto step = [](std::int64_t mode, float softcap) {
    const LoweredLayer layer = handing_out(mode, softcap);
    EXPECT_EQ(layer.cost, Cost::measured) << layer.reason;
    std::string found;
    for (std::size_t index = 0; index < layer.calls.size(); ++index) {
      if (layer.calls[index].output == 3) found += layer.problems[index] + ";";
    }
    return found;
  };
  EXPECT_EQ(step(0, 0), "gemm/m3_n5_k4_nt_a2_b2_cache;");
  EXPECT_EQ(step(1, 0), "add/1x2x3x5_1x1x3x5;");
  EXPECT_EQ(step(2, 10), "tanh/1x2x3x5_linear_a10_b0;");
  EXPECT_EQ(step(3, 0), "softmax/1x2x3x5_a3;");
  // The product is divided by the cap at once, so handing it out takes a call of its own.
  EXPECT_EQ(step(0, 10), "linear/1x2x3x5_a10_b0;");
  EXPECT_EQ(handing_out(0, 10).problems.size(), handing_out(2, 10).problems.size() + 1);
  EXPECT_EQ(handing_out(0, 0).outputs.back().shape, (Dims{1, 2, 3, 5}));
}

}  // namespace
}  // namespace benanza::onnx
