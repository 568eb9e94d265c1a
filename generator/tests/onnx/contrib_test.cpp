// Operators of ONNX Runtime: their problems, or their shapes and the bytes they must move.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int fp8 = 17;

Model runtime() {
  Model model(21);
  return model.domain("com.microsoft", 1);
}

TEST(Contrib, ProductsOfBlocksKeepTheirTypes) {
  Model eight = runtime().input("x", {2, 256});
  stored(eight, "w", {64, 256}, fp8);
  stored(eight, "s", {64, 2}, TensorProto::FLOAT);
  eight.weights("b", {64});
  add_microsoft(eight, "MatMulBlockQuantizedFp8Weight", {"x", "w", "s", "", "b"}, {"y"});
  const LoweredGraph graph = eight.output("y").import();
  EXPECT_THAT(graph.layers[0].problems,
              ElementsAre("gemm/m2_n64_k256_nt_w_packed.fp8.b128", "add/2x64_1x64_w"));
  // 64 x 256 weights, 64 x 2 scales and the bias.
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 128 + 64, .bytes = 64 * 256}));

  Model four = runtime().input("x", {2, 256});
  stored(four, "w", {64, 128}, TensorProto::UINT8);
  stored(four, "s", {64, 16}, TensorProto::UINT8);
  four.scalar("g", 1);
  add_microsoft(four, "MatMulBlockQuantizedFp4Weight", {"x", "w", "s", "g"}, {"y"});
  EXPECT_THAT(four.output("y").layer().problems,
              ElementsAre("gemm/m2_n64_k256_nt_w_packed.fp4.b16"));
}

TEST(Contrib, DataThatBecomeFp8AreNamed) {
  Model model = runtime().input("x", {2, 256}).scalar("a", 1);
  stored(model, "w", {64, 256}, fp8);
  stored(model, "s", {64, 2}, TensorProto::FLOAT);
  add_microsoft(model, "MatMulBlockQuantizedFp8Weight", {"x", "w", "s", "a"}, {"y"});
  EXPECT_THAT(model.output("y").layer().reason, HasSubstr("converted to fp8"));
}

/// Three rows of a table of 100 x 32 numbers.
LoweredGraph look_up(int type, const Dims& table, std::int64_t bits) {
  Model model = runtime().input("ids", {1, 3}, TensorProto::INT64);
  stored(model, "table", table, type);
  stored(model, "s", {100, 1}, TensorProto::FLOAT);
  add_microsoft(model, "GatherBlockQuantized", {"table", "ids", "s"}, {"y"},
                {{"bits", bits}, {"block_size", 32}, {"gather_axis", 0}, {"quantize_axis", 1}});
  return model.output("y").import();
}

TEST(Contrib, ALookUpInAPackedTableMovesItsRowsAndConvertsThem) {
  const LoweredGraph graph = look_up(TensorProto::UINT8, {100, 16}, 4);
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{1, 3, 32}));
  // 96 numbers in 48 bytes, 12 words of 32 bits.
  EXPECT_THAT(graph.layers[0].problems, ElementsAre("copy/12_f1_t1", "dequantize/1x3x32"));
  EXPECT_TRUE(graph.layers[0].calls[1].is_proxy);
  EXPECT_EQ(graph.compulsory.weights, Traffic{});
  EXPECT_THAT(look_up(TensorProto::UINT8, {100, 32}, 8).layers[0].problems,
              ElementsAre("copy/24_f1_t1", "dequantize/1x3x32"));
}

TEST(Contrib, ALookUpThatIsNamedReadsItsRowsAlone) {
  const LoweredLayer layer = look_up(TensorProto::UINT8, {100, 16}, 3).layers[0];
  EXPECT_EQ(layer.cost, Cost::unsupported);
  EXPECT_EQ(layer.reason, "numbers of 3 bits");
  EXPECT_EQ(layer.bytes, 3 * 16 + 3 * 8 + 3 * 4 + 3 * 32 * 4)
      << "three rows, ids and scales, and three rows as fp32";
}

