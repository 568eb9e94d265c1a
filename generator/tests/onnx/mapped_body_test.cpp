// Bodies that run once for each tensor of a sequence, or for each entry of a batch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::int64_t layers_of(const LoweredGraph& graph, const std::string& op) {
  return std::ranges::count(graph.layers, op, &LoweredLayer::op);
}

/// Adds `b` to each tensor of a sequence of `tensors`, and takes the last one.
Model mapped(const std::vector<std::string>& tensors) {
  Model model(17);
  model.input("x", {2, 3}).input("z", {5, 3}).input("b", {3});
  model.integers("last", {-1});
  model.graph().mutable_initializer(0)->clear_dims();
  model.node("SequenceConstruct", tensors, {"s"}).node("SequenceMap", {"s", "b"}, {"m"});
  auto& body = body_of(model, "body");
  for (const char* name : {"one", "bias"}) body.add_input()->set_name(name);
  add_node(body, "Add", {"one", "bias"}, "sum");
  body.add_output()->set_name("sum");
  return model.node("SequenceAt", {"m", "last"}, {"taken"}).output("taken");
}

TEST(SequenceMap, IsItsBodyForEachTensor) {
  Model model = mapped({"x", "z"});
  model.node("ConcatFromSequence", {"m"}, {"joined"}, {{"axis", 0}}).output("joined");
  const LoweredGraph graph = model.import();
  EXPECT_EQ(layers_of(graph, "SequenceMap"), 0);
  std::vector<std::string> problems;
  for (const LoweredLayer& layer : graph.layers) {
    EXPECT_NE(layer.cost, Cost::unsupported) << layer.name << ": " << layer.reason;
    problems.insert(problems.end(), layer.problems.begin(), layer.problems.end());
  }
  EXPECT_THAT(problems, ElementsAre("add/2x3_1x3", "add/5x3_1x3", "concat/2x3_5x3_a0"));
  EXPECT_EQ(graph.results[0].name, "taken");
}

// Nobody reads what the first tensor becomes.
TEST(SequenceMap, WhatIsNotTakenIsFree) {
  const LoweredGraph graph = mapped({"x", "z"}).import();
  std::vector<std::string> problems;
  for (const LoweredLayer& layer : graph.layers) {
    problems.insert(problems.end(), layer.problems.begin(), layer.problems.end());
  }
  EXPECT_THAT(problems, ElementsAre("add/5x3_1x3"));
}

// Weights of the body are one tensor for all of its runs: 2x3 and 5x3 times 3x4.
TEST(SequenceMap, GoesAlongSeveralSequences) {
  Model model(17);
  model.input("x", {2, 3}).input("z", {5, 3});
  model.node("SequenceConstruct", {"x", "z"}, {"s"}).node("SequenceConstruct", {"z", "x"}, {"r"});
  model.node("SequenceMap", {"s", "r"}, {"products", "counts"});
  auto& body = body_of(model, "body");
  for (const char* name : {"one", "other"}) body.add_input()->set_name(name);
  auto& weights = *body.add_initializer();
  weights.set_name("w");
  weights.set_data_type(::onnx::TensorProto::FLOAT);
  for (const int extent : {3, 4}) weights.add_dims(extent);
  weights.set_raw_data(std::string(48, 0));
  add_node(body, "MatMul", {"one", "w"}, "product");
  add_node(body, "Shape", {"other"}, "extents");
  for (const char* name : {"product", "extents"}) body.add_output()->set_name(name);
  const LoweredGraph graph = model.output("products").output("counts").import();
  EXPECT_EQ(graph.parameters, 12);
  std::vector<std::string> problems;
  for (const LoweredLayer& layer : graph.layers) {
    EXPECT_NE(layer.cost, Cost::unsupported) << layer.name << ": " << layer.reason;
    problems.insert(problems.end(), layer.problems.begin(), layer.problems.end());
  }
  EXPECT_THAT(problems, ElementsAre("gemm/m2_n4_k3_nn_w", "gemm/m5_n4_k3_nn_w"));
}

TEST(SequenceMap, OfNothingIsNothing) {
  Model model(17);
  model.node("SequenceEmpty", {}, {"s"}).node("SequenceMap", {"s"}, {"m"});
  auto& body = body_of(model, "body");
  body.add_input()->set_name("one");
  add_node(body, "Relu", {"one"}, "made");
  body.add_output()->set_name("made");
  const LoweredGraph graph = model.node("SequenceLength", {"m"}, {"n"}).output("n").import();
  EXPECT_EQ(layers_of(graph, "SequenceMap"), 0);
  EXPECT_EQ(graph.layers.back().reason, "computed from constants and shapes alone");
}

