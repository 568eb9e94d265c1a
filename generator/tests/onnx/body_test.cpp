// Shapes of the outputs of subgraph bodies that do not state them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

void set_axis(::onnx::NodeProto& node, std::int64_t axis) {
  auto& attribute = *node.add_attribute();
  attribute.set_name("axis");
  attribute.set_type(::onnx::AttributeProto::INT);
  attribute.set_i(axis);
}

/// Branches that read x (2x3) from the outer graph; an extent of the second may differ.
Model choosing(const std::string& otherwise) {
  Model model(17);
  model.input("c", {}, ::onnx::TensorProto::BOOL).input("x", {2, 3}).input("w", {3, 3});
  model.node("If", {"c"}, {"y"});
  auto& first = body_of(model, "then_branch");
  add_node(first, "MatMul", {"x", "w"}, "a");
  first.add_output()->set_name("a");
  auto& second = body_of(model, "else_branch");
  set_axis(add_node(second, otherwise, {"x", "x"}, "b"), 1);
  second.add_output()->set_name("b");
  return model.node("Relu", {"y"}, {"z"}).output("z");
}

TEST(Body, BranchesThatAgreeMakeTheShape) {
  Model model = choosing("Concat");
  auto& second = *model.graph().mutable_node(0)->mutable_attribute(1)->mutable_g();
  second.mutable_node(0)->mutable_attribute(0)->set_i(1);
  second.mutable_node(0)->mutable_input()->RemoveLast();
  const LoweredGraph graph = model.import();
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
  EXPECT_THAT(graph.layers[0].reason, HasSubstr("hides 2 nodes (Concat 1, MatMul 1)"));
  EXPECT_THAT(graph.layers[1].problems, ElementsAre("relu/2x3"));
  EXPECT_THAT(graph.assumptions, IsEmpty());
}

TEST(Body, OfBranchesThatDoNotTheLargerCounts) {
  const LoweredGraph graph = choosing("Concat").import();
  EXPECT_THAT(graph.layers[1].problems, ElementsAre("relu/2x6"));
  ASSERT_EQ(graph.assumptions.size(), 1);
  EXPECT_EQ(to_string(graph.assumptions[0]), "y:1=6");
}

TEST(Body, WhatTheDataDecideInsideIsAssumedOutside) {
  Model model(17);
  model.input("c", {}, ::onnx::TensorProto::BOOL).input("x", {5}).node("If", {"c"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& branch = body_of(model, name);
    add_node(branch, "NonZero", {"x"}, std::string("found_") + name);
    branch.add_output()->set_name(std::string("found_") + name);
  }
  model.output("y");
  const LoweredGraph graph = model.import();
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{1, 5}));
  EXPECT_EQ(graph.assumptions.size(), 2);
  EXPECT_EQ(graph.layers[0].assumed, "found_then_branch:1=5");
  const LoweredGraph bound =
      model.import({.batch = {}, .dims = {{"found_then_branch:1", 2}, {"found_else_branch:1", 2}}});
  EXPECT_EQ(bound.layers[0].outputs[0].shape, (Dims{1, 2}));
  EXPECT_THAT(bound.assumptions, IsEmpty());
  EXPECT_THAT(bound.bound_dims, ElementsAre("found_else_branch:1", "found_then_branch:1"));
}

