// Attention whose queries, keys and values, or whose earlier keys and values, share a tensor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/lowered/number_tensors.h"
#include "generator/tests/onnx/attentions.h"
#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Model runtime_model() {
  Model model(17);
  return model.domain("com.microsoft", 1);
}

// Each head's q, k and v lie beside each other: 3 heads of 4 in rows of 36.
TEST(MultiHeadAttention, OfHeadsInTurn) {
  Model model = runtime_model().input("qkv", {2, 5, 3, 3, 4});
  add_microsoft(model, "MultiHeadAttention", {"qkv"}, {"y"}, {{"num_heads", 3}});
  model.output("y");
  const LoweredLayer layer = model.layer();
  EXPECT_THAT(
      layer.problems,
      ElementsAre("copy/2x3x5x4_f180.12.36.1_t60.20.4.1", "copy/2x3x5x4_f180.12.36.1_t60.20.4.1",
                  "copy/2x3x5x4_f180.12.36.1_t60.20.4.1", "gemm/m5_n5_k4_nt_a6_b6",
                  "softmax/2x3x5x5_a3", "gemm/m5_n4_k5_nn_a6_b6",
                  "copy/2x5x3x4_f60.4.20.1_t60.12.4.1"))
      << layer.reason;
  EXPECT_EQ(layer.calls[1].from_offset, 4);
  EXPECT_EQ(layer.calls[2].from_offset, 8);
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 5, 12}));
  EXPECT_THAT(fused(model), ElementsAre("attention/2x3x5x4_k3x5x4_s0.5"));
}

TEST(MultiHeadAttention, OfKeysAndValuesInTurn) {
  Model model = runtime_model().input("q", {2, 5, 12}).input("kv", {2, 7, 3, 2, 4});
  add_microsoft(model, "MultiHeadAttention", {"q", "kv"}, {"y"}, {{"num_heads", 3}});
  model.output("y");
  EXPECT_EQ(model.layer().problems[1], "copy/2x3x7x4_f168.8.24.1_t84.28.4.1");
  EXPECT_EQ(model.layer().outputs[0].shape, (Dims{2, 5, 12}));
  EXPECT_THAT(fused(model), ElementsAre("attention/2x3x5x4_k3x7x4_s0.5"));
}

TEST(MultiHeadAttention, WhatItDoesNotTakeApartIsNamed) {
  Model model = runtime_model().input("qkv", {2, 5, 3, 3, 4}).weights("b", {36});
  add_microsoft(model, "MultiHeadAttention", {"qkv", "", "", "b"}, {"y"}, {{"num_heads", 3}});
  EXPECT_THAT(Model(model).output("y").layer().reason, HasSubstr("a bias of heads that share"));
}

TEST(MultiHeadAttention, MayHandOutItsScores) {
  Model model = runtime_model().input("qkv", {2, 5, 3, 3, 4});
  add_microsoft(model, "MultiHeadAttention", {"qkv"}, {"y", "", "", "qk"}, {{"num_heads", 3}});
  const LoweredLayer layer = model.output("y").output("qk").layer();
  ASSERT_EQ(layer.cost, Cost::measured) << layer.reason;
  EXPECT_EQ(layer.outputs[1].shape, (Dims{2, 3, 5, 5}));
  EXPECT_EQ(layer.problems[3], "gemm/m5_n5_k4_nt_a6_b6");
  EXPECT_EQ(layer.calls[3].output, 3);
  EXPECT_THAT(fused(model), IsEmpty()) << "the one call makes no scores";
}

TEST(MultiHeadAttention, WithAStatedLengthGrowsInItsMemory) {
  Model model = runtime_model().input("q", {1, 1, 8}).input("k", {1, 1, 8}).input("v", {1, 1, 8});
  model.input("pk", {1, 2, 6, 4}).input("pv", {1, 2, 6, 4}).integers("length", {3});
  add_microsoft(model, "MultiHeadAttention", {"q", "k", "v", "", "", "", "pk", "pv", "length"},
                {"y", "nk", "nv"}, {{"num_heads", 2}});
  const LoweredGraph graph = model.output("y").output("nk").output("nv").import();
  // One row behind three; rows of six.
  EXPECT_THAT(
      graph.layers[0].problems,
      ElementsAre("copy/2x4_f4.1_t24.1", "copy/2x4_f4.1_t24.1", "gemm/m1_n4_k4_nt_a2_b2_cache",
                  "softmax/1x2x1x4_a3", "gemm/m1_n4_k4_nn_a2_b2_cache"))
      << graph.layers[0].reason;
  EXPECT_EQ(graph.layers[0].outputs[1].shape, (Dims{1, 2, 6, 4}));
  // The result, and one row of each cache; q, k and v, and three earlier rows.
  EXPECT_EQ(graph.compulsory.outputs.elements, 8 + 2 * 8);
  EXPECT_EQ(graph.compulsory.inputs.elements, 3 * 8 + 2 * 3 * 8);
}

