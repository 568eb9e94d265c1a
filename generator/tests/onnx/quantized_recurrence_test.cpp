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

// No call takes sums of the states: the weights stay packed, the data are floats.
TEST(StoredTensors, OfAnLstmOfBytesWithZeroPointsArePacked) {
  Model model(13);
  model.input("xi", {20, 1, 32}, TensorProto::UINT8).scalar("s", 0.1F);
  stored(model, "z", {}, TensorProto::UINT8);
  stored(model, "wb", {1, 256, 32}, TensorProto::UINT8);
  stored(model, "rb", {1, 256, 64}, TensorProto::UINT8);
  for (const std::string name : {"w", "r"}) {
    model.node("DequantizeLinear", {name + "b", "s", "z"}, {name});
  }
  model.node("DequantizeLinear", {"xi", "s", "z"}, {"x"});
  model.node("LSTM", {"x", "w", "r"}, {"y"}, {{"hidden_size", 64}});
  const LoweredGraph graph = model.output("y").import();
  const LoweredLayer& layer = graph.layers.back();
  EXPECT_THAT(layer.problems, ElementsAre("lstm/t20_n1_i32_h64_l1_forward_packed.uint8.z"));
  EXPECT_EQ(layer.precision, "");
  EXPECT_EQ(graph.compulsory.weights, (Traffic{.elements = 1, .bytes = 256 * (32 + 64) + 1}));
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