// A branch that is taken has values of its own, which a node around it may call the same.
TEST(Body, NamesAreItsOwn) {
  Model model(17);
  model.truths("c", {}, {true}).input("x", {2, 3}).node("If", {"c"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& branch = body_of(model, name);
    add_node(branch, "Relu", {"x"}, "t");
    add_node(branch, "Unheard", {"x"}, "u").set_domain("some.where");
    set_axis(add_node(branch, "Concat", {"t", "u"}, "made"), 0);
    branch.add_output()->set_name("made");
  }
  model.domain("some.where", 1).node("Reshape", {"y", "twelve"}, {"t"}).integers("twelve", {12});
  model.node("Relu", {"t"}, {"u"}).output("t").output("u");
  for (auto& output : *model.graph().mutable_output()) {
    auto& type = *output.mutable_type()->mutable_tensor_type();
    type.set_elem_type(::onnx::TensorProto::FLOAT);
    type.mutable_shape()->add_dim()->set_dim_value(12);
  }
  const LoweredGraph graph = model.import();
  EXPECT_THAT(graph.warnings, IsEmpty());
  EXPECT_THAT(graph.layers[0].problems, ElementsAre("relu/2x3"));
  EXPECT_EQ(graph.layers[1].outputs[0].shape, std::nullopt);
}

/// Seven iterations over a state of 2x3, each of which is collected; `next` computes the state.
Model rounds(const std::string& next) {
  Model model(17);
  model.integers("seven", {7}).input("x", {2, 3}).node("Loop", {"seven", "", "x"}, {"last", "all"});
  auto& body = body_of(model, "body");
  for (const char* name : {"i", "go", "state"}) body.add_input()->set_name(name);
  add_node(body, "Identity", {"go"}, "go_on");
  set_axis(add_node(body, next, {"state", "x"}, "next"), 0);
  add_node(body, "Relu", {"state"}, "row");
  for (const char* name : {"go_on", "next", "row"}) body.add_output()->set_name(name);
  return model.output("last").output("all");
}

/// rounds() of an addition, each of which also multiplies by weights of the body.
Model sums() {
  Model model = rounds("Add");
  auto& body = body_of_last(model);
  body.mutable_node(1)->clear_attribute();
  auto& weights = *body.add_initializer();
  weights.set_name("w");
  weights.set_data_type(::onnx::TensorProto::FLOAT);
  for (const int extent : {3, 3}) weights.add_dims(extent);
  weights.set_raw_data(std::string(36, 0));
  body.mutable_node(1)->set_input(0, "product");
  add_node(body, "MatMul", {"state", "w"}, "product");
  body.mutable_node()->SwapElements(1, 3);
  body.mutable_node()->SwapElements(2, 3);
  return model;
}

TEST(Body, ALoopOfKnownLengthIsItsRounds) {
  const LoweredGraph graph = sums().import();
  std::map<std::string, int> counts;
  for (const LoweredLayer& layer : graph.layers) {
    for (const std::string& problem : layer.problems) ++counts[problem];
    EXPECT_NE(layer.cost, Cost::unsupported) << layer.name;
  }
  EXPECT_EQ(counts["gemm/m2_n3_k3_nn_w"], 7);
  EXPECT_EQ(counts["add/2x3_2x3"], 7);
  EXPECT_EQ(counts["relu/2x3"], 7);
  EXPECT_EQ(graph.layers.back().op, "Concat");
  EXPECT_EQ(graph.layers.back().outputs[0].shape, (Dims{7, 2, 3}));
  ASSERT_EQ(graph.results.size(), 2) << "as the model calls them";
  EXPECT_EQ(graph.results[0].name, "last");
  EXPECT_EQ(graph.layers[*graph.results[0].producer].name, "last/6/Add_2");
  EXPECT_EQ(graph.parameters, 9) << "one tensor for all rounds";
  EXPECT_EQ(graph.compulsory.weights.elements, 9);
}

TEST(Body, WhatABodyStatesForAnotherBatchIsInferred) {
  Model model = sums();
  model.input("count", {}, ::onnx::TensorProto::INT64);
  model.last().set_input(0, "count");
  auto& body = body_of_last(model);
  for (const int index : {1, 2}) {
    auto& type = *body.mutable_output(index)->mutable_type()->mutable_tensor_type();
    type.set_elem_type(::onnx::TensorProto::FLOAT);
    for (const int extent : {2, 3}) type.mutable_shape()->add_dim()->set_dim_value(extent);
  }
  const LoweredGraph graph = model.import({.batch = 5, .dims = {}});
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{5, 3}));
}

TEST(Body, ALoopOfNoRoundsLeavesItsStates) {
  Model model = sums();
  auto& count = *model.graph().mutable_initializer(0);
  const std::int64_t none = 0;
  count.clear_int64_data();
  count.set_raw_data(&none, sizeof none);
  model.graph().mutable_output()->RemoveLast();
  model.last().mutable_output()->RemoveLast();
  const LoweredLayer layer = model.layer();
  EXPECT_EQ(layer.op, "Identity");
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 3}));
}

