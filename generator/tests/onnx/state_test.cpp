// Operators that carry a state from token to token, and what exporters put around them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;
using testing::HasSubstr;

Model with_states() {
  Model model(21);
  return model.domain("com.microsoft", 1);
}

/// 2 sequences of `tokens`; `queries` and `keys` heads of 8, 4 states of 8 x 16.
LoweredGraph linear_attention(std::int64_t tokens, std::int64_t queries, std::int64_t keys,
                              const std::string& rule, std::int64_t decays = 4) {
  Model model = with_states().input("q", {2, tokens, queries * 8}).input("s", {2, 4, 8, 16});
  model.input("k", {2, tokens, keys * 8}).input("v", {2, tokens, 64});
  model.input("g", {2, tokens, decays}).input("b", {2, tokens, 4});
  std::vector<std::string> inputs{"q", "k", "v", "s", "", ""};
  if (rule.starts_with("gated")) inputs[4] = "g";
  if (rule.ends_with("delta")) inputs[5] = "b";
  add_microsoft(model, "LinearAttention", inputs, {"y", "n"},
                {{"q_num_heads", queries}, {"kv_num_heads", 4}, {"update_rule", rule}});
  return model.output("y").output("n").import();
}

TEST(State, OneTokenDecaysCorrectsAndReadsIt) {
  const LoweredGraph graph = linear_attention(1, 4, 4, "gated_delta");
  const LoweredLayer& layer = graph.layers[0];
  EXPECT_THAT(layer.problems,
              ElementsAre("exp/2x4x1x1", "mul/2x4x8x16_2x4x1x1",               // e^g S
                          "gemm/m1_n16_k8_nn_a8_b8", "sub/2x4x1x16_2x4x1x16",  // v - k S
                          "mul/2x4x1x16_2x4x1x1", "gemm/m8_n16_k1_nn_a8_b8",   // k (b (v - k S))
                          "add/2x4x8x16_2x4x8x16", "gemm/m1_n16_k8_nn_a8_b8"))
      << layer.reason;
  EXPECT_EQ(layer.calls[6].output, 1);
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 1, 64}));
  EXPECT_EQ(layer.outputs[1].shape, (Dims{2, 4, 8, 16}));
  // 1,024 elements of states, 64 of queries and keys each, 128 of values, 8 decays and rates.
  EXPECT_EQ(graph.compulsory.inputs, (Traffic{.elements = 1024 + 2 * 64 + 128 + 2 * 8}));
  EXPECT_EQ(graph.compulsory.outputs, (Traffic{.elements = 1024 + 128}));
}

TEST(State, OtherRulesLeaveStepsOut) {
  EXPECT_THAT(
      linear_attention(1, 4, 4, "linear").layers[0].problems,
      ElementsAre("gemm/m8_n16_k1_nn_a8_b8", "add/2x4x8x16_2x4x8x16", "gemm/m1_n16_k8_nn_a8_b8"));
  EXPECT_THAT(linear_attention(1, 4, 4, "gated", 32).layers[0].problems,
              ElementsAre("exp/2x4x8x1", "mul/2x4x8x16_2x4x8x1", "gemm/m8_n16_k1_nn_a8_b8",
                          "add/2x4x8x16_2x4x8x16", "gemm/m1_n16_k8_nn_a8_b8"))
      << "a decay for each element of a key";
  EXPECT_THAT(linear_attention(1, 4, 4, "newest").layers[0].reason, HasSubstr("newest"));
}

// Two heads of queries and keys serve four states; eight of queries share them in pairs.
TEST(State, HeadsAreShared) {
  EXPECT_THAT(linear_attention(1, 2, 2, "linear").layers[0].problems,
              ElementsAre("gemm/m8_n16_k1_nn_a4x1_b4x2", "add/2x4x8x16_2x4x8x16",
                          "gemm/m1_n16_k8_nn_a4x1_b4x2"));
  const LoweredLayer more = linear_attention(1, 8, 4, "linear").layers[0];
  EXPECT_EQ(more.problems.back(), "gemm/m2_n16_k8_nn_a8_b8");
  EXPECT_EQ(more.outputs[0].shape, (Dims{2, 1, 128}));
}

