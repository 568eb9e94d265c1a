// GroupQueryAttention: grouped heads, rotations, windows and caches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "generator/generate.h"
#include "generator/tests/onnx/attentions.h"
#include "generator/tests/onnx/group_query.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(GroupQueryAttention, IsCausalWithOrWithoutAWindow) {
  EXPECT_THAT(fused(group_query(-1)), ElementsAre("attention/1x4x5x4_k2x5x4_s0.5_causal"));
  // ONNX Runtime 1.32: each query attends to itself and the two keys before it.
  EXPECT_THAT(fused(group_query(3)), ElementsAre("attention/1x4x5x4_k2x5x4_s0.5_causal_w3"));
}

TEST(GroupQueryAttention, OfCappedScoresIsOneCall) {
  Model model = group_query(3);
  auto* const attribute = model.last().add_attribute();
  attribute->set_name("softcap");
  attribute->set_type(::onnx::AttributeProto::FLOAT);
  attribute->set_f(50);
  EXPECT_THAT(fused(model), ElementsAre("attention/1x4x5x4_k2x5x4_s0.5_causal_w3_cap50"));
}

TEST(GroupQueryAttention, SplitsRotatesAndAppends) {
  EXPECT_THAT(
      rotated(2, 8).layer().problems,
      ElementsAre("copy/4x2x4_f4.32.1_t8.4.1", "copy/2x2x4_f4.32.1_t8.4.1",
                  "rotary/1x4x2x4_t1x1x2x2", "rotary/1x2x2x4_t1x1x2x2", "copy/2x8_f8.1_t40.1",
                  "copy/2x2x4_f4.32.1_t40.4.1", "gemm/m4_n10_k4_nt_a2_b2_cache",
                  "add/1x4x2x10_1x1x2x10_w", "softmax/1x4x2x10_a3", "gemm/m4_n4_k10_nn_a2_b2_cache",
                  "copy/2x4x4_f4.8.1_t16.4.1"));
}

TEST(GroupQueryAttention, MayStateHowMuchOfARowIsRotated) {
  const auto stating = [](std::int64_t elements) {
    Model model = rotated(1, 8);
    auto* const attribute = model.last().add_attribute();
    attribute->set_name("rotary_embedding_dim");
    attribute->set_type(::onnx::AttributeProto::INT);
    attribute->set_i(elements);
    return model.layer();
  };
  EXPECT_EQ(stating(4).problems, rotated(1, 8).layer().problems) << stating(4).reason;
  EXPECT_THROW(stating(2), Error) << "the tables are for four";
}

TEST(GroupQueryAttention, IsOneCallWithWhatThatCallDoesNotDo) {
  const auto prompt = attentions(rotated(5, 0).import());
  ASSERT_EQ(prompt.size(), 1U);
  EXPECT_EQ(prompt[0].problem, "attention/1x4x5x4_k2x5x4_s0.5_causal");
  EXPECT_THAT(prompt[0].also, ElementsAre("rotary/1x4x5x4_t1x1x5x2", "rotary/1x2x5x4_t1x1x5x2"));
  // The only query sees all keys, so its call needs no mask.
  const auto step = attentions(rotated(1, 8).import());
  ASSERT_EQ(step.size(), 1U);
  EXPECT_EQ(step[0].problem, "attention/1x4x1x4_k2x9x4_s0.5");
  EXPECT_THAT(step[0].also, SizeIs(2));
  EXPECT_EQ(attentions(rotated(1, 8, 3).import()).at(0).problem, "attention/1x4x1x4_k2x3x4_s0.5")
      << "the keys of the window alone";
  // With more keys than queries, few libraries know where a causal mask lies.
  const auto several = attentions(rotated(2, 8).import());
  ASSERT_EQ(several.size(), 2U);
  EXPECT_EQ(several[0].problem, "attention/1x4x2x4_k2x10x4_s0.5_causal");
  EXPECT_EQ(several[1].problem, "attention/1x4x2x4_k2x10x4_s0.5_m1x1x2x10");
}

