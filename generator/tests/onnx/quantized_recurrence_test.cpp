// LSTMs whose weights a file stores in 8 bits.
#include <gmock/gmock.h>

#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;
using testing::HasSubstr;

/// 20 steps of 32 inputs, 64 hidden units; the weights, of `type`, are inputs x gates.
Model dynamic_lstm(int type, std::vector<std::string> states = {"", ""}) {
  Model model(13);
  model.domain("com.microsoft", 1).input("x", {20, 1, 32}).scalar("s", 0.1F);
  model.input("h", {1, 1, 64}).input("c", {1, 1, 64}).weights("b", {1, 512});
  stored(model, "w", {1, 32, 256}, type);
  stored(model, "r", {1, 64, 256}, type);
  stored(model, "z", {1}, type);
  add_microsoft(model, "DynamicQuantizeLSTM",
                {"x", "w", "r", "b", "", states[0], states[1], "", "s", "z", "s", "z"},
                {"y", "last"}, {{"hidden_size", 64}});
  return model.output("y").output("last");
}

TEST(DynamicQuantizeLstm, IsAnLstmOfBytes) {
  const LoweredGraph graph = dynamic_lstm(TensorProto::INT8, {"h", "c"}).import();
  ASSERT_EQ(graph.layers.size(), 1U);
  EXPECT_EQ(*graph.layers[0].outputs[0].shape, (Dims{20, 1, 1, 64}));
  EXPECT_EQ(graph.layers[0].cost, Cost::measured);
  EXPECT_THAT(graph.layers[0].problems,
              ElementsAre("lstm/t20_n1_i32_h64_l1_forward_bias_initial_final"));
  EXPECT_EQ(graph.layers[0].precision, "int8");
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 512, .bytes = (32 + 64) * 256}));
}

TEST(DynamicQuantizeLstm, HasTheBatchBesideTheSteps) {
  EXPECT_THAT(dynamic_lstm(TensorProto::INT8).import({.batch = 7, .dims = {}}).layers[0].problems,
              ElementsAre("lstm/t20_n7_i32_h64_l1_forward_bias_final"));
}

TEST(DynamicQuantizeLstm, OfOtherWeightsIsNamed) {
  const LoweredGraph graph = dynamic_lstm(TensorProto::INT16).import();
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
  EXPECT_THAT(graph.layers[0].reason, HasSubstr("weights of int16"));
}

/// An LSTM with weights that a DequantizeLinear makes of bytes: those of the input, or all.
LoweredGraph lstm_of_stored(bool all) {
  Model model(13);
  model.input("x", {20, 1, 32}).scalar("s", 0.1F).weights("floats", {1, 256, 64});
  stored(model, "wb", {1, 256, 32}, TensorProto::INT8);
  stored(model, "rb", {1, 256, 64}, TensorProto::INT8);
  model.node("DequantizeLinear", {"wb", "s"}, {"w"}).node("DequantizeLinear", {"rb", "s"}, {"r"});
  model.node("LSTM", {"x", "w", all ? "r" : "floats"}, {"y"}, {{"hidden_size", 64}});
  return model.output("y").import();
}

/// A recurrence of `gates` gates between a DequantizeLinear of its data and others of its weights.
LoweredGraph recurrence_of_bytes(const std::string& op, std::int64_t gates, int type) {
  Model model(13);
  model.input("xi", {20, 1, 32}, TensorProto::UINT8).scalar("s", 0.1F);
  stored(model, "xz", {}, TensorProto::UINT8);
  stored(model, "z", {}, type);
  stored(model, "wb", {1, gates * 64, 32}, type);
  stored(model, "rb", {1, gates * 64, 64}, type);
  const bool is_signed = type == TensorProto::INT8;
  for (const std::string name : {"w", "r"}) {
    std::vector<std::string> inputs{name + "b", "s"};
    if (!is_signed) inputs.emplace_back("z");
    model.node("DequantizeLinear", inputs, {name});
  }
  model.node("DequantizeLinear", {"xi", "s", "xz"}, {"x"});
  model.node(op, {"x", "w", "r"}, {"y"}, {{"hidden_size", std::int64_t{64}}});
  return model.output("y").import();
}

// No call takes sums of the states: the weights stay packed, the data are floats.
TEST(StoredTensors, OfAnLstmOfBytesWithZeroPointsArePacked) {
  const LoweredGraph graph = recurrence_of_bytes("LSTM", 4, TensorProto::UINT8);
  const LoweredLayer& layer = graph.layers.back();
  EXPECT_THAT(layer.problems, ElementsAre("lstm/t20_n1_i32_h64_l1_forward_packed.uint8.z"));
  EXPECT_EQ(layer.precision, "");
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 1, .bytes = 256 * (32 + 64) + 1}));
}

// No library here has other recurrences of bytes than the LSTM.
TEST(StoredTensors, OfAGruOfBytesArePacked) {
  const LoweredGraph gru = recurrence_of_bytes("GRU", 3, TensorProto::INT8);
  EXPECT_THAT(gru.layers.back().problems, ElementsAre("gru/t20_n1_i32_h64_l1_forward_packed.int8"));
  EXPECT_EQ(gru.layers.back().precision, "");
  EXPECT_EQ(gru.compulsory.weights, (Traffic{.elements = 1, .bytes = 192 * (32 + 64)}));
  EXPECT_EQ(recurrence_of_bytes("LSTM", 4, TensorProto::INT8).layers.back().precision, "int8");
}

TEST(StoredTensors, OfAnLstmArePackedIfAllAre) {
  EXPECT_THAT(lstm_of_stored(true).layers.back().problems,
              ElementsAre("lstm/t20_n1_i32_h64_l1_forward_packed.int8"));
  EXPECT_EQ(lstm_of_stored(true).compulsory.weights.bytes, 256 * (32 + 64));
  const LoweredLayer some = lstm_of_stored(false).layers.back();
  EXPECT_THAT(some.problems, ElementsAre("lstm/t20_n1_i32_h64_l1_forward"));
  EXPECT_THAT(some.reason, HasSubstr("stored as int8"));
}

}  // namespace
}  // namespace benanza::onnx