TEST(State, ARecurrenceOverTokensIsNamedWithItsState) {
  const LoweredGraph graph = linear_attention(128, 4, 4, "gated_delta");
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
  EXPECT_THAT(graph.layers[0].reason, HasSubstr("128 tokens"));
  EXPECT_EQ(graph.compulsory.inputs, (Traffic{.elements = 1024}));
  EXPECT_EQ(graph.compulsory.outputs, (Traffic{.elements = 1024}));
}

// Exporters give such nodes a body with a loop, for runtimes that do not have the operator.
TEST(State, ABodyWithALoopIsNotReadWhereTheOperatorIsKnown) {
  Model model = with_states().input("q", {1, 1, 16}).input("k", {1, 1, 16}).input("v", {1, 1, 8});
  model.input("s", {1, 2, 8, 4});
  add_microsoft(model, "LinearAttention", {"q", "k", "v", "s"}, {"y", "n"},
                {{"q_num_heads", 2}, {"kv_num_heads", 2}});
  ::onnx::FunctionProto function;
  function.set_domain("com.microsoft");
  function.set_name("LinearAttention");
  for (const char* name : {"q", "k", "v", "s"}) function.add_input(name);
  for (const char* name : {"y", "n"}) function.add_output(name);
  function.add_node()->set_op_type("Scan");
  ::onnx::AttributeProto rule;
  rule.set_name("update_rule");
  rule.set_type(::onnx::AttributeProto::STRING);
  rule.set_s("linear");
  // Field 11 of FunctionProto, its defaults, which ONNX before 1.13 does not know by name.
  std::string bytes = rule.SerializeAsString();
  bytes.insert(0, {11 << 3 | 2, static_cast<char>(bytes.size())});
  ASSERT_TRUE(model.proto().add_functions()->ParseFromString(function.SerializeAsString() + bytes));
  const LoweredGraph graph = model.output("y").output("n").import();
  ASSERT_EQ(graph.layers.size(), 1U);
  EXPECT_THAT(graph.layers[0].problems, ElementsAre("gemm/m8_n4_k1_nn_a2_b2", "add/1x2x8x4_1x2x8x4",
                                                    "gemm/m1_n4_k8_nn_a2_b2"))
      << "as the function's default says";
}

// The body needs a zero point, which the call leaves out.
TEST(State, ABodyThatTakesPackedWeightsApartIsNotReadEither) {
  Model model = with_states().input("x", {2, 64});
  stored(model, "w", {16, 2, 16}, TensorProto::UINT8);
  stored(model, "s", {16, 2}, TensorProto::FLOAT);
  add_microsoft(model, "MatMulNBits", {"x", "w", "s"}, {"y"},
                {{"N", 16}, {"K", 64}, {"bits", 4}, {"block_size", 32}});
  auto& function = *model.proto().add_functions();
  function.set_domain("com.microsoft");
  function.set_name("MatMulNBits");
  for (const char* name : {"x", "w", "s", "z"}) function.add_input(name);
  function.add_output("y");
  Model body(21);
  body.node("BitwiseAnd", {"z", "z"}, {"low"}).node("MatMul", {"x", "low"}, {"y"});
  for (const auto& node : body.graph().node()) *function.add_node() = node;
  const LoweredGraph graph = model.output("y").import();
  ASSERT_EQ(graph.layers.size(), 1U);
  EXPECT_THAT(graph.layers[0].problems, ElementsAre("gemm/m2_n16_k64_nt_w_packed.int4.b32"));
}