/// One new token behind 8, with a cache of `rows` of type `type`; `total` tokens if not 0.
Model cached(std::int64_t rows, std::int64_t total, int type, std::int64_t row_length,
             Attributes attributes, bool hands_out_scores = false) {
  Model model(17);
  model.domain("com.microsoft", 1);
  model.input("q", {1, 1, 16}).input("k", {1, 1, 8}).input("v", {1, 1, 8});
  model.input("pk", {1, 2, rows, row_length}, type).input("pv", {1, 2, rows, row_length}, type);
  model.input("lengths", {1}, ::onnx::TensorProto::INT32);
  model.input("scale", {1});
  if (total > 0) {
    model.integers("total", {total});
  } else {
    model.input("total", {1}, ::onnx::TensorProto::INT32);
  }
  model.node("GroupQueryAttention",
             {"q", "k", "v", "pk", "pv", "lengths", "total", "", "", "", "", "", "scale", "scale"},
             {"y", "nk", "nv"}, attributes);
  model.last().set_domain("com.microsoft");
  if (hands_out_scores) {
    model.last().add_output("qk");
    model.output("qk");
  }
  model.output("y").output("nk").output("nv");
  return model;
}

/// Scaled as a whole.
auto cached_in_bytes(int type) {
  return cached(8, 0, type, 4,
                {{"num_heads", 4},
                 {"kv_num_heads", 2},
                 {"k_quant_type", "PER_TENSOR"},
                 {"v_quant_type", "PER_TENSOR"},
                 {"kv_cache_bit_width", 8}});
}

/// 17: float8e4m3fn, which older protobuf definitions do not name.
TEST(GroupQueryAttention, ACacheOfBytesIsConvertedAndMultiplied) {
  for (const int type : {int{::onnx::TensorProto::INT8}, int{::onnx::TensorProto::UINT8}, 17}) {
    const LoweredGraph graph = cached_in_bytes(type).import();
    const LoweredLayer& layer = graph.layers[0];
    // One new row and nine that are seen, of two heads.
    EXPECT_THAT(layer.problems,
                ElementsAre("quantize/1x2x1x4", "dequantize/1x2x9x4", "quantize/1x2x1x4",
                            "dequantize/1x2x9x4", "gemm/m2_n9_k4_nt_a2_b2", "softmax/1x4x1x9_a3",
                            "gemm/m2_n4_k9_nn_a2_b2"))
        << layer.reason;
    EXPECT_EQ(layer.outputs[1].shape, (Dims{1, 2, 9, 4}));
    // The caches as stored, and one new row of each.
    EXPECT_EQ(graph.compulsory.inputs.bytes, 2 * 2 * 8 * 4);
    EXPECT_EQ(graph.compulsory.outputs.bytes, 2 * 2 * 1 * 4);
    const auto one_call = attentions(graph);
    ASSERT_EQ(one_call.size(), type == 17 ? 2U : 1U);
    EXPECT_THAT(one_call[0].also, ElementsAre("quantize/1x2x1x4", "dequantize/1x2x9x4",
                                              "quantize/1x2x1x4", "dequantize/1x2x9x4"));
  }
}

// A call that multiplies 8-bit floats; new rows are converted, the cache is not.
TEST(GroupQueryAttention, ACacheOfFloatsOfBytesIsReadAsItIsStored) {
  const auto of_floats = attentions(cached_in_bytes(17).import());
  ASSERT_EQ(of_floats.size(), 2U);
  EXPECT_EQ(of_floats[0].problem, "attention/1x4x1x4_k2x9x4_s0.5_new");
  EXPECT_EQ(of_floats[1].problem, "attention/1x4x1x4_k2x9x4_s0.5_packed.fp8");
  EXPECT_THAT(of_floats[1].also, ElementsAre("quantize/1x2x1x4", "quantize/1x2x1x4"));
  EXPECT_TRUE(of_floats[1].whole);
  // q, k, v, two scales and y; 8 rows that are seen and one that is added, of 2 heads of 4 bytes.
  const auto moved = cached_in_bytes(17).import().layers[0].compulsory;
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->inputs, (Traffic{.elements = 16 + 8 + 8 + 2, .bytes = 2 * 8 * 2 * 4}));
  EXPECT_EQ(moved->outputs, (Traffic{.elements = 16, .bytes = 2 * 2 * 4}));
}

