// RNN, LSTM, GRU: attributes, optional inputs and outputs, and forms that no library supports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// 5 steps, 2 entries, 3 inputs, 4 hidden units.
struct Cell {
  std::string op = "LSTM";
  std::int64_t gates = 4;
  std::int64_t directions = 1;
  std::vector<std::string> inputs = {"x", "w", "r"};
  std::vector<std::string> outputs = {"y"};
  Dims input = {5, 2, 3};
};

Model model(const Cell& cell, Attributes attributes = {}, int opset = 14) {
  Model model(opset);
  model.input("x", cell.input)
      .weights("w", {cell.directions, cell.gates * 4, 3})
      .weights("r", {cell.directions, cell.gates * 4, 4})
      .weights("b", {cell.directions, cell.gates * 8})
      .weights("zero", {cell.directions, 2, 4})
      .weights("p", {cell.directions, 12})
      .input("h", {cell.directions, 2, 4})
      .input("c", {cell.directions, 2, 4});
  auto& lengths = *model.graph().add_initializer();
  lengths.set_name("lengths");
  lengths.set_data_type(::onnx::TensorProto::INT32);
  lengths.add_dims(2);
  for (const int length : {5, 5}) lengths.add_int32_data(length);
  model.node(cell.op, cell.inputs, cell.outputs, attributes);
  for (const std::string& output : cell.outputs) {
    if (!output.empty()) model.output(output);
  }
  return model;
}

/// Sets an attribute of strings, which Attributes cannot hold.
LoweredLayer with_activations(const Cell& cell, const std::vector<std::string>& names,
                              Attributes attributes = {}) {
  Model built = model(cell, attributes);
  auto& attribute = *built.last().add_attribute();
  attribute.set_name("activations");
  attribute.set_type(::onnx::AttributeProto::STRINGS);
  for (const std::string& name : names) attribute.add_strings(name);
  return built.layer();
}

TEST(Recurrent, TheBatchIsBesideTheSteps) {
  const Cell cell{.inputs = {"x", "w", "r", "", "", "h", "c"}};
  EXPECT_THAT(model(cell).layer({.batch = 7, .dims = {}}).problems,
              ElementsAre("lstm/t5_n7_i3_h4_l1_forward_initial"));
  EXPECT_EQ(model(cell).import({.batch = 7, .dims = {}}).batch, 7);
}

TEST(Recurrent, DefaultsAreForwardWithoutBiasAndFromZero) {
  EXPECT_THAT(model({}).layer().problems, ElementsAre("lstm/t5_n2_i3_h4_l1_forward"));
  EXPECT_THAT(model({.op = "GRU", .gates = 3}).layer().problems,
              ElementsAre("gru/t5_n2_i3_h4_l1_forward"));
  EXPECT_THAT(model({.op = "RNN", .gates = 1}).layer().problems,
              ElementsAre("rnntanh/t5_n2_i3_h4_l1_forward"));
}

TEST(Recurrent, Directions) {
  EXPECT_THAT(model({}, {{"direction", "reverse"}}).layer().problems,
              ElementsAre("lstm/t5_n2_i3_h4_l1_reverse"));
  EXPECT_THAT(model({.directions = 2}, {{"direction", "bidirectional"}}).layer().problems,
              ElementsAre("lstm/t5_n2_i3_h4_l1_bidirectional"));
}

TEST(Recurrent, GruStatesWhereItResets) {
  EXPECT_THAT(model({.op = "GRU", .gates = 3}, {{"linear_before_reset", 1}}).layer().problems,
              ElementsAre("gru/t5_n2_i3_h4_l1_forward_lbr"));
}

TEST(Recurrent, BiasLengthsAndStates) {
  const LoweredLayer layer = model({.inputs = {"x", "w", "r", "b", "lengths", "h", "c"}}).layer();
  EXPECT_THAT(layer.problems, ElementsAre("lstm/t5_n2_i3_h4_l1_forward_bias_initial"));
  ASSERT_EQ(layer.calls[0].operands.size(), 6U);
  EXPECT_EQ(layer.calls[0].operands[5].index, 6);
}

TEST(Recurrent, StatesOfZeroAreNone) {
  EXPECT_THAT(model({.inputs = {"x", "w", "r", "", "", "zero", "zero"}}).layer().problems,
              ElementsAre("lstm/t5_n2_i3_h4_l1_forward"));
  EXPECT_THAT(model({.inputs = {"x", "w", "r", "", "", "h", "zero"}}).layer().problems,
              ElementsAre("lstm/t5_n2_i3_h4_l1_forward_initial"));
  EXPECT_EQ(model({.inputs = {"x", "w", "r", "", "", "h"}}).layer().cost, Cost::unsupported);
}

