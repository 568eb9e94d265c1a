// Attention as one operator: its parts, and the equivalent single call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "generator/tests/onnx/attentions.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Attention, IsTwoProductsAroundASoftmax) {
  const Model model = attention({2, 12, 5, 64}, {2, 12, 7, 64});
  const LoweredLayer layer = model.layer();
  EXPECT_THAT(layer.problems, ElementsAre("gemm/m5_n7_k64_nt_a24_b24_cache", "softmax/2x12x5x7_a3",
                                          "gemm/m5_n64_k7_nn_a24_b24_cache"))
      << layer.reason;
  EXPECT_EQ(layer.calls[0].operands[0].scale, 0.125F) << "1 / sqrt(64), a factor of the product";
  EXPECT_THAT(fused(model), ElementsAre("attention/2x12x5x64_k12x7x64_s0.125"));
}

TEST(Attention, OfOneTokenMovesNoHeads) {
  const Model model = attention({1, 1, 12}, {1, 1, 12}, {{"q_num_heads", 3}, {"kv_num_heads", 3}});
  const LoweredLayer layer = model.layer();
  EXPECT_THAT(layer.problems, ElementsAre("gemm/m1_n1_k4_nt_a3_b3", "softmax/1x3x1x1_a3",
                                          "gemm/m1_n4_k1_nn_a3_b3"));
  ASSERT_THAT(layer.calls, SizeIs(3));
  EXPECT_EQ(layer.calls[0].operands[0], (Source{Source::Kind::input, 0, 0.5F}));
  EXPECT_EQ(layer.calls[0].operands[1], (Source{Source::Kind::input, 1}));
  EXPECT_EQ(layer.calls[2].operands[0], (Source{Source::Kind::call, 1}));
  EXPECT_EQ(layer.calls[2].operands[1], (Source{Source::Kind::input, 2}));
}

/// A row of 2 heads of queries, 2 of keys and 2 of values, 4 elements each. The new keys and values
/// are written behind the 3 earlier ones of each head.
TEST(Attention, OfOneTokenReadsItsPartsOfAPackedRow) {
  Model model(23);
  model.domain("com.microsoft", 1).input("qkv", {1, 1, 24}).input("pk", {1, 2, 3, 4});
  model.input("pv", {1, 2, 3, 4}).input("lens", {1}, ::onnx::TensorProto::INT32);
  model.input("total", {1}, ::onnx::TensorProto::INT32);
  model.node("GroupQueryAttention", {"qkv", "", "", "pk", "pv", "lens", "total"}, {"y", "k", "v"},
             {{"num_heads", 2}, {"kv_num_heads", 2}});
  model.last().set_domain("com.microsoft");
  const LoweredLayer layer = model.output("y").output("k").output("v").layer();
  std::vector<std::int64_t> parts;
  for (const Call& call : layer.calls) {
    if (call.from_offset > 0) parts.push_back(call.from_offset);
    for (const Source& source : call.operands) {
      if (source.part_from) parts.push_back(*source.part_from);
    }
  }
  EXPECT_THAT(parts, testing::UnorderedElementsAre(0, 8, 16)) << layer.reason;
  EXPECT_THAT(layer.problems, ElementsAre("copy/2x4_f4.1_t16.1", "copy/2x4_f4.1_t16.1",
                                          "gemm/m1_n4_k4_nt_a2_b2_cache", "softmax/1x2x1x4_a3",
                                          "gemm/m1_n4_k4_nn_a2_b2_cache"));
}

TEST(Attention, OfOneTokenOfTwoSequencesMovesNoHeads) {
  const Model model = attention({2, 1, 12}, {2, 1, 12}, {{"q_num_heads", 3}, {"kv_num_heads", 3}});
  EXPECT_THAT(model.layer().problems, SizeIs(3));
}

TEST(Attention, PutsHeadsOutOfTheRowsAndBack) {
  const Model model = attention({2, 5, 12}, {2, 7, 12},
                                {{"q_num_heads", 3}, {"kv_num_heads", 3}, {"scale", 0.25F}});
  EXPECT_THAT(
      model.layer().problems,
      ElementsAre("copy/2x3x5x4_f60.4.12.1_t60.20.4.1", "copy/2x3x7x4_f84.4.12.1_t84.28.4.1",
                  "copy/2x3x7x4_f84.4.12.1_t84.28.4.1", "gemm/m5_n7_k4_nt_a6_b6_cache",
                  "softmax/2x3x5x7_a3", "gemm/m5_n4_k7_nn_a6_b6_cache",
                  "copy/2x5x3x4_f60.4.20.1_t60.12.4.1"));
  EXPECT_THAT(fused(model), ElementsAre("attention/2x3x5x4_k3x7x4_s0.25"));
}