/// A cache of 8 rows with a window of 4, or of 16 rows of which 9 are filled.
Model windowed(int type, std::int64_t rows, std::int64_t row_length, std::int64_t bits) {
  return cached(rows, rows == 8 ? 0 : 9, type, row_length,
                {{"num_heads", 4},
                 {"kv_num_heads", 2},
                 {"k_quant_type", "PER_TENSOR"},
                 {"v_quant_type", "PER_TENSOR"},
                 {"local_window_size", 4},
                 {"kv_cache_bit_width", bits}});
}

TEST(GroupQueryAttention, OfAStoredCacheTheRowsOfTheWindowAreConverted) {
  for (const std::int64_t rows : {8, 16}) {
    for (const int type : {int{::onnx::TensorProto::INT8}, 17}) {
      const LoweredGraph graph = windowed(type, rows, 4, 8).import();
      EXPECT_THAT(graph.layers[0].problems,
                  ElementsAre("quantize/1x2x1x4", "dequantize/1x2x4x4", "quantize/1x2x1x4",
                              "dequantize/1x2x4x4", "gemm/m2_n4_k4_nt_a2_b2", "softmax/1x4x1x4_a3",
                              "gemm/m2_n4_k4_nn_a2_b2"))
          << graph.layers[0].reason;
      // Of each cache, 3 earlier rows are read and one is written.
      EXPECT_EQ(graph.compulsory.inputs.bytes, 2 * 2 * 3 * 4);
      EXPECT_EQ(graph.compulsory.outputs.bytes, 2 * 2 * 1 * 4);
    }
  }
}

TEST(GroupQueryAttention, OfAStoredCacheWithAddendsOfAllKeysTheBytesAreThoseOfTheWindow) {
  Model model = windowed(::onnx::TensorProto::INT8, 8, 4, 8).input("bias", {1, 1, 1, 9});
  model.last().set_input(10, "bias");
  const LoweredLayer layer = model.layer();
  EXPECT_THAT(layer.reason, HasSubstr("addends of more keys"));
  EXPECT_EQ(layer.bytes, 50 * 4 + 2 * 2 * 4 * 4);
}

TEST(GroupQueryAttention, ACacheOfFourBitsIsNamedWithItsBytes) {
  // Floats as fp32: q and y 16 elements each, k and v 8, two scales: 50 elements. Of a window of
  // four, three rows are read of each cache and one is written, for 2 heads.
  const LoweredLayer nibbles = windowed(::onnx::TensorProto::UINT8, 8, 2, 4).layer();
  EXPECT_EQ(nibbles.cost, Cost::unsupported);
  EXPECT_THAT(nibbles.reason, HasSubstr("4-bit"));
  EXPECT_EQ(nibbles.bytes, 50 * 4 + 2 * 2 * 4 * 2);
  EXPECT_EQ(nibbles.outputs[2].shape, (Dims{1, 2, 9, 2}));
}

TEST(GroupQueryAttention, ARefusedOneMovesWhatItSees) {
  const auto layer = [](std::int64_t window) {
    return cached(8, 9, ::onnx::TensorProto::FLOAT, 4,
                  {{"num_heads", 4},
                   {"kv_num_heads", 2},
                   {"qk_output", 1},
                   {"local_window_size", window}},
                  true)
        .layer();
  };
  EXPECT_THAT(layer(3).reason, HasSubstr("scores of keys that no query sees"));
  // 50 elements besides the cache, as above; 2 earlier rows of a window of 3, and a new one.
  EXPECT_EQ(layer(3).bytes, (50 + 2 * 2 * 3 * 4) * 4);
  // Without a window the scores are what the softmax reads.
  ASSERT_EQ(layer(-1).cost, Cost::measured) << layer(-1).reason;
  EXPECT_EQ(layer(-1).outputs[3].shape, (Dims{1, 4, 1, 9}));
  EXPECT_EQ(layer(-1).problems[2], "gemm/m2_n9_k4_nt_a2_b2_cache");
  EXPECT_EQ(layer(-1).calls[2].output, 3);
}