/// Two products of 2 x 64 with weights of 4 bits, as gate and what it multiplies.
LoweredGraph gated_products(const std::string& activation, bool normalizes) {
  Model model = runtime().input("x", {2, 64}).input("skip", {2, 64}).weights("n", {64});
  stored(model, "gate", {128, 2, 16}, TensorProto::UINT8);
  stored(model, "up", {128, 2, 16}, TensorProto::UINT8);
  stored(model, "s", {128, 2}, TensorProto::FLOAT);
  model.weights("b", {128});
  std::vector<std::string> inputs{"x", "", "", "gate", "s", "", "up", "s", "b"};
  if (normalizes) inputs[1] = "skip", inputs[2] = "n";
  std::vector<std::string> outputs{"y"};
  if (normalizes) outputs.emplace_back("sum");
  add_microsoft(model, "MatMulNBitsMlp", inputs, outputs,
                {{"N", 128}, {"K", 64}, {"block_size", 32}, {"activation", activation}});
  if (normalizes) model.output("sum");
  return model.output("y").import();
}

TEST(Contrib, GatedProductsWithPackedWeightsAreTheirParts) {
  const std::string product = "gemm/m2_n128_k64_nt_w_packed.int4.b32";
  const LoweredGraph graph = gated_products("silu", false);
  EXPECT_THAT(graph.layers[0].problems, ElementsAre(product, product, "add/2x128_1x128_w",
                                                    "swish/2x128_a1", "mul/2x128_2x128"))
      << graph.layers[0].reason;
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 256 + 128, .bytes = 2 * 128 * 32}));
  const LoweredLayer normalized = gated_products("silu", true).layers[0];
  EXPECT_THAT(normalized.problems,
              ElementsAre("add/2x64_2x64", "rmsnorm/2x64_e1e-05_s", product, product,
                          "add/2x128_1x128_w", "swish/2x128_a1", "mul/2x128_2x128"));
  EXPECT_EQ(normalized.calls[0].output, 1);
  EXPECT_EQ(normalized.outputs[1].shape, (Dims{2, 64}));
}

TEST(Contrib, ProductsThatAreNamedReadTheirWeights) {
  const LoweredGraph graph = gated_products("sparse", false);
  EXPECT_THAT(graph.layers[0].reason, HasSubstr("gates by sparse"));
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{2, 128}));
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 256 + 128, .bytes = 2 * 128 * 32}));
}

TEST(Contrib, QueriesKeysAndValuesAreThreeProducts) {
  Model model = runtime().input("x", {1, 1, 64}).weights("n", {64});
  stored(model, "q", {64, 2, 16}, TensorProto::UINT8);
  stored(model, "kv", {32, 2, 16}, TensorProto::UINT8);
  stored(model, "s", {64, 2}, TensorProto::FLOAT);
  stored(model, "t", {32, 2}, TensorProto::FLOAT);
  add_microsoft(model, "MatMulNBitsQkv", {"x", "", "n", "q", "s", "", "kv", "t", "", "kv", "t"},
                {"a", "b", "c"}, {{"Nq", 64}, {"Nkv", 32}, {"K", 64}, {"block_size", 32}});
  const LoweredLayer layer = model.output("a").output("b").output("c").layer();
  EXPECT_THAT(
      layer.problems,
      ElementsAre("rmsnorm/1x64_e1e-06_s", "gemm/m1_n64_k64_nt_w_packed.int4.b32",
                  "gemm/m1_n32_k64_nt_w_packed.int4.b32", "gemm/m1_n32_k64_nt_w_packed.int4.b32"))
      << layer.reason;
  EXPECT_EQ(layer.calls[3].output, 2);
  EXPECT_EQ(layer.outputs[2].shape, (Dims{1, 1, 32}));
}

/// QAttention of 2 x 5 rows, two heads of 4, with weights of bytes.
LoweredGraph quantized_attention(Attributes attributes) {
  Model model = runtime().input("x", {2, 5, 8}, TensorProto::UINT8).scalar("s", 0.1F);
  model.input("mask", {2, 5}, TensorProto::INT32).weights("b", {24});
  stored(model, "w", {8, 24}, TensorProto::INT8);
  add_microsoft(model, "QAttention", {"x", "w", "b", "s", "s", "mask"}, {"y"}, attributes);
  return model.output("y").import();
}