TEST(Attention, HeadsThatShareKeysAreRowsOfOneProduct) {
  const Model model = attention({2, 8, 5, 4}, {2, 2, 5, 4}, {{"is_causal", 1}});
  EXPECT_THAT(model.layer().problems,
              ElementsAre("gemm/m20_n5_k4_nt_a4_b4", "add/2x8x5x5_1x1x5x5_w", "softmax/2x8x5x5_a3",
                          "gemm/m20_n4_k5_nn_a4_b4"));
  EXPECT_THAT(fused(model), ElementsAre("attention/2x8x5x4_k2x5x4_s0.5_causal"));
}

TEST(Attention, AddsItsMaskAndWhatCameBefore) {
  Model model(23);
  model.input("q", {2, 3, 1, 4}).input("k", {2, 3, 1, 4}).input("v", {2, 3, 1, 4});
  model.input("mask", {2, 1, 1, 9}).input("pk", {2, 3, 8, 4}).input("pv", {2, 3, 8, 4});
  model.node("Attention", {"q", "k", "v", "mask", "pk", "pv"}, {"y", "nk", "nv"});
  model.output("y").output("nk").output("nv");
  const LoweredLayer layer = model.layer();
  EXPECT_THAT(layer.problems, ElementsAre("concat/2x3x8x4_2x3x1x4_a2", "concat/2x3x8x4_2x3x1x4_a2",
                                          "gemm/m1_n9_k4_nt_a6_b6_cache", "add/2x3x1x9_2x1x1x9",
                                          "softmax/2x3x1x9_a3", "gemm/m1_n4_k9_nn_a6_b6_cache"))
      << layer.reason;
  EXPECT_EQ(layer.calls[1].output, 2);
  EXPECT_EQ(layer.outputs[1].shape, (Dims{2, 3, 9, 4}));
  const auto fusions = attentions(model.import());
  ASSERT_EQ(fusions.size(), 1U);
  EXPECT_EQ(fusions[0].problem, "attention/2x3x1x4_k3x9x4_s0.5_m2x1x1x9");
  EXPECT_THAT(fusions[0].also,
              ElementsAre("concat/2x3x8x4_2x3x1x4_a2", "concat/2x3x8x4_2x3x1x4_a2"))
      << "that call does not append the keys";
}

// Queries are scaled by 1/2 / 5, the scores' hyperbolic tangent by 5.
TEST(Attention, ASoftCapIsOneMoreCall) {
  const LoweredLayer layer = attention({1, 2, 3, 4}, {1, 2, 3, 4}, {{"softcap", 5.0F}}).layer();
  EXPECT_THAT(layer.problems, ElementsAre("gemm/m3_n3_k4_nt_a2_b2", "tanh/1x2x3x3_linear_a5_b0",
                                          "softmax/1x2x3x3_a3", "gemm/m3_n4_k3_nn_a2_b2"));
  EXPECT_FLOAT_EQ(layer.calls[0].operands[0].scale, 0.1F);
}

/// As exporters write it; keys of batch, length, heads, size are transposed.
Model pattern(bool two_readers) {
  Model model(17);
  model.input("q", {1, 12, 5, 64}).input("k", {1, 7, 12, 64}).input("v", {1, 12, 7, 64});
  model.input("mask", {1, 1, 5, 7}).scalar("eighth", 0.125F);
  model.node("Transpose", {"k"}, {"kt"}, {{"perm", Dims{0, 2, 3, 1}}});
  model.node("MatMul", {"q", "kt"}, {"s"}).node("Mul", {"s", "eighth"}, {"scaled"});
  model.node("Add", {"scaled", "mask"}, {"masked"});
  model.node("Softmax", {"masked"}, {"p"}, {{"axis", -1}}).node("MatMul", {"p", "v"}, {"y"});
  model.output("y");
  if (two_readers) model.output("p");
  return model;
}