/// With a sink for each of 4 heads, or one of all; `past` keys of earlier runs, if any.
Model sinking(std::int64_t queries, std::int64_t past, bool of_heads) {
  Model model(17);
  model.domain("com.microsoft", 1);
  model.input("q", {1, queries, 16}).input("k", {1, queries, 8}).input("v", {1, queries, 8});
  model.weights("sink", {4});
  std::vector<std::string> inputs{"q", "k", "v", "", "", "", "", "", "", "", "", ""};
  if (of_heads) inputs.back() = "sink";
  if (past > 0) {
    model.input("pk", {1, 2, past, 4}).input("pv", {1, 2, past, 4});
    inputs[3] = "pk";
    inputs[4] = "pv";
  }
  model.node("GroupQueryAttention", inputs, {"y", "nk", "nv"},
             {{"num_heads", 4}, {"kv_num_heads", 2}, {"smooth_softmax", of_heads ? 0 : 1}});
  model.last().set_domain("com.microsoft");
  return model.output("y").output("nk").output("nv");
}

// One more column, of which the softmax's result is left out.
TEST(GroupQueryAttention, ASinkIsAColumnOfTheSoftmax) {
  EXPECT_THAT(
      sinking(5, 0, true).layer().problems,
      ElementsAre("copy/4x5x4_f4.16.1_t20.4.1", "copy/2x5x4_f4.8.1_t20.4.1",
                  "copy/2x5x4_f4.8.1_t20.4.1", "gemm/m10_n5_k4_nt_a2_b2", "add/1x4x5x5_1x1x5x5_w",
                  "copy/4x5_f1.0_t5.1", "concat/1x4x5x5_1x4x5x1_a3", "softmax/1x4x5x6_a3",
                  "copy/20x5_f6.1_t5.1", "gemm/m10_n4_k5_nn_a2_b2", "copy/5x4x4_f4.20.1_t16.4.1"));
  EXPECT_THAT(fused(sinking(5, 0, true)), ElementsAre("attention/1x4x5x4_k2x5x4_s0.5_causal_sink"));
  EXPECT_THAT(fused(sinking(1, 8, false)), ElementsAre("attention/1x4x1x4_k2x9x4_s0.5_sink"));
}

TEST(GroupQueryAttention, ASinkOfOneQueryIsReadWhereItIs) {
  const LoweredLayer layer = sinking(1, 8, true).layer();
  EXPECT_THAT(layer.problems, ElementsAre("copy/2x4_f4.1_t36.1", "copy/2x4_f4.1_t36.1",
                                          "gemm/m2_n9_k4_nt_a2_b2_cache",
                                          "concat/1x4x1x9_1x4x1x1_a3", "softmax/1x4x1x10_a3",
                                          "copy/4x9_f10.1_t9.1", "gemm/m2_n4_k9_nn_a2_b2_cache"));
  EXPECT_EQ(layer.calls[3].operands[1], (Source{.kind = Source::Kind::input, .index = 11}));
}

TEST(GroupQueryAttention, ASmoothSoftmaxHasASinkOfZero) {
  const LoweredLayer layer = sinking(1, 8, false).layer();
  EXPECT_EQ(layer.problems, sinking(1, 8, true).layer().problems);
  EXPECT_EQ(layer.calls[3].operands[1],
            (Source{.kind = Source::Kind::attribute, .index = Source::zeros}));
}

TEST(GroupQueryAttention, SinksOfOtherThanOnePerHeadAreNamed) {
  Model model = sinking(5, 0, true);
  model.weights("more", {1, 4, 1, 1});
  model.last().set_input(11, "more");
  EXPECT_THAT(model.layer().reason, HasSubstr("sinks of 1x4x1x1 for 4 heads"));
}

TEST(GroupQueryAttention, AStoredCacheIsPartOfTheFloor) {
  const LoweredGraph graph = cached_in_bytes(::onnx::TensorProto::INT8).import();
  EXPECT_EQ(graph.compulsory.inputs.bytes, 2 * 2 * 8 * 4);
}