/// One token behind those that a cache of 2 heads of 6 rows of 4 holds, as many as a run says.
LoweredGraph into_shared_cache(const std::string& op) {
  Model model = runtime_model().input("q", {1, 1, 8}).input("k", {1, 1, 8}).input("v", {1, 1, 8});
  model.input("pk", {1, 2, 6, 4}).input("pv", {1, 2, 6, 4});
  model.input("length", {1}, TensorProto::INT32);
  if (op == "MultiHeadAttention") {
    add_microsoft(model, op, {"q", "k", "v", "", "", "", "pk", "pv", "length"}, {"y", "nk", "nv"},
                  {{"num_heads", 2}});
  } else {
    add_microsoft(model, op, {"q", "k", "v", "", "", "pk", "pv", "length"}, {"y", "nk", "nv"},
                  {{"num_heads", 2}, {"past_present_share_buffer", 1}});
  }
  return model.output("y").output("nk").output("nv").import();
}

TEST(MultiHeadAttention, OfAnUnknownLengthIsTakenToFillItsCaches) {
  for (const char* op : {"MultiHeadAttention", "DecoderMaskedMultiHeadAttention"}) {
    const LoweredGraph graph = into_shared_cache(op);
    EXPECT_THAT(graph.layers[0].problems, Contains("gemm/m1_n6_k4_nt_a2_b2_cache"));
    EXPECT_EQ(graph.layers[0].reason, "its sequences are taken to fill the caches");
    // q, k and v, and five earlier rows of each head of each cache.
    EXPECT_EQ(graph.compulsory.inputs.elements, 3 * 8 + 2 * 2 * 5 * 4) << op;
    EXPECT_EQ(graph.compulsory.outputs.elements, 8 + 2 * 8) << op;
  }
}

/// One query and 7 keys and values of another sequence, in heads of their own.
LoweredGraph over_another_sequence(const std::string& op, std::vector<std::string> inputs) {
  Model model = runtime_model().input("q", {1, 1, 8}).input("k", {1, 2, 7, 4});
  model.input("v", {1, 2, 7, 4}).weights("b", {24}).integers("length", {3});
  inputs.insert(inputs.begin(), {"q", "k", "v"});
  add_microsoft(model, op, inputs, {"y"}, {{"num_heads", 2}});
  return model.output("y").import();
}

// Only the query gets its part of the bias.
TEST(MultiHeadAttention, OfAnotherSequenceReadsItsKeysAsTheyAre) {
  const std::pair<std::string, std::vector<std::string>> biased[] = {
      {"MultiHeadAttention", {"b"}},
      {"DecoderMaskedMultiHeadAttention", {"", "", "", "", "length", "", "", "b"}}};
  for (const auto& [op, inputs] : biased) {
    const LoweredGraph graph = over_another_sequence(op, inputs);
    EXPECT_THAT(graph.layers[0].problems,
                ElementsAre("add/1x1x8_1x1x8_w", "gemm/m1_n7_k4_nt_a2_b2_cache",
                            "softmax/1x2x1x7_a3", "gemm/m1_n4_k7_nn_a2_b2_cache"))
        << graph.layers[0].reason;
    EXPECT_EQ(graph.layers[0].reason, "") << op;
    EXPECT_EQ(graph.compulsory.inputs.elements, 8 + 2 * 2 * 7 * 4) << op;
  }
}

/// com.microsoft.Attention of one new token behind `past` in a tensor of both.
Model behind(std::int64_t past, bool shares, std::int64_t stated = -1) {
  Model model = runtime_model().input("x", {1, 1, 8}).weights("w", {8, 24});
  model.input("past", {2, 1, 2, past, 4});
  std::vector<std::string> inputs{"x", "w", "", "", "past"};
  if (shares) {
    if (stated >= 0) {
      model.integers("length", {stated});
    } else {
      model.input("length", {1}, TensorProto::INT32);
    }
    inputs.insert(inputs.end(), {"", "length"});
  }
  add_microsoft(
      model, "Attention", inputs, {"y", "present"},
      {{"num_heads", 2}, {"unidirectional", 1}, {"past_present_share_buffer", shares ? 1 : 0}});
  return model.output("y").output("present");
}

TEST(PackedAttention, OfAnUnknownLengthIsTakenToFillItsCaches) {
  const LoweredGraph graph = behind(6, true).import();
  EXPECT_EQ(graph.layers[0].reason, "its sequences are taken to fill the caches");
  EXPECT_EQ(graph.compulsory.inputs.elements, 8 + 2 * 2 * 5 * 4) << "five of six rows";
  EXPECT_EQ(behind(6, true, 3).layer().reason, "");
}

