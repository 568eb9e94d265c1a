// Which operands of products come from earlier runs.
#include "generator/onnx/caches.h"

#include <gmock/gmock.h>

#include "generator/tests/onnx/attentions.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;

/// The problems of all products of data.
std::vector<std::string> products(const Model& model) {
  std::vector<std::string> found;
  for (const LoweredLayer& layer : model.import().layers) {
    for (const Call& call : layer.calls) {
      const auto* const product = std::get_if<Gemm>(&call.problem.shape);
      if (product != nullptr && !product->constant_b) found.push_back(key(call.problem));
    }
  }
  return found;
}

/// Attention of one query in 2 heads of 8 whose keys and values are "k" and "v".
Model& attend(Model& model) {
  model.node("Transpose", {"k"}, {"kt"}, {{"perm", Dims{0, 1, 3, 2}}});
  model.node("MatMul", {"q", "kt"}, {"s"}).node("Softmax", {"s"}, {"p"});
  return model.node("MatMul", {"p", "v"}, {"y"}).output("y");
}

Model step() {
  Model model(17);
  model.input("q", {1, 2, 1, 8}).input("nk", {1, 2, 1, 8}).input("nv", {1, 2, 1, 8});
  return model;
}

TEST(Caches, JoinEarlierRowsAndNewOnes) {
  Model model = step();
  model.input("pk", {1, 2, 15, 8}).input("pv", {1, 2, 15, 8});
  model.node("Concat", {"pk", "nk"}, {"k"}, {{"axis", 2}}).output("k");
  model.node("Concat", {"pv", "nv"}, {"v"}, {{"axis", 2}}).output("v");
  EXPECT_THAT(products(attend(model)),
              ElementsAre("gemm/m1_n16_k8_nn_a2_b2_cache", "gemm/m1_n8_k16_nn_a2_b2_cache"));
  EXPECT_THAT(fused(model), ElementsAre("attention/1x2x1x8_k2x16x8_s1"));
}

TEST(Caches, ThatThisRunConvertsAreNone) {
  Model model(17);
  model.input("q", {1, 2, 1, 8}).input("pk", {1, 2, 15, 8});
  model.node("Relu", {"pk"}, {"k"}).node("Identity", {"k"}, {"v"});
  EXPECT_THAT(products(attend(model)),
              ElementsAre("gemm/m1_n15_k8_nn_a2_b2", "gemm/m1_n8_k15_nn_a2_b2"));
}

TEST(Caches, MayHaveHeadsThatAreRepeated) {
  Model model(17);
  model.input("q", {1, 4, 1, 8}).input("nk", {1, 2, 1, 8}).input("pk", {1, 2, 15, 8});
  model.integers("five", {1, 2, 1, 16, 8}).integers("repeated", {1, 2, 2, 16, 8});
  model.integers("four", {1, 4, 16, 8});
  model.node("Concat", {"pk", "nk"}, {"c"}, {{"axis", 2}}).node("Reshape", {"c", "five"}, {"u"});
  model.node("Expand", {"u", "repeated"}, {"e"}).node("Reshape", {"e", "four"}, {"k"});
  model.node("Identity", {"k"}, {"v"});
  EXPECT_THAT(products(attend(model)),
              ElementsAre("gemm/m1_n16_k8_nn_a4_b4_cache", "gemm/m1_n8_k16_nn_a4_b4_cache"));
}

