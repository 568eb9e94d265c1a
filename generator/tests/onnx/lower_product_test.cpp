// Gemm and MatMul.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "generator/fusion/fusion.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Model gemm_model(const Dims& c) {
  Model model(13);
  model.input("a", {5, 3}).input("a_t", {3, 5}).weights("b", {3, 4}).weights("b_t", {4, 3});
  model.weights("c", c).input("dynamic_b", {3, 4}).input("dynamic_c", {4});
  return model;
}

LoweredGraph gemm(const Dims& c, const std::vector<std::string>& inputs,
                  Attributes attributes = {}) {
  return gemm_model(c).node("Gemm", inputs, {"y"}, attributes).output("y").import();
}

TEST(Gemm, BiasPerColumnIsASecondCallAndAFusion) {
  for (const Dims& c : {Dims{4}, Dims{1, 4}}) {
    const LoweredGraph graph = gemm(c, {"a", "b", "c"});
    EXPECT_THAT(graph.layers[0].problems, ElementsAre("gemm/m5_n4_k3_nn_w", "add/5x4_1x4_w"));
    const auto fusions = fusion::find_fusions(graph.layers);
    ASSERT_EQ(fusions.size(), 1U);
    EXPECT_EQ(fusions[0].pattern, "gemm_bias");
    EXPECT_EQ(fusions[0].problem, "gemm/m5_n4_k3_nn_w_bias");
  }
}

TEST(Gemm, AnyOtherAddendIsABroadcastAndAStep) {
  for (const auto& [c, text] :
       {std::pair{Dims{5, 1}, "add/5x4_5x1_w"}, {Dims{5, 4}, "add/5x4_5x4_w"}}) {
    const LoweredGraph graph = gemm(c, {"a", "b", "c"});
    EXPECT_EQ(graph.layers[0].problems.at(1), text);
    const auto fusions = fusion::find_fusions(graph.layers);
    ASSERT_EQ(fusions.size(), 1U);
    EXPECT_EQ(fusions[0].problem, "gemm/m5_n4_k3_nn_w_add_y" + join(c, 'x') + "_w");
  }
}

TEST(Gemm, TransposesAndMissingAddend) {
  EXPECT_THAT(gemm({4}, {"a_t", "b_t"}, {{"transA", 1}, {"transB", 1}}).layers[0].problems,
              ElementsAre("gemm/m5_n4_k3_tt_w"));
  EXPECT_THAT(gemm({4}, {"a", "b", "c"}, {{"beta", 0.0F}}).layers[0].problems,
              ElementsAre("gemm/m5_n4_k3_nn_w"));
}

TEST(Gemm, FactorsGoIntoConstantsOrBecomeCalls) {
  const LoweredLayer folded =
      gemm({4}, {"a", "b", "c"}, {{"alpha", 2.0F}, {"beta", 0.5F}}).layers[0];
  EXPECT_THAT(folded.problems, ElementsAre("gemm/m5_n4_k3_nn_w", "add/5x4_1x4_w"));
  EXPECT_EQ(folded.calls[0].operands[1].scale, 2);
  EXPECT_EQ(folded.calls[1].operands[1].scale, 0.5F);
  const LoweredLayer called =
      gemm({4}, {"a", "dynamic_b", "dynamic_c"}, {{"alpha", 2.0F}, {"beta", 0.5F}}).layers[0];
  EXPECT_THAT(called.problems, ElementsAre("gemm/m5_n4_k3_nn", "linear/5x4_a2_b0",
                                           "linear/4_a0.5_b0", "add/5x4_1x4"));
}

TEST(Gemm, ThatDoesNotMultiplyIsAnError) { EXPECT_THROW(gemm({4}, {"a_t", "b"}), Error); }

LoweredLayer matmul(const Dims& a, const Dims& b, bool constant_b = false) {
  Model model(13);
  model.input("a", a);
  constant_b ? model.weights("b", b) : model.input("b", b);
  return model.node("MatMul", {"a", "b"}, {"y"}).output("y").layer();
}

TEST(MatMul, MatricesAndVectors) {
  EXPECT_THAT(matmul({5, 3}, {3, 4}, true).problems, ElementsAre("gemm/m5_n4_k3_nn_w"));
  EXPECT_THAT(matmul({3}, {3, 4}).problems, ElementsAre("gemm/m1_n4_k3_nn"));
  EXPECT_THAT(matmul({5, 3}, {3}).problems, ElementsAre("gemm/m5_n1_k3_nn"));
  EXPECT_THAT(matmul({3}, {3}).problems, ElementsAre("gemm/m1_n1_k3_nn"));
}

TEST(MatMul, OneMatrixForAWholeBatchIsOneLargerProduct) {
  EXPECT_THAT(matmul({2, 7, 5, 3}, {3, 4}, true).problems, ElementsAre("gemm/m70_n4_k3_nn_w"));
  EXPECT_THAT(matmul({2, 7, 5, 3}, {1, 1, 3, 4}).problems, ElementsAre("gemm/m70_n4_k3_nn"));
}

TEST(MatMul, BatchesThatBroadcastAlikeMerge) {
  EXPECT_THAT(matmul({8, 12, 5, 3}, {8, 12, 3, 4}).problems,
              ElementsAre("gemm/m5_n4_k3_nn_a96_b96"));
  EXPECT_THAT(matmul({5, 3}, {7, 3, 4}).problems, ElementsAre("gemm/m5_n4_k3_nn_a1_b7"));
  EXPECT_THAT(matmul({8, 1, 5, 3}, {1, 12, 3, 4}).problems,
              ElementsAre("gemm/m5_n4_k3_nn_a8x1_b1x12"));
  EXPECT_THAT(matmul({2, 8, 1, 12, 5, 3}, {2, 8, 7, 1, 3, 4}).problems,
              ElementsAre("gemm/m5_n4_k3_nn_a16x1x12_b16x7x1"));
}

}  // namespace
}  // namespace benanza::onnx