TEST(AttentionPattern, IsOneCallBesideItsLayers) {
  const auto fusions = attentions(pattern(false).import());
  ASSERT_EQ(fusions.size(), 1U);
  EXPECT_EQ(fusions[0].pattern, "attention");
  EXPECT_EQ(fusions[0].problem, "attention/1x12x5x64_k12x7x64_s0.125_m1x1x5x7");
  EXPECT_THAT(fusions[0].layers, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(AttentionPattern, IsNoneWhereTheWeightsAreWanted) {
  EXPECT_THAT(attentions(pattern(true).import()), IsEmpty());
}

/// 4 heads of queries and 2 of keys and values, each shared by two, as decoders are exported.
Model grouped(std::int64_t value_repeats = 2) {
  Model model(18);
  model.input("q", {1, 4, 5, 8}).input("mask", {1, 1, 5, 5}).scalar("root", 0.5F);
  model.input("k", {1, 2, 5, 8}).input("v", {1, 4 / value_repeats, 5, 8}).integers("axis", {2});
  model.integers("all", {1, 4, 5, 8});
  for (const std::string name : {"k", "v"}) {
    const std::int64_t repeats = name == "k" ? 2 : value_repeats;
    model.integers(name + "5", {1, 4 / repeats, repeats, 5, 8});
    model.node("Unsqueeze", {name, "axis"}, {name + "u"});
    model.node("Expand", {name + "u", name + "5"}, {name + "e"});
    model.node("Reshape", {name + "e", "all"}, {name + "r"});
  }
  model.node("Transpose", {"kr"}, {"kt"}, {{"perm", Dims{0, 1, 3, 2}}});
  model.node("Mul", {"q", "root"}, {"qs"}).node("Mul", {"kt", "root"}, {"ks"});
  model.node("MatMul", {"qs", "ks"}, {"s"}).node("Add", {"s", "mask"}, {"m"});
  model.node("Softmax", {"m"}, {"p"}, {{"axis", -1}}).node("Cast", {"p"}, {"c"}, {{"to", 1}});
  model.node("MatMul", {"c", "vr"}, {"y"}).output("y");
  return model;
}

TEST(AttentionPattern, GroupedHeadsAreReadWhereTheyAre) {
  // Unsqueezed tensors are views: all layers except 0 and 3.
  const auto fusions = attentions(grouped().import());
  ASSERT_EQ(fusions.size(), 1U);
  EXPECT_EQ(fusions[0].problem, "attention/1x4x5x8_k2x5x8_s0.25_m1x1x5x5");
  EXPECT_THAT(fusions[0].layers, ElementsAre(1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13));
}

TEST(AttentionPattern, HeadsMayLieBesideEachOther) {
  // Rows of all heads are contiguous and transposed around the call; both forms are found.
  Model model(18);
  for (const std::string name : {"q", "k", "v"}) {
    model.input(name, {2, 5, 4, 8});
    const Dims perm = name == "k" ? Dims{0, 2, 3, 1} : Dims{0, 2, 1, 3};
    model.node("Transpose", {name}, {name + "h"}, {{"perm", perm}});
  }
  model.node("MatMul", {"qh", "kh"}, {"s"}).node("Softmax", {"s"}, {"p"}, {{"axis", -1}});
  model.node("MatMul", {"p", "vh"}, {"o"});
  model.node("Transpose", {"o"}, {"y"}, {{"perm", Dims{0, 2, 1, 3}}}).output("y");
  const auto fusions = attentions(model.import());
  ASSERT_EQ(fusions.size(), 2U);
  EXPECT_THAT(fusions[0].layers, ElementsAre(1, 3, 4, 5));
  EXPECT_THAT(fusions[1].layers, ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_EQ(fusions[0].problem, fusions[1].problem);
  EXPECT_EQ(fusions[1].problem, "attention/2x4x5x8_k4x5x8_s1");
}

TEST(AttentionPattern, ACopyThatTakesRowsApartIsNotInIt) {
  Model model(18);
  model.input("q", {2, 4, 5, 8}).input("kt", {2, 4, 8, 5}).input("v", {2, 4, 8, 5});
  model.node("Transpose", {"v"}, {"vt"}, {{"perm", Dims{0, 1, 3, 2}}});
  model.node("MatMul", {"q", "kt"}, {"s"}).node("Softmax", {"s"}, {"p"}, {{"axis", -1}});
  const auto fusions = attentions(model.node("MatMul", {"p", "vt"}, {"y"}).output("y").import());
  ASSERT_EQ(fusions.size(), 1U);
  EXPECT_THAT(fusions[0].layers, ElementsAre(1, 2, 3));
}

TEST(AttentionPattern, KeysAndValuesHaveTheSameHeads) {
  EXPECT_THAT(attentions(grouped(4).import()), IsEmpty());
}

TEST(AttentionPattern, AMaskMayBeASelection) {
  const auto with = [](const std::vector<std::string>& selection) {
    Model model(18);
    model.input("q", {2, 4, 5, 8}).input("kt", {2, 4, 8, 5}).input("v", {2, 4, 5, 8});
    model.input("other", {2, 4, 5, 5}).weights("which", {1, 1, 5, 5}).scalar("low", -1e9F);
    model.node("Cast", {"which"}, {"condition"}, {{"to", 9}}).node("MatMul", {"q", "kt"}, {"s"});
    model.node("Where", selection, {"w"}).node("Softmax", {"w"}, {"p"}, {{"axis", -1}});
    return attentions(model.node("MatMul", {"p", "v"}, {"y"}).output("y").import());
  };
  for (const auto& selection :
       {std::vector<std::string>{"condition", "s", "low"}, {"condition", "low", "s"}}) {
    const auto fusions = with(selection);
    ASSERT_EQ(fusions.size(), 1U);
    EXPECT_EQ(fusions[0].problem, "attention/2x4x5x8_k4x5x8_s1_m1x1x5x5");
    EXPECT_THAT(fusions[0].layers, ElementsAre(1, 2, 3, 4));
  }
  EXPECT_THAT(with({"condition", "s", "other"}), IsEmpty()) << "other scores";
}

TEST(AttentionPattern, PassesOverClearedRows) {
  Model model(20);
  model.input("q", {2, 4, 5, 8}).input("kt", {2, 4, 8, 5}).input("v", {2, 4, 5, 8});
  model.scalar("zero", 0).node("MatMul", {"q", "kt"}, {"s"});
  model.node("Softmax", {"s"}, {"p"}, {{"axis", -1}}).node("IsNaN", {"p"}, {"empty"});
  model.node("Where", {"empty", "zero", "p"}, {"w"}).node("MatMul", {"w", "v"}, {"y"});
  const auto fusions = attentions(model.output("y").import());
  ASSERT_EQ(fusions.size(), 1U);
  EXPECT_EQ(fusions[0].problem, "attention/2x4x5x8_k4x5x8_s1");
  EXPECT_THAT(fusions[0].layers, ElementsAre(0, 1, 2, 3, 4));
}

TEST(PackedAttention, ProjectsFirst) {
  Model model(17);
  model.domain("com.microsoft", 1);
  model.input("x", {2, 5, 8}).weights("w", {8, 24}).weights("b", {24});
  model.node("Attention", {"x", "w", "b"}, {"y"}, {{"num_heads", 2}});
  model.last().set_domain("com.microsoft");
  EXPECT_THAT(
      model.output("y").layer().problems,
      ElementsAre("gemm/m10_n24_k8_nn_w", "add/10x24_1x24_w", "copy/2x2x5x4_f120.4.24.1_t40.20.4.1",
                  "copy/2x2x5x4_f120.4.24.1_t40.20.4.1", "copy/2x2x5x4_f120.4.24.1_t40.20.4.1",
                  "gemm/m5_n5_k4_nt_a4_b4", "softmax/2x2x5x5_a3", "gemm/m5_n4_k5_nn_a4_b4",
                  "copy/2x5x2x4_f40.4.20.1_t40.8.4.1"));
  const auto found = attentions(model.import());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].problem, "attention/2x2x5x4_k2x5x4_s0.5");
  EXPECT_THAT(found[0].also, ElementsAre("gemm/m10_n24_k8_nn_w", "add/10x24_1x24_w"));
}

/// MultiHeadAttention of 2 heads over 5 queries and 7 keys, with a bias of `elements`.
Model biased(std::int64_t elements) {
  Model model(17);
  model.domain("com.microsoft", 1).weights("b", {elements});
  model.input("q", {2, 5, 8}).input("k", {2, 7, 8}).input("v", {2, 7, 6});
  model.node("MultiHeadAttention", {"q", "k", "v", "b"}, {"y"}, {{"num_heads", 2}});
  model.last().set_domain("com.microsoft");
  return model.output("y");
}

TEST(MultiHeadAttention, AddsItsBiasFirst) {
  const auto found = attentions(biased(8 + 8 + 6).import());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].problem, "attention/2x2x5x4_k2x7x3_s0.5_new");
  EXPECT_THAT(found[0].also,
              ElementsAre("add/2x5x8_1x1x8_w", "add/2x7x8_1x1x8_w", "add/2x7x6_1x1x6_w"));
  EXPECT_THROW(biased(21).import(), Error);
}