// A decoder that is given an encoder's keys and values, and one that makes them.
TEST(Caches, OfAnEncoderAreInputs) {
  Model given(17);
  given.input("q", {1, 2, 1, 8}).input("k", {1, 2, 20, 8}).input("v", {1, 2, 20, 8});
  EXPECT_THAT(products(attend(given)),
              ElementsAre("gemm/m1_n20_k8_nn_a2_b2_cache", "gemm/m1_n8_k20_nn_a2_b2_cache"));
  EXPECT_THAT(fused(given), ElementsAre("attention/1x2x1x8_k2x20x8_s1"));
  Model made(17);
  made.input("q", {1, 2, 1, 8}).input("rows", {1, 2, 20, 4}).weights("w", {4, 8});
  made.node("MatMul", {"rows", "w"}, {"k"}).node("MatMul", {"rows", "w"}, {"v"});
  EXPECT_THAT(products(attend(made)),
              ElementsAre("gemm/m1_n20_k8_nn_a2_b2", "gemm/m1_n8_k20_nn_a2_b2"));
  EXPECT_THAT(fused(made), ElementsAre("attention/1x2x1x8_k2x20x8_s1_new"));
}

TEST(Caches, OfProductsHoweverTheyAreWritten) {
  Model sums = step();
  sums.input("k", {1, 2, 20, 8}).input("v", {1, 2, 20, 8});
  sums.node("Einsum", {"q", "k"}, {"s"}, {{"equation", "bhqd,bhkd->bhqk"}});
  sums.node("Softmax", {"s"}, {"p"});
  sums.node("Einsum", {"p", "v"}, {"y"}, {{"equation", "bhqk,bhkd->bhqd"}});
  EXPECT_THAT(products(sums.output("y")),
              ElementsAre("gemm/m1_n20_k8_nt_a2_b2_cache", "gemm/m1_n8_k20_nn_a2_b2_cache"));
  Model fused = step();
  fused.domain("com.microsoft", 1).input("k", {1, 2, 20, 8}).input("v", {1, 2, 20, 8});
  fused.node("FusedMatMul", {"q", "k"}, {"s"}, {{"transB", 1}});
  fused.last().set_domain("com.microsoft");
  fused.node("Softmax", {"s"}, {"p"}).node("MatMul", {"p", "v"}, {"y"});
  EXPECT_THAT(products(fused.output("y")),
              ElementsAre("gemm/m1_n20_k8_nt_a2_b2_cache", "gemm/m1_n8_k20_nn_a2_b2_cache"));
}

TEST(Caches, AreNoOperandsOfOtherProducts) {
  Model plain(17);
  plain.input("q", {2, 3, 8}).input("k", {2, 8, 20}).node("MatMul", {"q", "k"}, {"y"});
  EXPECT_THAT(products(plain.output("y")), ElementsAre("gemm/m3_n20_k8_nn_a2_b2"));
  Model prompt(17);
  prompt.input("q", {1, 2, 20, 8}).input("k", {1, 2, 20, 8}).input("v", {1, 2, 20, 8});
  EXPECT_THAT(products(attend(prompt)),
              ElementsAre("gemm/m20_n20_k8_nn_a2_b2", "gemm/m20_n8_k20_nn_a2_b2"));
}

// Attention as one operator of opset 23.
TEST(Caches, OfOneOperatorDependOnWhoMakesTheKeys) {
  Model given = attention({1, 2, 1, 8}, {1, 2, 20, 8});
  EXPECT_THAT(products(given),
              ElementsAre("gemm/m1_n20_k8_nt_a2_b2_cache", "gemm/m1_n8_k20_nn_a2_b2_cache"));
  Model made(23);
  made.input("q", {1, 2, 1, 8}).input("rows", {1, 2, 20, 4}).weights("w", {4, 8});
  made.node("MatMul", {"rows", "w"}, {"k"}).node("Attention", {"q", "k", "k"}, {"y"});
  EXPECT_THAT(products(made.output("y")),
              ElementsAre("gemm/m1_n20_k8_nt_a2_b2", "gemm/m1_n8_k20_nn_a2_b2"));
  EXPECT_EQ(fused(made).at(0).substr(0, 27), "attention/1x2x1x8_k2x20x8_s");
  EXPECT_TRUE(fused(made).at(0).ends_with("_new"));
}

}  // namespace
}  // namespace benanza::onnx