// Two tokens, the last of 10 that are in a cache of 16 rows, of 2 heads of 4.
TEST(State, ACacheIsReadAsFarAsItIsKnownToBeFilled) {
  const auto attention = [](const Dims& lengths, std::int64_t batch) {
    Model model(24);
    model.input("q", {batch, 2, 16}).input("k", {batch, 16, 8}).input("v", {batch, 16, 8});
    lengths.empty() ? model.input("n", {batch}, TensorProto::INT64) : model.integers("n", lengths);
    model.node("Attention", {"q", "k", "v", "", "", "", "n"}, {"y"},
               {{"q_num_heads", 4}, {"kv_num_heads", 2}, {"is_causal", 1}});
    return model.output("y").layer();
  };
  EXPECT_THAT(attention({10}, 1).problems,
              ElementsAre("copy/4x2x4_f4.16.1_t8.4.1", "copy/2x10x4_f4.8.1_t40.4.1",
                          "copy/2x10x4_f4.8.1_t40.4.1", "gemm/m4_n10_k4_nt_a2_b2_cache",
                          "add/1x4x2x10_1x1x2x10_w", "softmax/1x4x2x10_a3",
                          "gemm/m4_n4_k10_nn_a2_b2_cache", "copy/2x4x4_f4.8.1_t16.4.1"));
  EXPECT_THAT(attention({10, 7}, 2).problems, testing::Contains("gemm/m4_n10_k4_nt_a4_b4_cache"))
      << "of the longer sequence";
  EXPECT_THAT(attention({1}, 1).reason, HasSubstr("see no key"));
  const LoweredLayer unknown = attention({}, 1);
  EXPECT_THAT(unknown.problems, testing::Contains("gemm/m4_n16_k4_nt_a2_b2_cache"));
  EXPECT_THAT(unknown.reason, HasSubstr("taken to fill the keys"));
}

/// Packed tokens of 2 sequences, 2 heads of queries and keys of 8 and 4 of values of 16.
LoweredGraph delta_net(std::int64_t tokens) {
  Model model = with_states().input("q", {tokens, 2, 8}).input("k", {tokens, 2, 8});
  model.input("v", {tokens, 4, 16}).input("sums", {3}, TensorProto::INT32);
  model.input("g", {tokens, 4}).input("b", {tokens, 4}).input("s", {2, 4, 16, 8});
  model.weights("a", {4}).weights("t", {4});
  add_microsoft(model, "GatedDeltaNet", {"q", "k", "v", "sums", "g", "b", "s", "a", "t"},
                {"y", "n"},
                {{"gate_activation", "qwen"}, {"beta_activation", "sigmoid"}, {"qk_l2_norm", 1}});
  return model.output("y").output("n").import();
}

TEST(State, GatesAndUnitRowsAreParts) {
  const LoweredLayer layer = delta_net(2).layers[0];
  EXPECT_THAT(
      layer.problems,
      ElementsAre("reducel2/2x2x8_a2", "div/2x2x8_2x2x1", "reducel2/2x2x8_a2", "div/2x2x8_2x2x1",
                  "add/2x4x1_1x4x1_w", "softplus/2x4x1", "mul/2x4x1_1x4x1_w", "sigmoid/2x4",
                  "exp/2x4x1x1", "mul/2x4x16x8_2x4x1x1", "gemm/m1_n16_k8_nt_a4x1_b4x2",
                  "sub/2x4x1x16_2x4x1x16", "mul/2x4x1x16_2x4x1x1", "gemm/m16_n8_k1_nn_a4x2_b4x1",
                  "add/2x4x16x8_2x4x16x8", "gemm/m1_n16_k8_nt_a4x1_b4x2"))
      << layer.reason;
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 4, 16}));
  EXPECT_THAT(delta_net(7).layers[0].reason, HasSubstr("7 tokens"));
}

TEST(State, TheGateOfAttentionIsFunctions) {
  Model model = with_states().input("a", {1, 3, 4}).input("b", {1, 3, 4});
  model.weights("bias", {4}).weights("scale", {4});
  add_microsoft(model, "LinearAttentionGate", {"a", "bias", "scale", "b"}, {"g", "r"});
  const LoweredLayer layer = model.output("g").output("r").layer();
  EXPECT_THAT(layer.problems, ElementsAre("sigmoid/1x3x4", "add/1x3x4_1x1x4_w", "softplus/1x3x4",
                                          "mul/1x3x4_1x1x4_w"));
  EXPECT_EQ(layer.calls[0].output, 1);
}