TEST(SequenceMap, OfUnknownLengthIsNamed) {
  Model model = mapped({"x", "z"});
  auto& product = *model.graph().mutable_node(1)->mutable_attribute(0)->mutable_g();
  model.weights("w", {3, 3});
  add_node(product, "MatMul", {"sum", "w"}, "product");
  product.mutable_output(0)->set_name("product");
  auto& given = *model.graph().add_input();
  given.set_name("given");
  auto& element = *given.mutable_type()->mutable_sequence_type()->mutable_elem_type();
  element.mutable_tensor_type()->set_elem_type(::onnx::TensorProto::FLOAT);
  model.graph().mutable_node(1)->set_input(0, "given");
  const LoweredGraph graph = model.import();
  EXPECT_EQ(graph.layers[1].cost, Cost::unsupported);
  EXPECT_THAT(graph.layers[1].reason, HasSubstr("hides 2 nodes (Add 1, MatMul 1)"));
  EXPECT_EQ(graph.compulsory.weights.elements, 9) << "as in a loop of unknown length";
}

TEST(SequenceMap, OfSequencesThatDoNotFitIsNamed) {
  Model model = mapped({"x", "z"});
  model.node("SequenceConstruct", {"x"}, {"short"});
  model.graph().mutable_node()->SwapElements(1, 3);
  model.graph().mutable_node()->SwapElements(2, 3);
  model.graph().mutable_node(2)->set_input(1, "short");
  const LoweredGraph graph = model.import();
  EXPECT_EQ(graph.layers[2].cost, Cost::unsupported);
  EXPECT_EQ(graph.layers[2].reason, "its sequences have 2 and 1 tensors");
}

/// Running sums of sequences of 9 rows of 4, of each entry of a batch.
Model summing(std::int64_t batch, const std::string& lengths = "") {
  Model model(8);
  model.input("h", {batch, 4}).input("s", {batch, 9, 4});
  model.node("Scan", {lengths, "h", "s"}, {"last", "all"},
             {{"num_scan_inputs", 1}, {"directions", Dims{1}}});
  auto& body = body_of(model, "body");
  for (const char* name : {"state", "step"}) body.add_input()->set_name(name);
  add_node(body, "Add", {"state", "step"}, "next");
  add_node(body, "Relu", {"next"}, "made");
  for (const char* name : {"next", "made"}) body.add_output()->set_name(name);
  return model.output("last").output("all");
}

TEST(BatchedScan, IsAScanOfEachEntry) {
  const LoweredGraph graph = summing(3).import();
  for (const LoweredLayer& layer : graph.layers) {
    EXPECT_NE(layer.cost, Cost::unsupported) << layer.name << ": " << layer.reason;
    if (layer.op != "Add") continue;
    EXPECT_THAT(layer.problems, ElementsAre("add/4_4"));
  }
  EXPECT_EQ(layers_of(graph, "Add"), 27);
  EXPECT_EQ(layers_of(graph, "Scan"), 0);
  ASSERT_EQ(graph.results.size(), 2);
  EXPECT_EQ(graph.layers[*graph.results[0].producer].outputs[0].shape, (Dims{3, 4}));
  EXPECT_EQ(graph.layers[*graph.results[1].producer].outputs[0].shape, (Dims{3, 9, 4}));
}

TEST(BatchedScan, OfOneEntryHasNoCopyOfIt) {
  const LoweredGraph graph = summing(1).import();
  EXPECT_EQ(layers_of(graph, "Add"), 9);
  EXPECT_EQ(layers_of(graph, "Concat"), 1) << "of the collected rows";
  const auto& first = *std::ranges::find(graph.layers, "Slice", &LoweredLayer::op);
  ASSERT_EQ(first.calls.size(), 1);
  EXPECT_EQ(first.calls[0].from_offset, 32) << "backwards: row 8 of 4 elements comes first";
}

TEST(BatchedScan, LengthsThatAreTheExtentChangeNothing) {
  Model model = summing(2, "lengths");
  model.integers("lengths", {9, 9});
  EXPECT_EQ(layers_of(model.import(), "Add"), 18);
}

TEST(BatchedScan, ShorterSequencesAreNamed) {
  Model model = summing(2, "lengths");
  model.integers("lengths", {9, 5});
  const LoweredLayer layer = model.layer();
  EXPECT_EQ(layer.cost, Cost::unsupported);
  EXPECT_EQ(layer.reason, "sequences shorter than the input (sequence_lens)");
}

TEST(BatchedScan, LengthsThatTheDataDecideAreNamed) {
  Model model = summing(2, "lengths");
  model.input("lengths", {2}, ::onnx::TensorProto::INT64);
  const LoweredLayer layer = model.layer();
  EXPECT_EQ(layer.cost, Cost::unsupported);
  EXPECT_EQ(layer.reason, "lengths that are only known when the model runs (sequence_lens)");
}

TEST(BatchedScan, BatchesThatDifferAreNamed) {
  Model model = summing(2);
  model.graph()
      .mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(3);
  const LoweredLayer layer = model.layer();
  EXPECT_EQ(layer.cost, Cost::unsupported);
  EXPECT_EQ(layer.reason, "its inputs have 3 and 2 entries");
}

}  // namespace
}  // namespace benanza::onnx
