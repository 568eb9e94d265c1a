// GroupQueryAttention as one call, and the keys and values that it leaves to the next run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/generate.h"
#include "generator/tests/onnx/group_query.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

/// The calls that take the layer's place where one does `problem`.
std::vector<FlowCall> calls_with(const Model& model, const std::string& problem) {
  const GraphAndFlow made = make_graph_and_flow(model.import());
  for (std::size_t index = 0; index < made.graph.fusions.size(); ++index) {
    if (made.graph.fusions[index].problem == problem) return made.flow.value().fusions[index].calls;
  }
  return {};
}

std::vector<std::string> problems_of(const std::vector<FlowCall>& calls) {
  std::vector<std::string> problems;
  for (const FlowCall& call : calls) problems.push_back(call.problem);
  return problems;
}

/// The values go from their rows to the cache; the call reads the cache, and writes rows.
TEST(GroupQueryAttention, AsOneCallReadsAndWritesHeadsWhereTheyAre) {
  const std::string one = "attention/1x4x80x4_k2x88x4_s0.5_causal";
  const std::vector<FlowCall> calls = calls_with(rotated(80, 8), one);
  ASSERT_THAT(problems_of(calls),
              ElementsAre("copy/4x80x4_f4.32.1_t320.4.1", "copy/2x80x4_f4.32.1_t320.4.1",
                          "rotary/1x4x80x4_t1x1x80x2", "rotary/1x2x80x4_t1x1x80x2",
                          "copy/2x320_f320.1_t352.1", "copy/2x80x4_f4.32.1_t352.4.1", one));
  const FlowCall& attention = calls.back();
  std::vector<std::size_t> read;
  for (const FlowOperand& operand : attention.operands) {
    EXPECT_EQ(operand.kind, FlowOperand::Kind::call);
    EXPECT_THAT(operand.strides, IsEmpty());
    read.push_back(operand.index);
  }
  EXPECT_THAT(read, ElementsAre(2, 4, 5));
  // Four heads of four elements in a row.
  EXPECT_THAT(attention.result_strides, ElementsAre(16, 4, 16, 1));
}

/// Calls that take each query as a head need queries and results dense.
TEST(GroupQueryAttention, AsOneCallOfFewQueriesWritesHeads) {
  const std::string one = "attention/1x4x2x4_k2x10x4_s0.5_causal";
  const std::vector<FlowCall> calls = calls_with(rotated(2, 8), one);
  ASSERT_THAT(
      problems_of(calls),
      ElementsAre("copy/4x2x4_f4.32.1_t8.4.1", "copy/2x2x4_f4.32.1_t8.4.1",
                  "rotary/1x4x2x4_t1x1x2x2", "rotary/1x2x2x4_t1x1x2x2", "copy/2x8_f8.1_t40.1",
                  "copy/2x2x4_f4.32.1_t40.4.1", one, "copy/2x4x4_f4.8.1_t16.4.1"));
  EXPECT_THAT(calls[6].result_strides, IsEmpty());
}

/// A cache of fixed size, as exporters for accelerators write it: the last row is the new one.
TEST(GroupQueryAttention, OfACacheOfFixedSizeWritesIntoIt) {
  Model model = rotated(1, 128);
  for (const int index : {1, 2}) {
    auto& output = *model.graph().mutable_output(index)->mutable_type()->mutable_tensor_type();
    output.set_elem_type(::onnx::TensorProto::FLOAT);
    for (const int extent : {1, 2, 128, 4}) {
      output.mutable_shape()->add_dim()->set_dim_value(extent);
    }
  }
  const LoweredGraph graph = model.import();
  EXPECT_THAT(graph.taken,
              testing::ElementsAre(testing::Pair("length", 127), testing::Pair("total", 128)));
  EXPECT_THAT(graph.warnings, testing::ElementsAre("test.onnx: takes lengths to be the longest: as "
                                                   "with --input length=127 --input total=128"));
  EXPECT_EQ(graph.layers[0].outputs[1].shape, (Dims{1, 2, 128, 4}));
  EXPECT_THAT(graph.layers[0].problems, testing::Contains("gemm/m2_n128_k4_nt_a2_b2_cache"));
  EXPECT_EQ(graph.compulsory.inputs.elements, 32 + 2 * 2 * 127 * 4)
      << "this token's, and 127 earlier keys and values";
  EXPECT_EQ(graph.compulsory.outputs.elements, 16 + 2 * 2 * 4);
  EXPECT_EQ(graph.layers[0].reason, "its sequences are taken to fill the caches");
  EXPECT_EQ(rotated(1, 128).layer().reason, "") << "the cache grows by a row";
}