TEST(Body, ARoundReadsItsNumber) {
  Model model(17);
  model.integers("three", {3}).input("x", {5, 4}).input("s", {4}).weights("w", {4});
  model.node("Loop", {"three", "", "s"}, {"last"});
  auto& body = body_of(model, "body");
  for (const char* name : {"i", "go", "state"}) body.add_input()->set_name(name);
  set_axis(add_node(body, "Gather", {"x", "i"}, "row"), 0);
  set_axis(add_node(body, "Concat", {"state", "row"}, "next"), 0);
  body.add_output()->set_name("go");
  body.add_output()->set_name("next");
  const LoweredGraph graph = model.output("last").import();
  EXPECT_EQ(graph.layers.back().outputs[0].shape, (Dims{16})) << "a state that grows";
  EXPECT_EQ(graph.layers.back().name, "last/2/Concat_1");
  ASSERT_EQ(graph.layers[2].calls.size(), 1);
  EXPECT_EQ(graph.layers[2].calls[0].from_offset, 4) << "row 1 of 5x4";
}

TEST(Body, ACollectedResultThatGrowsHasNoShape) {
  const LoweredGraph graph = rounds("Concat").import();
  const LoweredLayer& layer = graph.layers.back();
  EXPECT_EQ(layer.outputs[0].shape, std::nullopt) << "rows of a state that grows";
  EXPECT_EQ(layer.cost, Cost::unsupported);
  EXPECT_EQ(graph.layers[graph.layers.size() - 2].cost, Cost::free);
}

TEST(Body, OfALoopThatMakesNoSenseTheRestOfTheModelIsRead) {
  Model model = sums();
  body_of_last(model).mutable_output()->RemoveLast();
  const LoweredGraph short_of_one = model.import();
  EXPECT_EQ(short_of_one.layers[0].cost, Cost::unsupported);
  EXPECT_THAT(short_of_one.layers[0].reason, HasSubstr("3 inputs and 2 outputs"));

  model = sums();
  body_of_last(model).mutable_node(1)->mutable_input()->Add()->assign("x");
  const LoweredGraph wrong_node = model.import();
  EXPECT_EQ(wrong_node.layers[1].cost, Cost::unsupported) << "three factors";
  EXPECT_EQ(wrong_node.layers.back().op, "Concat");
}

TEST(Body, TooManyRoundsAreNamed) {
  Model model = sums();
  auto& count = *model.graph().mutable_initializer(0);
  const std::int64_t many = 1 << 20;
  count.clear_int64_data();
  count.set_raw_data(&many, sizeof many);
  const LoweredGraph graph = model.import();
  ASSERT_EQ(graph.layers.size(), 1);
  EXPECT_EQ(graph.layers[0].outputs[1].shape, (Dims{1 << 20, 2, 3}));
  EXPECT_THAT(graph.layers[0].reason,
              HasSubstr("runs its body 1048576 times, too often to read every round"));
  EXPECT_EQ(graph.compulsory.weights.elements, 9);
}

TEST(Body, WeightsOfALoopOfUnknownLengthArePartOfTheFloor) {
  Model model = sums();
  model.input("count", {}, ::onnx::TensorProto::INT64).weights("v", {3, 3});
  model.last().set_input(0, "count");
  auto& relu = *body_of_last(model).mutable_node(3);
  relu.set_op_type("MatMul");
  relu.add_input("v");
  const LoweredGraph graph = model.import();
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
  EXPECT_THAT(graph.layers[0].reason, HasSubstr("give --input count=VALUE"));
  EXPECT_EQ(graph.compulsory.weights.elements, 18);
  const Binding counted{.batch = {}, .dims = {}, .values = {{"count", "2"}}};
  EXPECT_EQ(std::ranges::count(model.import(counted).layers, "MatMul", &LoweredLayer::op), 4);
}