TEST(State, ANormalizationWithAGateIsItsParts) {
  Model model = with_states().input("x", {1, 3, 32}).input("g", {1, 3, 32}).weights("w", {8});
  add_microsoft(model, "GatedRMSNorm", {"x", "w", "g"}, {"y"}, {{"epsilon", 1e-6F}});
  // Three tokens of four heads.
  EXPECT_THAT(model.output("y").layer().problems,
              ElementsAre("rmsnorm/12x8_e1e-06_s", "swish/1x3x32_a1", "mul/1x3x32_1x3x32"));
  model.last().add_attribute()->CopyFrom([] {
    ::onnx::AttributeProto attribute;
    attribute.set_name("activation");
    attribute.set_type(::onnx::AttributeProto::STRING);
    attribute.set_s("tanh");
    return attribute;
  }());
  EXPECT_THAT(model.layer().reason, HasSubstr("tanh"));
}

/// 6 channels, windows of 4.
Model causal_convolution(std::int64_t tokens, Attributes attributes = {}) {
  Model model = with_states().input("x", {2, 6, tokens}).weights("w", {6, 1, 4});
  model.weights("b", {6}).input("s", {2, 6, 3});
  add_microsoft(model, "CausalConvWithState", {"x", "w", "b", "s"}, {"y", "n"}, attributes);
  return model.output("y").output("n");
}

TEST(State, AConvolutionStartsBehindEarlierTokens) {
  const LoweredGraph graph = causal_convolution(1, {{"activation", "silu"}}).import();
  const LoweredLayer& layer = graph.layers[0];
  EXPECT_THAT(layer.problems,
              ElementsAre("concat/2x6x3_2x6x1_a2", "copy/12x3_f4.1_t3.1",
                          "conv/2x6x4_k6x4_p0.0_s1_d1_g6", "add/2x6x1_1x6x1_w", "swish/2x6x1_a1"))
      << layer.reason;
  EXPECT_EQ(layer.calls[1].output, 1);
  EXPECT_EQ(layer.outputs[1].shape, (Dims{2, 6, 3}));
  EXPECT_EQ(graph.compulsory.inputs, (Traffic{.elements = 36 + 12}));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 24}));
  EXPECT_EQ(graph.compulsory.outputs, (Traffic{.elements = 12 + 36}));
}

TEST(State, AConvolutionWithoutEarlierTokensIsPadded) {
  Model model = with_states().input("x", {2, 6, 9}).weights("w", {6, 1, 4});
  add_microsoft(model, "CausalConvWithState", {"x", "w"}, {"y", "n"}, {{"dilation", 2}});
  const LoweredLayer layer = model.output("y").output("n").layer();
  EXPECT_THAT(layer.problems, ElementsAre("copy/12x6_f9.1_t6.1", "conv/2x6x9_k6x4_p6.0_s1_d2_g6"))
      << layer.reason;
  EXPECT_EQ(layer.outputs[1].shape, (Dims{2, 6, 6}));
}

TEST(State, OtherLayoutsOfAConvolutionAreNamedWithWeightsAndState) {
  const LoweredGraph graph = causal_convolution(1, {{"state_length", 3}}).import();
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
  EXPECT_THAT(graph.layers[0].reason, HasSubstr("state_length = 3"));
  EXPECT_EQ(graph.compulsory.inputs, (Traffic{.elements = 36}));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 24 + 6}));
  EXPECT_EQ(graph.compulsory.outputs, (Traffic{.elements = 36}));
}

TEST(State, PackedConvolutionsAreNamedWithWeightsAndStates) {
  Model model = with_states().input("x", {7, 6}).weights("w", {6, 1, 4}).input("s", {2, 6, 3});
  model.input("sums", {3}, TensorProto::INT32);
  add_microsoft(model, "VarlenCausalConvWithState", {"x", "w", "sums", "", "s"}, {"y", "n"});
  const LoweredGraph graph = model.output("y").output("n").import();
  EXPECT_THAT(graph.layers[0].reason, HasSubstr("several lengths"));
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{7, 6}));
  EXPECT_EQ(graph.compulsory.inputs, (Traffic{.elements = 36}));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 24}));
  EXPECT_EQ(graph.compulsory.outputs, (Traffic{.elements = 36}));
}

