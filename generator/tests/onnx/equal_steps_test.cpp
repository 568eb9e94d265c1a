// Nodes that compute what an earlier one has computed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/lowered/number_tensors.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;

std::vector<Cost> costs(const LoweredGraph& graph) {
  std::vector<Cost> list;
  for (const LoweredLayer& layer : graph.layers) list.push_back(layer.cost);
  return list;
}

TEST(EqualSteps, AreComputedOnce) {
  Model model(13);
  model.input("x", {4, 8}).weights("w", {8, 8});
  model.node("MatMul", {"x", "w"}, {"a"}).node("Relu", {"a"}, {"b"});
  model.node("MatMul", {"x", "w"}, {"c"}).node("Sigmoid", {"c"}, {"d"}).output("b").output("d");
  const LoweredGraph graph = model.import();
  EXPECT_THAT(costs(graph),
              ElementsAre(Cost::measured, Cost::measured, Cost::free, Cost::measured));
  EXPECT_EQ(graph.layers[2].op, "MatMul");
  EXPECT_EQ(graph.layers[2].reason, "computes the same as a");
  EXPECT_EQ(graph.layers[2].outputs[0].name, "c");
  const DataFlow flow = number_tensors(graph, {});
  ASSERT_TRUE(flow.layers[2].view_of.has_value());
  EXPECT_EQ(flow.tensors[*flow.layers[2].view_of].name, "a");
}

// The second chain: each of its nodes equals one of the first, through an Identity and constants
// of equal values.
TEST(EqualSteps, FollowEachOther) {
  Model model(13);
  model.input("x", {4, 8}).weights("w", {8, 8}).weights("v", {8, 8});
  model.reals("half", {}, {0.5F}).reals("also", {}, {0.5F}).node("Identity", {"x"}, {"i"});
  model.node("Mul", {"x", "half"}, {"a"}).node("MatMul", {"a", "w"}, {"b"});
  model.node("Mul", {"i", "also"}, {"c"}).node("MatMul", {"c", "w"}, {"d"});
  model.node("MatMul", {"c", "v"}, {"e"}).output("b").output("d").output("e");
  EXPECT_THAT(costs(model.import()), ElementsAre(Cost::free, Cost::measured, Cost::measured,
                                                 Cost::free, Cost::free, Cost::measured));
}

TEST(EqualSteps, OtherAttributesAndRandomNumbersAreNot) {
  Model model(13);
  model.input("x", {4, 8});
  model.node("Softmax", {"x"}, {"a"}, {{"axis", 0}}).node("Softmax", {"x"}, {"b"}, {{"axis", 1}});
  model.node("Bernoulli", {"x"}, {"c"}).node("Bernoulli", {"x"}, {"d"});
  for (const char* name : {"a", "b", "c", "d"}) model.output(name);
  for (const LoweredLayer& layer : model.import().layers) EXPECT_NE(layer.cost, Cost::free);
}

}  // namespace
}  // namespace benanza::onnx