/// A prompt that fills its caches: attention reads what was written to them.
TEST(GroupQueryAttention, AsOneCallStillFillsCaches) {
  Model model = group_query(-1);
  model.input("pk", {1, 2, 5, 4}).input("pv", {1, 2, 5, 4}).input("length", {1});
  model.integers("total", {5});
  for (const char* more : {"pk", "pv", "length", "total"}) model.last().add_input(more);
  for (const char* present : {"nk", "nv"}) model.last().add_output(present);
  const GraphAndFlow made = make_graph_and_flow(model.output("nk").output("nv").import());
  std::vector<std::size_t> written;
  for (const FlowFusion& fusion : made.flow.value().fusions) {
    for (const FlowCall& call : fusion.calls) written.push_back(call.output);
  }
  EXPECT_THAT(written, IsSupersetOf({0U, 1U, 2U}));
}

// Attention reads them where they came from, but their copies are what the node hands out.
TEST(GroupQueryAttention, AsOneCallStillHandsOutTheFirstKeysAndValues) {
  Model model = group_query(-1);
  for (const char* present : {"nk", "nv"}) model.last().add_output(present);
  const std::vector<FlowCall> calls =
      calls_with(model.output("nk").output("nv"), "attention/1x4x5x4_k2x5x4_s0.5_causal");
  std::vector<std::size_t> written;
  for (const FlowCall& call : calls) written.push_back(call.output);
  EXPECT_THAT(written, IsSupersetOf({0U, 1U, 2U}));
  ASSERT_FALSE(calls.empty());
  for (const FlowOperand& operand : calls.back().operands) {
    EXPECT_EQ(operand.kind, FlowOperand::Kind::tensor);
  }
}

/// Which of the node's outputs each call of the layer writes.
std::vector<int> written_by(const Model& model) {
  std::vector<int> outputs;
  const LoweredLayer layer = model.layer();
  for (const Call& call : layer.calls) outputs.push_back(call.output);
  return outputs;
}

// Without earlier keys and values, what the new ones are made by writes the cache, too.
TEST(GroupQueryAttention, HandsOutTheFirstKeysAndValues) {
  EXPECT_THAT(
      rotated(5, 0).layer().problems,
      ElementsAre("copy/4x5x4_f4.32.1_t20.4.1", "copy/2x5x4_f4.32.1_t20.4.1",
                  "copy/2x5x4_f4.32.1_t20.4.1", "rotary/1x4x5x4_t1x1x5x2",
                  "rotary/1x2x5x4_t1x1x5x2", "gemm/m10_n5_k4_nt_a2_b2", "add/1x4x5x5_1x1x5x5_w",
                  "softmax/1x4x5x5_a3", "gemm/m10_n4_k5_nn_a2_b2", "copy/5x4x4_f4.20.1_t16.4.1"));
  EXPECT_THAT(written_by(rotated(5, 0)), ElementsAre(0, 0, 2, 0, 1, 0, 0, 0, 0, 0));
  Model empty = rotated(5, 0);
  empty.input("pk", {1, 2, 0, 4}).input("pv", {1, 2, 0, 4});
  *empty.last().mutable_input(3) = "pk";
  *empty.last().mutable_input(4) = "pv";
  EXPECT_THAT(written_by(empty), ElementsAre(0, 0, 2, 0, 1, 0, 0, 0, 0, 0)) << "caches of no rows";
  EXPECT_THAT(written_by(rotated(1, 0)), IsSupersetOf({1, 2})) << "where heads of one row move";
}

// One head fills its rows, so that no call makes it.
TEST(GroupQueryAttention, CopiesAFirstHeadThatNoCallMakes) {
  Model model(17);
  model.domain("com.microsoft", 1);
  model.input("q", {1, 5, 8}).input("k", {1, 5, 4}).input("v", {1, 5, 4});
  model.node("GroupQueryAttention", {"q", "k", "v"}, {"y", "nk", "nv"},
             {{"num_heads", 2}, {"kv_num_heads", 1}});
  model.last().set_domain("com.microsoft");
  model.output("y").output("nk").output("nv");
  const auto layer = model.layer();
  EXPECT_EQ(layer.problems[1], "copy/20_f1_t1");
  EXPECT_EQ(layer.problems[2], "copy/20_f1_t1");
  EXPECT_EQ(layer.calls[1].output, 1);
  EXPECT_EQ(layer.calls[2].output, 2);
}

/// A cache with room: the keys of a head are followed by rows that nobody sees.
TEST(GroupQueryAttention, AsOneCallLeavesOutTheRoomOfACache) {
  Model model = rotated(1, 16);
  model.integers("total", {9});
  const GraphAndFlow made = make_graph_and_flow(model.import());
  for (std::size_t index = 0; index < made.graph.fusions.size(); ++index) {
    if (made.graph.fusions[index].problem != "attention/1x4x1x4_k2x9x4_s0.5") continue;
    const FlowCall& attention = made.flow.value().fusions[index].calls.back();
    EXPECT_THAT(attention.operands[1].strides, ElementsAre(128, 64, 4, 1));
    EXPECT_FALSE(attention.proxy);
    return;
  }
  FAIL() << "no such fusion";
}