// Every run reads it, also where a call only writes new rows into it.
TEST(GroupQueryAttention, ACacheOfFloatsIsPartOfTheFloor) {
  const auto inputs = [](std::int64_t window) {
    return cached(8, 0, ::onnx::TensorProto::FLOAT, 4,
                  {{"num_heads", 4}, {"kv_num_heads", 2}, {"local_window_size", window}})
        .import()
        .compulsory.inputs.elements;
  };
  // q, k, v, and two caches of 2 heads with 8 rows of 4.
  EXPECT_EQ(inputs(-1), 16 + 8 + 8 + 2 * 2 * 8 * 4);
  EXPECT_EQ(inputs(9), inputs(-1)) << "the query and the eight rows before it";
  EXPECT_EQ(inputs(8), 16 + 8 + 8 + 2 * 2 * 7 * 4) << "seven of the eight rows";
}

TEST(GroupQueryAttention, AWindowedCacheKeepsItsRows) {
  const auto decoder = [](std::int64_t total) {
    return cached(8, total, ::onnx::TensorProto::FLOAT, 4,
                  {{"num_heads", 4},
                   {"kv_num_heads", 2},
                   {"local_window_size", 6},
                   {"sliding_window_cache", 1}});
  };
  EXPECT_EQ(decoder(100).layer().outputs[1].shape, (Dims{1, 2, 8, 4}));
  EXPECT_THAT(decoder(100).import().warnings, IsEmpty());
  EXPECT_EQ(attentions(decoder(100).import()).at(0).problem, "attention/1x4x1x4_k2x6x4_s0.5");
  EXPECT_EQ(attentions(decoder(3).import()).at(0).problem, "attention/1x4x1x4_k2x3x4_s0.5")
      << "the third token of all";
}

TEST(GroupQueryAttention, ACacheSmallerThanItsWindowIsNamed) {
  const LoweredLayer layer = cached(8, 100, ::onnx::TensorProto::FLOAT, 4,
                                    {{"num_heads", 4},
                                     {"kv_num_heads", 2},
                                     {"local_window_size", 9},
                                     {"sliding_window_cache", 1}})
                                 .layer();
  EXPECT_THAT(layer.reason, HasSubstr("a cache of 8 keys for a window of 9"));
  EXPECT_EQ(layer.outputs[1].shape, (Dims{1, 2, 8, 4}));
}

TEST(GroupQueryAttention, ACacheWithRoomKeepsItsExtents) {
  const Model model =
      cached(64, 9, ::onnx::TensorProto::FLOAT, 4, {{"num_heads", 4}, {"kv_num_heads", 2}});
  EXPECT_EQ(model.layer().outputs[1].shape, (Dims{1, 2, 64, 4}));
  EXPECT_EQ(attentions(model.import()).at(0).problem, "attention/1x4x1x4_k2x9x4_s0.5");
}

TEST(GroupQueryAttention, NormalizesHeadsAndMaySeeAll) {
  Model model(17);
  model.domain("com.microsoft", 1);
  model.input("q", {1, 5, 16}).input("k", {1, 5, 8}).input("v", {1, 5, 8});
  model.weights("qn", {4}).weights("kn", {4});
  model.node("GroupQueryAttention",
             {"q", "k", "v", "", "", "", "", "", "", "", "", "", "", "", "qn", "kn"}, {"y"},
             {{"num_heads", 4}, {"kv_num_heads", 2}, {"causal", 0}});
  model.last().set_domain("com.microsoft");
  model.output("y");
  const auto found = attentions(model.import());
  ASSERT_EQ(found.size(), 1U) << model.layer().reason;
  EXPECT_EQ(found[0].problem, "attention/1x4x5x4_k2x5x4_s0.5");
  EXPECT_THAT(found[0].also, ElementsAre("rmsnorm/20x4_e1e-06_s", "rmsnorm/10x4_e1e-06_s"));
}

TEST(GroupQueryAttention, AWindowOnBothSidesIsNamed) {
  EXPECT_THAT(group_query(3, 0).layer().reason, HasSubstr("a window on both sides"));
}

}  // namespace
}  // namespace benanza::onnx