TEST(Contrib, AttentionOfBytesIsAProductOfBytesAndAttention) {
  const LoweredGraph graph = quantized_attention({{"num_heads", 2}, {"unidirectional", 1}});
  ASSERT_EQ(graph.layers.size(), 2U);
  EXPECT_THAT(graph.layers[0].problems, ElementsAre("gemm/m10_n24_k8_nn_w_u8_bias"));
  EXPECT_EQ(graph.layers[0].precision, "int8");
  const LoweredLayer& attention = graph.layers[1];
  EXPECT_EQ(attention.name, "y");
  EXPECT_EQ(attention.op, "com.microsoft.QAttention");
  EXPECT_THAT(
      attention.problems,
      ElementsAre("copy/2x2x5x4_f120.4.24.1_t40.20.4.1", "copy/2x2x5x4_f120.4.24.1_t40.20.4.1",
                  "copy/2x2x5x4_f120.4.24.1_t40.20.4.1", "gemm/m5_n5_k4_nt_a4_b4",
                  "add/2x2x5x5_2x1x1x5", "add/2x2x5x5_1x1x5x5_w", "softmax/2x2x5x5_a3",
                  "gemm/m5_n4_k5_nn_a4_b4", "copy/2x5x2x4_f40.4.20.1_t40.8.4.1"));
  EXPECT_EQ(attention.outputs[0].shape, (Dims{2, 5, 8}));
  EXPECT_EQ(attention.outputs[0].type, "float");
  EXPECT_EQ(graph.compulsory.weights.bytes, 8 * 24);
}

TEST(Contrib, AttentionOfBytesWithMoreThanThatIsNamedWithItsWeights) {
  const LoweredGraph graph = quantized_attention({{"num_heads", 2}, {"newest", 1}});
  ASSERT_EQ(graph.layers.size(), 1U);
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{2, 5, 8}));
  EXPECT_EQ(graph.compulsory.weights.bytes, 8 * 24);
}

TEST(Contrib, PagesKeepTheirTypes) {
  Model model = runtime().input("q", {7, 16}).input("k", {7, 8}).input("v", {7, 8});
  model.input("kc", {9, 16, 2, 4}, TensorProto::INT8).input("vc", {9, 16, 2, 4}, TensorProto::INT8);
  model.input("sums", {3}, TensorProto::INT32).input("past", {2}, TensorProto::INT32);
  model.input("pages", {2, 4}, TensorProto::INT32);
  add_microsoft(model, "PagedAttention", {"q", "k", "v", "kc", "vc", "sums", "past", "pages"},
                {"y", "nk", "nv"}, {{"num_heads", 4}, {"kv_num_heads", 2}});
  const LoweredLayer layer = model.output("y").output("nk").output("nv").layer();
  EXPECT_EQ(layer.cost, Cost::unsupported);
  EXPECT_EQ(layer.outputs[0].shape, (Dims{7, 16}));
  EXPECT_EQ(layer.outputs[1].type, "int8");
  EXPECT_EQ(layer.outputs[1].shape, (Dims{9, 16, 2, 4}));
  // q, k, v and the result; seven new rows of each cache.
  EXPECT_EQ(layer.bytes, 7 * (16 + 8 + 8 + 16) * 4 + 2 * 7 * 8);
}