// Four heads of 8, of which 4 elements are rotated, for two tokens.
TEST(State, ARotationByThreePositionsIsOne) {
  Model model = with_states().input("x", {1, 2, 32}).input("p", {3, 1, 2}, TensorProto::INT64);
  model.weights("cos", {64, 2}).weights("sin", {64, 2});
  add_microsoft(model, "MRotaryEmbedding", {"x", "p", "cos", "sin"}, {"y"},
                {{"num_heads", 4},
                 {"rotary_embedding_dim", 4},
                 {"mrope_section", Dims{1, 1, 0}},
                 {"mrope_layout", 1},
                 {"is_packed_batching", 1}});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_THAT(layer.problems, ElementsAre("rotary/1x2x4x4_t1x2x1x2", "copy/8x4_f8.1_t8.1"))
      << layer.reason;
}

/// 3 new tokens behind `past` of each of two sequences, pages of 16 rows of 2 heads of 4, stored as
/// `type`.
LoweredGraph paged(const Dims& past, int type, std::int64_t window) {
  Model model = with_states().input("q", {3, 16}).input("k", {3, 8}).input("v", {3, 8});
  model.input("kc", {9, 16, 2, 4}, type).input("vc", {9, 16, 2, 4}, type);
  model.input("sums", {3}, TensorProto::INT32).input("pages", {2, 4}, TensorProto::INT32);
  model.integers("past", past);
  add_microsoft(model, "PagedAttention", {"q", "k", "v", "kc", "vc", "sums", "past", "pages"},
                {"y", "nk", "nv"},
                {{"num_heads", 4}, {"kv_num_heads", 2}, {"local_window_size", window}});
  return model.output("y").output("nk").output("nv").import();
}

TEST(State, PagesOfKnownLengthsAreReadSoFar) {
  const LoweredGraph bytes = paged({20, 30}, TensorProto::INT8, -1);
  EXPECT_EQ(bytes.layers[0].cost, Cost::unsupported);
  // 50 earlier rows of 8 bytes in each cache, and as before what 3 tokens bring and add.
  EXPECT_EQ(bytes.compulsory.inputs, (Traffic{.bytes = 2 * 50 * 8}));
  EXPECT_EQ(bytes.layers[0].bytes, 3 * (16 + 8 + 8 + 16) * 4 + 2 * 3 * 8 + 2 * 50 * 8);
  EXPECT_EQ(paged({20, 30}, TensorProto::FLOAT, 8).compulsory.inputs,
            (Traffic{.elements = 2 * 14 * 8}))
      << "the first of the new tokens sees seven earlier ones";
}

// Two numbers in a byte, and a scale for each head of a row.
TEST(State, ScalesOfRowsAreReadWithTheRows) {
  Model model = with_states().input("qkv", {1, 32}).integers("past", {20});
  for (const char* name : {"kc", "vc"}) model.input(name, {9, 16, 2, 2}, TensorProto::UINT8);
  for (const char* name : {"ks", "vs"}) model.input(name, {9, 16, 2});
  model.input("sums", {2}, TensorProto::INT32).input("pages", {1, 4}, TensorProto::INT32);
  std::vector<std::string> inputs{"qkv", "", "", "kc", "vc", "sums", "past", "pages"};
  inputs.resize(17);
  inputs.insert(inputs.end(), {"ks", "vs"});
  add_microsoft(model, "PagedAttention", inputs, {"y", "nk", "nv"},
                {{"num_heads", 4}, {"kv_num_heads", 2}, {"k_cache_dtype", "int4"}});
  EXPECT_EQ(model.output("y").output("nk").output("nv").import().compulsory.inputs,
            (Traffic{.elements = 2 * 20 * 2, .bytes = 2 * 20 * 4}));
}

}  // namespace
}  // namespace benanza::onnx