TEST(RmsNormalization, OfAScaleAsLargeAsTheTensorIsAProductMore) {
  Model model(23);
  model.input("x", {2, 3, 8}).input("s", {2, 3, 8});
  model.node("RMSNormalization", {"x", "s"}, {"y"});
  EXPECT_THAT(model.output("y").layer().problems,
              ElementsAre("rmsnorm/6x8_e1e-05", "mul/2x3x8_2x3x8"));
}

TEST(RotaryEmbedding, OfHeadsBeforePositionsAndAfter) {
  const auto problems = [](const Dims& x, const Dims& table, Attributes attributes) {
    Model model(23);
    model.input("x", x).weights("c", table).weights("s", table);
    model.node("RotaryEmbedding", {"x", "c", "s"}, {"y"}, attributes);
    return model.output("y").layer().problems;
  };
  EXPECT_THAT(problems({2, 4, 3, 8}, {2, 3, 4}, {}), ElementsAre("rotary/2x4x3x8_t2x1x3x4"));
  EXPECT_THAT(problems({2, 3, 32}, {2, 3, 4}, {{"num_heads", 4}}),
              ElementsAre("rotary/2x3x4x8_t2x3x1x4"));
  EXPECT_THAT(problems({2, 4, 3, 8}, {2, 3, 4}, {{"interleaved", 1}}),
              ElementsAre("rotary/2x4x3x8_t2x1x3x4_interleaved"));
  // The first 4 of 8 elements, and a copy of the other 4 of 24 rows.
  EXPECT_THAT(problems({2, 4, 3, 8}, {2, 3, 2}, {{"rotary_embedding_dim", 4}}),
              ElementsAre("rotary/2x4x3x4_t2x1x3x2", "copy/24x4_f8.1_t8.1"));
  EXPECT_THAT(problems({2, 3, 32}, {2, 3, 2}, {{"rotary_embedding_dim", 4}, {"num_heads", 4}}),
              ElementsAre("rotary/2x3x4x4_t2x3x1x2", "copy/24x4_f8.1_t8.1"));
}