TEST(Recurrent, LastStatesAreWantedWhereSomebodyReadsThem) {
  EXPECT_THAT(model({.outputs = {"y", "h_last", "c_last"}}).layer().problems,
              ElementsAre("lstm/t5_n2_i3_h4_l1_forward_final"));
  const LoweredLayer only = model({.op = "GRU", .gates = 3, .outputs = {"", "h_last"}}).layer();
  EXPECT_THAT(only.problems, ElementsAre("gru/t5_n2_i3_h4_l1_forward_final"));
  EXPECT_EQ(only.outputs.size(), 1U);
}

TEST(Recurrent, ShapesOfEveryOutput) {
  const auto shapes = [](const LoweredLayer& layer) {
    std::vector<Dims> found;
    for (const auto& output : layer.outputs) found.push_back(*output.shape);
    return found;
  };
  const std::vector<std::string> all{"y", "h_last", "c_last"};
  EXPECT_THAT(
      shapes(model({.directions = 2, .outputs = all}, {{"direction", "bidirectional"}}).layer()),
      ElementsAre(Dims{5, 2, 2, 4}, Dims{2, 2, 4}, Dims{2, 2, 4}));
  EXPECT_THAT(shapes(model({.outputs = all, .input = {2, 5, 3}}, {{"layout", 1}}).layer()),
              ElementsAre(Dims{2, 5, 1, 4}, Dims{2, 1, 4}, Dims{2, 1, 4}));
}

TEST(Recurrent, BatchFirst) {
  const Cell cell{.input = {2, 5, 3}};
  const LoweredLayer layer = model(cell, {{"layout", 1}}).layer();
  EXPECT_THAT(layer.problems, ElementsAre("lstm/t5_n2_i3_h4_l1_forward_batchfirst"));
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 5, 1, 4}));
}

TEST(Recurrent, UsualActivationsByName) {
  EXPECT_THAT(with_activations({}, {"Sigmoid", "Tanh", "Tanh"}).problems,
              ElementsAre("lstm/t5_n2_i3_h4_l1_forward"));
  EXPECT_THAT(with_activations({.op = "RNN", .gates = 1, .directions = 2}, {"Relu", "Relu"},
                               {{"direction", "bidirectional"}})
                  .problems,
              ElementsAre("rnnrelu/t5_n2_i3_h4_l1_bidirectional"));
}

TEST(Recurrent, OtherFunctionsAreUnsupported) {
  const auto reason = [](const LoweredLayer& layer) {
    EXPECT_EQ(layer.cost, Cost::unsupported);
    return layer.reason;
  };
  EXPECT_THAT(reason(with_activations({}, {"Sigmoid", "Relu", "Tanh"})), HasSubstr("activations"));
  EXPECT_THAT(reason(with_activations({.op = "RNN", .gates = 1, .directions = 2}, {"Relu", "Tanh"},
                                      {{"direction", "bidirectional"}})),
              HasSubstr("activations"));
  EXPECT_THAT(reason(model({}, {{"clip", 1.0F}}).layer()), HasSubstr("clip"));
  EXPECT_THAT(reason(model({}, {{"input_forget", 1}}).layer()), HasSubstr("input_forget"));
  EXPECT_THAT(reason(model({.inputs = {"x", "w", "r", "", "", "", "", "p"}}).layer()),
              HasSubstr("peepholes"));
}

TEST(Recurrent, ShorterSequencesAreUnsupported) {
  Model built = model({.inputs = {"x", "w", "r", "", "lengths"}});
  auto& initializers = *built.graph().mutable_initializer();
  initializers[initializers.size() - 1].set_int32_data(1, 3);
  EXPECT_THAT(built.layer().reason, HasSubstr("sequence_lens"));
}

TEST(Recurrent, LengthsThatAreNotKnownAreTakenToBeTheInputs) {
  Model built = model({.inputs = {"x", "w", "r", "", "given"}});
  const LoweredLayer layer = built.input("given", {2}, ::onnx::TensorProto::INT32).layer();
  EXPECT_THAT(layer.problems, ElementsAre("lstm/t5_n2_i3_h4_l1_forward"));
  EXPECT_THAT(layer.reason, HasSubstr("as long as the input"));
}

TEST(Recurrent, WhatDoesNotFitIsAnError) {
  EXPECT_THROW(model({.gates = 3}).layer(), Error) << "rows of the weights";
  EXPECT_THROW(model({}, {{"hidden_size", 5}}).layer(), Error);
}

}  // namespace
}  // namespace benanza::onnx