TEST(Body, WhatIsCollectedBesideAStateThatGrowsHasAShape) {
  Model model = rounds("Concat");
  auto& body = *model.last().mutable_attribute(0)->mutable_g();
  body.mutable_node(2)->set_input(0, "x");
  body.mutable_node(0)->set_op_type("IsNaN");  // it may stop early
  body.mutable_node(0)->set_input(0, "x");
  const LoweredLayer layer = model.layer();
  EXPECT_EQ(layer.outputs[0].shape, std::nullopt);
  EXPECT_EQ(layer.outputs[1].shape, (Dims{7, 2, 3}));
  EXPECT_EQ(layer.assumed, "all:0=7");
}

TEST(Body, AScanSeesOneStepOfItsSequences) {
  Model model(17);
  model.input("h", {4, 8}).input("s", {9, 4, 8});
  model.node("Scan", {"h", "s"}, {"last", "all"}, {{"num_scan_inputs", 1}});
  auto& body = body_of(model, "body");
  for (const char* name : {"state", "step"}) body.add_input()->set_name(name);
  add_node(body, "Add", {"state", "step"}, "next");
  add_node(body, "Transpose", {"next"}, "turned");
  for (const char* name : {"next", "turned"}) body.add_output()->set_name(name);
  const LoweredGraph graph = model.output("last").output("all").import();
  EXPECT_EQ(graph.layers.back().outputs[0].shape, (Dims{9, 8, 4}));
  EXPECT_EQ(graph.layers.front().outputs[0].shape, (Dims{1, 4, 8})) << "the first element";
  EXPECT_EQ(std::ranges::count(graph.layers, "Add", &LoweredLayer::op), 9);
}

TEST(Body, AScanMayGoBackwards) {
  Model model(17);
  model.input("h", {8}).input("s", {8, 3});
  model.node("Scan", {"h", "s"}, {"last", "all"},
             {{"num_scan_inputs", 1},
              {"scan_input_axes", Dims{1}},
              {"scan_input_directions", Dims{1}},
              {"scan_output_directions", Dims{1}}});
  auto& body = body_of(model, "body");
  for (const char* name : {"state", "step"}) body.add_input()->set_name(name);
  add_node(body, "Add", {"state", "step"}, "next");
  add_node(body, "Relu", {"next"}, "made");
  for (const char* name : {"next", "made"}) body.add_output()->set_name(name);
  const LoweredGraph graph = model.output("last").output("all").import();
  ASSERT_EQ(graph.layers[0].calls.size(), 1);
  EXPECT_EQ(graph.layers[0].calls[0].from_offset, 2) << "column 2 of 8x3 comes first";
  const LoweredLayer& last = graph.layers.back();
  EXPECT_EQ(graph.layers[*last.reads[0].producer].name, "last/2/Unsqueeze_made");
}

// One step of a recurrence, as decoders run it: no loop is left.
TEST(Body, AScanOfOneStepIsItsBody) {
  Model model(17);
  model.input("h", {4, 8}).input("s", {4, 1, 8});
  model.node(
      "Scan", {"h", "s"}, {"last", "all"},
      {{"num_scan_inputs", 1}, {"scan_input_axes", Dims{1}}, {"scan_output_axes", Dims{-1}}});
  auto& body = body_of(model, "body");
  for (const char* name : {"state", "step"}) body.add_input()->set_name(name);
  add_node(body, "Add", {"state", "step"}, "next");
  add_node(body, "Transpose", {"next"}, "turned");
  for (const char* name : {"next", "turned"}) body.add_output()->set_name(name);
  const LoweredGraph graph = model.output("last").output("all").import();
  EXPECT_THAT(names(graph), ElementsAre("last/Squeeze_step", "last/Add_0", "last/Transpose_1",
                                        "last/Unsqueeze_all"));
  EXPECT_THAT(graph.layers[1].problems, ElementsAre("add/4x8_4x8"));
  EXPECT_EQ(graph.layers[3].outputs[0].shape, (Dims{8, 4, 1}));
}

TEST(Body, ABodyThatMakesNoSenseHidesItsShapes) {
  Model model = choosing("Concat");
  model.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_node(0)->set_input(
      1, "x");  // 2x3 by 2x3
  const LoweredGraph graph = model.import();
  EXPECT_EQ(graph.layers[0].outputs[0].shape, std::nullopt);
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
}

}  // namespace
}  // namespace benanza::onnx