TEST(RotaryEmbedding, OfMoreThanARowIsAnError) {
  Model model(23);
  model.input("x", {2, 4, 3, 8}).weights("c", {2, 3, 5}).weights("s", {2, 3, 5});
  model.node("RotaryEmbedding", {"x", "c", "s"}, {"y"});
  try {
    model.output("y").import();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("rotates 10 elements of rows of 8"));
  }
}

TEST(RotaryEmbedding, CosinesForOtherElementsAreAnError) {
  Model model(23);
  model.input("x", {2, 4, 3, 8}).weights("c", {2, 3, 3}).weights("s", {2, 3, 3});
  model.node("RotaryEmbedding", {"x", "c", "s"}, {"y"}, {{"rotary_embedding_dim", 4}});
  try {
    model.output("y").import();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("rotary_embedding_dim is 4, and the cosines are for 6"));
  }
}

TEST(RotaryEmbedding, OfMicrosoftPicksRowsByPositions) {
  Model model(17);
  model.domain("com.microsoft", 1).input("x", {2, 4, 3, 8});
  model.integers("p", {0}).weights("c", {64, 4}).weights("s", {64, 4});
  model.node("RotaryEmbedding", {"x", "p", "c", "s"}, {"y"});
  model.last().set_domain("com.microsoft");
  EXPECT_THAT(model.output("y").layer().problems, ElementsAre("rotary/2x4x3x8_t1x1x3x4"));
}

TEST(IsNaN, IsWhatDiffersFromItself) {
  Model model(20);
  model.input("x", {2, 3}).node("IsNaN", {"x"}, {"y"});
  EXPECT_THAT(model.output("y").layer().problems, ElementsAre("ne/2x3_1x1_w"));
}

TEST(IsInf, IsAMagnitudeOrANumber) {
  const auto problems = [](Attributes attributes) {
    Model model(20);
    model.input("x", {2, 3}).node("IsInf", {"x"}, {"y"}, attributes);
    return model.output("y").layer().problems;
  };
  EXPECT_THAT(problems({}), ElementsAre("abs/2x3", "eq/2x3_1x1_w"));
  EXPECT_THAT(problems({{"detect_negative", 0}}), ElementsAre("eq/2x3_1x1_w"));
}

}  // namespace
}  // namespace benanza::onnx