// Rows of 12 of one head, of whose first 8 the values are; and rows that are selected.
TEST(Contrib, PagesMayHoldValuesInKeysOrBeReadInPart) {
  Model latent = runtime().input("q", {7, 48}).input("k", {7, 12}).input("kc", {9, 16, 1, 12});
  latent.input("sums", {3}, TensorProto::INT32).integers("past", {5, 6});
  latent.input("pages", {2, 4}, TensorProto::INT32);
  add_microsoft(latent, "PagedAttention", {"q", "k", "", "kc", "", "sums", "past", "pages"},
                {"y", "nk"},
                {{"num_heads", 4},
                 {"kv_num_heads", 1},
                 {"v_head_size", 8},
                 {"kv_cache_layout", std::string("LATENT")}});
  const LoweredLayer layer = latent.output("y").output("nk").layer();
  EXPECT_EQ(layer.outputs[0].shape, (Dims{7, 32}));
  EXPECT_EQ(layer.bytes, (7 * (48 + 12 + 32) + (7 + 5 + 6) * 12) * 4);

  Model sparse = runtime().input("q", {7, 16}).input("k", {7, 8}).input("v", {7, 8});
  sparse.input("kc", {9, 16, 2, 4}).input("vc", {9, 16, 2, 4}).weights("norm", {4});
  sparse.input("sums", {3}, TensorProto::INT32).integers("past", {5, 6});
  std::vector<std::string> inputs{"q", "k", "v", "kc", "vc", "sums", "past"};
  inputs.resize(19);
  inputs[17] = inputs[18] = "norm";
  add_microsoft(sparse, "SparsePagedAttention", inputs, {"y", "nk", "nv"},
                {{"num_heads", 4}, {"kv_num_heads", 2}});
  // q, k, v and the result; seven new rows of each cache.
  EXPECT_EQ(sparse.output("y").output("nk").output("nv").layer().bytes,
            (7 * (16 + 8 + 8 + 16) + 2 * 7 * 8) * 4);
}

TEST(Contrib, EmbeddingsAreRowsASumAndANormalization) {
  Model model = runtime().input("ids", {2, 5}, TensorProto::INT32);
  model.input("mask", {2, 5}, TensorProto::INT32).weights("words", {100, 8});
  model.weights("places", {64, 8}).weights("g", {8}).weights("b", {8});
  add_microsoft(model, "EmbedLayerNormalization",
                {"ids", "", "words", "places", "", "g", "b", "mask"}, {"y", "count"},
                {{"epsilon", 1e-5F}});
  EXPECT_THAT(model.output("y").output("count").layer().problems,
              ElementsAre("copy/10_f1_t1", "copy/80_f1_t1", "copy/40_f1_t1", "add/2x5x8_1x5x8",
                          "layernorm/10x8_e1e-05_sb"));
}

TEST(Contrib, EmbeddingsThatAreNamedReadTheirRowsAlone) {
  Model model = runtime().input("ids", {2, 5}, TensorProto::INT32).weights("words", {100, 8});
  model.weights("places", {64, 8}).weights("g", {8}).weights("b", {8});
  add_microsoft(model, "EmbedLayerNormalization", {"ids", "", "words", "places", "", "g", "b"},
                {"y"}, {{"newest", 1}});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_EQ(layer.cost, Cost::unsupported);
  // Ten ids, ten rows of each table, two rows of factors, ten rows made.
  EXPECT_EQ(layer.bytes, 10 * 4 + 2 * 10 * 8 * 4 + 2 * 8 * 4 + 10 * 8 * 4);
}