TEST(PackedAttention, ContinuesKeysAndValuesInOneTensor) {
  const LoweredLayer layer = behind(6, false).layer();
  EXPECT_THAT(layer.problems,
              ElementsAre("gemm/m1_n24_k8_nn_w", "concat/1x2x6x4_1x2x1x4_a2",
                          "concat/1x2x6x4_1x2x1x4_a2", "gemm/m1_n7_k4_nt_a2_b2_cache",
                          "softmax/1x2x1x7_a3", "gemm/m1_n4_k7_nn_a2_b2_cache"))
      << layer.reason;
  EXPECT_EQ(layer.calls[1].operands[0].part_from, 0);
  EXPECT_EQ(layer.calls[2].operands[0].part_from, 2 * 6 * 4) << "behind all keys";
  EXPECT_EQ(layer.outputs[1].shape, (Dims{2, 1, 2, 7, 4}));
  EXPECT_THAT(fused(behind(6, false)), ElementsAre("attention/1x2x1x4_k2x7x4_s0.5"));
}

// q, k and v in one row, and keys and values in one tensor.
TEST(PackedAttention, CallsThatReadPartsSayWhereTheseBegin) {
  const DataFlow flow = number_tensors(behind(6, false).import(), {});
  std::vector<std::int64_t> first;
  for (const FlowCall& call : flow.layers[0].calls) {
    EXPECT_FALSE(call.proxy) << call.problem;
    for (const FlowOperand& operand : call.operands) first.push_back(operand.first);
  }
  EXPECT_THAT(first, ElementsAre(0, 0, 0, 8, 48, 16, 0, 0, 0, 0, 0))
      << "past keys and values in turn, each with the new ones, which follow the query";
  // Both halves of output 1: keys of 2 heads x 7 x 4, then values.
  std::vector<std::int64_t> places;
  for (const FlowCall& call : flow.layers[0].calls) {
    if (call.part) places.push_back(call.to_offset);
  }
  EXPECT_THAT(places, ElementsAre(0, 56));
}

TEST(PackedAttention, HandsOutTheFirstKeysAndValues) {
  Model model = runtime_model().input("x", {1, 3, 8}).weights("w", {8, 24});
  add_microsoft(model, "Attention", {"x", "w"}, {"y", "present"}, {{"num_heads", 2}});
  const LoweredLayer layer = model.output("y").output("present").layer();
  std::vector<std::string> parts;
  for (std::size_t index = 0; index < layer.calls.size(); ++index) {
    const Call& call = layer.calls[index];
    if (call.output != 1) continue;
    EXPECT_TRUE(call.writes_part);
    parts.push_back(layer.problems[index] + " to " + std::to_string(call.to_offset));
  }
  EXPECT_THAT(parts, ElementsAre("copy/24_f1_t1 to 0", "copy/24_f1_t1 to 24"));
}

// Room for 16, of which 9 are earlier ones, or all but one.
TEST(PackedAttention, WritesNewKeysAndValuesIntoTheBuffer) {
  const LoweredLayer layer = behind(16, true, 9).layer();
  EXPECT_THAT(layer.problems, ElementsAre("gemm/m1_n24_k8_nn_w", "copy/2x4_f4.1_t64.1",
                                          "copy/2x4_f4.1_t64.1", "gemm/m1_n10_k4_nt_a2_b2_cache",
                                          "softmax/1x2x1x10_a3", "gemm/m1_n4_k10_nn_a2_b2_cache"))
      << layer.reason;
  EXPECT_EQ(layer.outputs[1].shape, (Dims{2, 1, 2, 16, 4}));
  EXPECT_THAT(fused(behind(16, true, 9)), ElementsAre("attention/1x2x1x4_k2x10x4_s0.5"));
  EXPECT_THAT(fused(behind(16, true)), ElementsAre("attention/1x2x1x4_k2x16x4_s0.5"));
}

/// PackedAttention of `tokens` in 2 sequences of up to 5.
Model of_tokens(std::int64_t tokens) {
  Model model = runtime_model().input("x", {tokens, 8}).weights("w", {8, 24}).weights("b", {24});
  model.input("places", {2, 5}, TensorProto::INT32).input("sums", {3}, TensorProto::INT32);
  add_microsoft(model, "PackedAttention", {"x", "w", "b", "places", "sums"}, {"y"},
                {{"num_heads", 2}});
  return model.output("y");
}