/// A layer that reads the keys and values of another one: its own have no rows. 4 heads of 4, and 2
/// for the cache.
Model reading_cache(std::int64_t queries, std::int64_t past, int type = ::onnx::TensorProto::FLOAT,
                    std::int64_t window = -1) {
  Model model(17);
  model.domain("com.microsoft", 1).input("q", {1, queries, 16});
  model.input("k", {1, 0, 8}).input("v", {1, 0, 8}).input("length", {1});
  model.input("pk", {1, 2, past, 4}, type).input("pv", {1, 2, past, 4}, type);
  model.weights("cos", {64, 2}).weights("sin", {64, 2}).scalar("s", 0.5F);
  const char* const mode = type == ::onnx::TensorProto::FLOAT ? "NONE" : "PER_TENSOR";
  model.node("GroupQueryAttention",
             {"q", "k", "v", "pk", "pv", "length", "total", "cos", "sin", "", "", "", "s", "s"},
             {"y", "nk", "nv"},
             {{"num_heads", 4},
              {"kv_num_heads", 2},
              {"do_rotary", 1},
              {"k_quant_type", std::string(mode)},
              {"v_quant_type", std::string(mode)},
              {"local_window_size", window}});
  model.last().set_domain("com.microsoft");
  return model.output("y").output("nk").output("nv");
}

// The query alone is rotated, and sees all 9 keys; nothing is written to the cache.
TEST(GroupQueryAttention, WithoutNewKeysReadsTheCacheOfAnotherLayer) {
  const LoweredGraph graph = reading_cache(1, 9).input("total", {1}).import();
  EXPECT_THAT(graph.layers[0].problems,
              ElementsAre("rotary/1x4x1x4_t1x1x1x2", "gemm/m2_n9_k4_nt_a2_b2_cache",
                          "softmax/1x4x1x9_a3", "gemm/m2_n4_k9_nn_a2_b2_cache"));
  EXPECT_EQ(graph.layers[0].outputs[1].shape, (Dims{1, 2, 9, 4}));
  EXPECT_EQ(graph.compulsory.inputs, (Traffic{.elements = 16 + 2 * 2 * 9 * 4}));
  EXPECT_EQ(graph.compulsory.outputs, (Traffic{.elements = 16}));
}

TEST(GroupQueryAttention, WithoutNewKeysReadsThePartThatIsFilled) {
  const LoweredGraph graph = reading_cache(1, 9).integers("total", {5}).import();
  EXPECT_THAT(graph.layers[0].problems, testing::Contains("softmax/1x4x1x5_a3"));
  EXPECT_EQ(graph.compulsory.inputs, (Traffic{.elements = 16 + 2 * 2 * 5 * 4}));
  // Of 2 queries, the first one sees 3 keys and the second one its own, too.
  const LoweredGraph window =
      reading_cache(2, 9, ::onnx::TensorProto::FLOAT, 3).integers("total", {9}).import();
  EXPECT_EQ(window.compulsory.inputs, (Traffic{.elements = 32 + 2 * 2 * 4 * 4}));
}

TEST(GroupQueryAttention, WithoutNewKeysReadsACacheOfBytes) {
  const LoweredGraph graph =
      reading_cache(1, 9, ::onnx::TensorProto::INT8).input("total", {1}).import();
  EXPECT_THAT(
      graph.layers[0].problems,
      ElementsAre("rotary/1x4x1x4_t1x1x1x2", "dequantize/1x2x9x4", "dequantize/1x2x9x4",
                  "gemm/m2_n9_k4_nt_a2_b2", "softmax/1x4x1x9_a3", "gemm/m2_n4_k9_nn_a2_b2"));
  EXPECT_EQ(graph.compulsory.inputs, (Traffic{.elements = 16, .bytes = 2 * 2 * 9 * 4}));
  EXPECT_EQ(graph.compulsory.outputs, (Traffic{.elements = 16}));
}

/// 2 queries behind 8 keys, with a window of 3: together they see the last 2 of these and their
/// own.
TEST(GroupQueryAttention, QueriesOfAWindowReadNoKeysBeforeIt) {
  const LoweredGraph graph = rotated(2, 8, 3).import();
  EXPECT_THAT(graph.layers[0].problems,
              IsSupersetOf({"gemm/m4_n4_k4_nt_a2_b2_cache", "softmax/1x4x2x4_a3",
                            "gemm/m4_n4_k4_nn_a2_b2_cache"}));
  EXPECT_EQ(graph.compulsory.inputs, (Traffic{.elements = 2 * 32 + 2 * 2 * 2 * 4}));
}

}  // namespace
}  // namespace benanza::onnx