TEST(Contrib, GatesAreFunctionsAndProducts) {
  Model both = runtime().input("x", {2, 3, 8});
  add_microsoft(both, "SwiGLU", {"x"}, {"y"}, {{"limit", 7.0F}, {"activation_beta", 1.0F}});
  const LoweredLayer halves = both.output("y").layer();
  EXPECT_THAT(
      halves.problems,
      ElementsAre("copy/6x4_f8.1_t4.1", "copy/6x4_f8.1_t4.1", "clip/2x3x4_a-3.4028235e+38_b7",
                  "clip/2x3x4_a-7_b7", "swish/2x3x4_a1", "linear/2x3x4_a1_b1", "mul/2x3x4_2x3x4"));
  EXPECT_EQ(halves.outputs[0].shape, (Dims{2, 3, 4}));
  Model apart = runtime().input("x", {2, 4}).input("up", {2, 4});
  add_microsoft(apart, "SwiGLU", {"x", "up"}, {"y"}, {{"activation_alpha", 1.5F}});
  EXPECT_THAT(apart.output("y").layer().problems, ElementsAre("swish/2x4_a1.5", "mul/2x4_2x4"));

  Model scaled = runtime().input("x", {2, 4}).input("s", {});
  add_microsoft(scaled, "ScaledSiLU", {"x"}, {"a"}, {{"alpha", 2.0F}});
  EXPECT_THAT(Model(scaled).output("a").layer().problems,
              ElementsAre("linear/2x4_a2_b0", "swish/2x4_a1"));
  add_microsoft(scaled, "ScaledSiLU", {"a", "s"}, {"y"});
  EXPECT_THAT(scaled.output("y").layer().problems, ElementsAre("mul/2x4_1x1", "swish/2x4_a1"));

  Model sum = runtime().input("x", {2, 4}).input("z", {2, 4}).input("g", {2, 1});
  sum.input("h", {2, 8}).weights("w", {8, 1});
  add_microsoft(sum, "GatedAdd", {"x", "z", "g"}, {"a"});
  EXPECT_THAT(Model(sum).output("a").layer().problems, ElementsAre("mul/2x4_2x1", "add/2x4_2x4"));
  add_microsoft(sum, "GatedAdd", {"x", "a", "h", "w"}, {"y"});
  EXPECT_THAT(sum.output("y").layer().problems,
              ElementsAre("gemm/m2_n1_k8_nn_w", "sigmoid/2x1", "mul/2x4_2x1", "add/2x4_2x4"));
}

TEST(Contrib, IndicesPickRuns) {
  Model model = runtime().input("x", {5, 6, 7}).input("i", {3, 2}, TensorProto::INT64);
  add_microsoft(model, "GatherND", {"x", "i"}, {"y"});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_EQ(layer.outputs[0].shape, (Dims{3, 7}));
  EXPECT_THAT(layer.problems, ElementsAre("copy/21_f1_t1"));
}

TEST(Contrib, ConvolutionsOfBytesAreThoseOfOnnx) {
  Model model = runtime().input("x", {1, 3, 8, 8}, TensorProto::UINT8).scalar("s", 0.5F);
  stored(model, "z", {}, TensorProto::UINT8);
  stored(model, "w", {4, 3, 3, 3}, TensorProto::INT8);
  add_microsoft(model, "QLinearConv", {"x", "s", "z", "w", "s", "", "s", "z"}, {"y"});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_THAT(layer.problems, ElementsAre("conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1_u8"));
  EXPECT_EQ(layer.precision, "int8");
  EXPECT_EQ(layer.outputs[0].shape, (Dims{1, 4, 6, 6}));
}

TEST(Contrib, SumsWithBiases) {
  Model model = runtime().input("x", {2, 3, 4}).input("skip", {2, 3, 4}).weights("b", {4});
  add_microsoft(model, "BiasAdd", {"x", "b", "skip"}, {"s"});
  EXPECT_THAT(Model(model).output("s").layer().problems,
              ElementsAre("add/2x3x4_1x1x4_w", "add/2x3x4_2x3x4"));
  model.input("mask", {2, 1, 4});
  add_microsoft(model, "BiasSoftmax", {"s", "mask"}, {"y"}, {{"axis", 2}});
  EXPECT_THAT(model.output("y").layer().problems,
              ElementsAre("add/2x3x4_2x1x4", "softmax/2x3x4_a2"));
}

TEST(Contrib, ProductsWithAFunction) {
  Model model = runtime().input("x", {2, 4}).weights("w", {4, 8}).weights("b", {8});
  add_microsoft(model, "GemmFastGelu", {"x", "w", "b"}, {"y"});
  EXPECT_THAT(model.output("y").layer().problems,
              ElementsAre("gemm/m2_n8_k4_nn_w", "add/2x8_1x8_w", "gelutanh/2x8"));
  Model fused = runtime().input("x", {4, 2}).weights("w", {4, 8});
  add_microsoft(fused, "FusedMatMulActivation", {"x", "w"}, {"y"},
                {{"transA", 1}, {"activation", "Relu"}});
  EXPECT_THAT(fused.output("y").layer().problems, ElementsAre("gemm/m2_n8_k4_tn_w", "relu/2x8"));
}

}  // namespace
}  // namespace benanza::onnx