TEST(PackedAttention, OfAsManyTokensAsPlacesHasSequencesOfOneLength) {
  EXPECT_THAT(
      of_tokens(10).layer().problems,
      ElementsAre("gemm/m10_n24_k8_nn_w", "add/10x24_1x24_w", "copy/2x2x5x4_f120.4.24.1_t40.20.4.1",
                  "copy/2x2x5x4_f120.4.24.1_t40.20.4.1", "copy/2x2x5x4_f120.4.24.1_t40.20.4.1",
                  "gemm/m5_n5_k4_nt_a4_b4", "softmax/2x2x5x5_a3", "gemm/m5_n4_k5_nn_a4_b4",
                  "copy/2x5x2x4_f40.4.20.1_t40.8.4.1"));
  EXPECT_EQ(of_tokens(10).layer().outputs[0].shape, (Dims{10, 8}));
  EXPECT_THAT(fused(of_tokens(10)), ElementsAre("attention/2x2x5x4_k2x5x4_s0.5"));
}

TEST(PackedAttention, OfFewerTokensIsNamedWithItsWeights) {
  const LoweredGraph graph = of_tokens(7).import();
  EXPECT_THAT(graph.layers[0].reason, HasSubstr("which tokens are of one sequence"));
  EXPECT_EQ(graph.compulsory.weights.elements, 8 * 24 + 24);
}

TEST(PackedMultiHeadAttention, OfRowsOrOfHeadsInTurn) {
  const auto model = [](bool in_turn) {
    Model made = runtime_model().input("places", {2, 5}, TensorProto::INT32);
    made.input("sums", {3}, TensorProto::INT32).weights("b", {24});
    std::vector<std::string> inputs{"qkv", "", "", "", "places", "sums"};
    if (in_turn) {
      made.input("qkv", {10, 2, 3, 4});
    } else {
      made.input("q", {10, 8}).input("k", {10, 8}).input("v", {10, 8});
      inputs = {"q", "k", "v", "b", "places", "sums"};
    }
    add_microsoft(made, "PackedMultiHeadAttention", inputs, {"y"}, {{"num_heads", 2}});
    return made.output("y");
  };
  EXPECT_THAT(model(true).layer().problems, Contains("copy/2x2x5x4_f120.12.24.1_t40.20.4.1"))
      << model(true).layer().reason;
  EXPECT_THAT(model(false).layer().problems, Contains("add/10x8_1x8_w"))
      << model(false).layer().reason;
  for (const bool in_turn : {true, false}) {
    EXPECT_EQ(model(in_turn).layer().outputs[0].shape, (Dims{10, 8}));
    EXPECT_THAT(fused(model(in_turn)), ElementsAre("attention/2x2x5x4_k2x5x4_s0.5"));
  }
}

TEST(DecoderMaskedMultiHeadAttention, IsAttentionOfOneQuery) {
  const auto model = [](bool packed, std::int64_t shares) {
    Model made = runtime_model().input("pk", {1, 2, 6, 4}).input("pv", {1, 2, 6, 4});
    std::vector<std::string> inputs{"q", "", "", "", "", "pk", "pv"};
    if (packed) {
      made.input("q", {1, 1, 24});
    } else {
      made.input("q", {1, 1, 8}).input("k", {1, 1, 8}).input("v", {1, 1, 8});
      inputs[1] = "k";
      inputs[2] = "v";
    }
    add_microsoft(made, "DecoderMaskedMultiHeadAttention", inputs, {"y", "nk", "nv"},
                  {{"num_heads", 2}, {"past_present_share_buffer", shares}});
    return made.output("y").output("nk").output("nv");
  };
  for (const bool packed : {true, false}) {
    EXPECT_THAT(model(packed, 0).layer().problems,
                ElementsAre("concat/1x2x6x4_1x2x1x4_a2", "concat/1x2x6x4_1x2x1x4_a2",
                            "gemm/m1_n7_k4_nt_a2_b2_cache", "softmax/1x2x1x7_a3",
                            "gemm/m1_n4_k7_nn_a2_b2_cache"));
    EXPECT_EQ(model(packed, 0).layer().outputs[0].shape, (Dims{1, 1, 8}));
    EXPECT_EQ(model(packed, 0).layer().outputs[1].shape, (Dims{1, 2, 7, 4}));
  }
  // The last of six rows, unless the model says how many are filled.
  EXPECT_THAT(
      model(false, 1).layer().problems,
      ElementsAre("copy/2x4_f4.1_t24.1", "copy/2x4_f4.1_t24.1", "gemm/m1_n6_k4_nt_a2_b2_cache",
                  "softmax/1x2x1x6_a3", "gemm/m1_n4_k6_nn_a2_b2_cache"));
  EXPECT_EQ(model(false, 1).layer().outputs[1].shape, (Dims{1, 2, 6, 4}));
}

}  // namespace
}  // namespace benanza::onnx
