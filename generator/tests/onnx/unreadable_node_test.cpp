// Nodes that cannot be read: the rest of the model is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "generator/onnx/model/program.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Model good() { return Model(13).input("x", {2, 3}).node("Relu", {"x"}, {"y"}).output("y"); }

TEST(UnreadableNode, IsOneUnsupportedLayer) {
  Model model = good();
  model.input("b", {4, 5}).node("MatMul", {"y", "b"}, {"bad"}).node("Relu", {"bad"}, {"after"});
  model.node("Tanh", {"y"}, {"beside"}).output("after").output("beside");
  const LoweredGraph graph = model.import_what_can_be_read();
  EXPECT_EQ(graph.layers[0].cost, Cost::measured);
  EXPECT_EQ(graph.layers[1].cost, Cost::unsupported);
  EXPECT_FALSE(graph.layers[1].reason.empty());
  EXPECT_EQ(graph.layers[2].cost, Cost::unsupported) << "the shape of its input is unknown";
  EXPECT_EQ(graph.layers[3].cost, Cost::measured);
  ASSERT_EQ(graph.warnings.size(), 1U);
  EXPECT_THAT(graph.warnings[0], AllOf(StartsWith("test.onnx: node \"bad\" (MatMul): "),
                                       HasSubstr(": this layer is unsupported")));
  model.node("MatMul", {"y", "b"}, {"worse"}).output("worse");
  EXPECT_THAT(model.import_what_can_be_read().warnings[0],
              HasSubstr(", as is another that cannot be read"));
}

TEST(UnreadableNode, ATensorOfAnUnknownTypeIsNoNumber) {
  Model model = good();
  model.weights("w", {3, 4}).node("MatMul", {"x", "w"}, {"z"}).output("z");
  model.graph().mutable_initializer(0)->set_data_type(99);
  EXPECT_EQ(model.layer().reason, "a tensor of the unknown type 99");
}

// The file may state what the node makes.
TEST(UnreadableNode, BehindANodeThatCannotBeReadStatedShapesHold) {
  Model model = good();
  model.input("b", {4, 5}).node("MatMul", {"y", "b"}, {"bad"}).node("Relu", {"bad"}, {"after"});
  auto& stated = *model.graph().add_value_info();
  stated.set_name("bad");
  *stated.mutable_type() = make_type(::onnx::TensorProto::FLOAT, Dims{2, 5});
  const LoweredGraph graph = model.output("after").import_what_can_be_read();
  EXPECT_EQ(graph.layers[1].cost, Cost::unsupported);
  EXPECT_THAT(graph.layers[2].problems, ElementsAre("relu/2x5"));
}

TEST(UnreadableNode, AFlagThatDoesNotFitEndsTheModel) {
  Model model(13);
  model.input("x", {2, 3}).node("NonZero", {"x"}, {"places"}).output("places");
  EXPECT_THAT(
      [&] {
        model.import({.batch = {}, .dims = {{"places:1", 7}}});
      },
      testing::ThrowsMessage<Error>(HasSubstr("has at most 6")));
}

/// A call of own:f, y = f(x), whose body is to be added, beside a Relu.
Model calling(int inputs = 1) {
  Model model = good();
  model.domain("own", 1).node("f", std::vector<std::string>(inputs, "x"), {"z"}).output("z");
  model.last().set_domain("own");
  auto& function = *model.proto().add_functions();
  function.set_domain("own");
  function.set_name("f");
  function.add_input("a");
  function.add_output("b");
  return model;
}

::onnx::NodeProto& add_to_function(Model& model, const std::string& op, const std::string& input,
                                   const std::string& output) {
  auto& node = *model.proto().mutable_functions(0)->add_node();
  node.set_op_type(op);
  node.add_input(input);
  node.add_output(output);
  return node;
}

TEST(UnreadableNode, CallsOfFunctions) {
  const auto warning = [](const Model& model) {
    const LoweredGraph graph = model.import_what_can_be_read();
    EXPECT_EQ(graph.layers[0].cost, Cost::measured);
    EXPECT_EQ(graph.layers.back().cost, Cost::unsupported);
    return graph.warnings.at(0);
  };
  Model reads = calling();
  add_to_function(reads, "Relu", "nowhere", "b");
  EXPECT_THAT(warning(reads),
              HasSubstr("function \"own:f\" reads \"nowhere\", which nothing makes"));
  Model makes = calling();
  add_to_function(makes, "Relu", "a", "c");
  EXPECT_THAT(warning(makes), HasSubstr("does not make \"b\""));
  Model takes = calling(3);
  add_to_function(takes, "Relu", "a", "b");
  EXPECT_THAT(warning(takes), HasSubstr("takes 1 inputs, not 3"));
  Model itself = calling();
  add_to_function(itself, "f", "a", "b").set_domain("own");
  EXPECT_THAT(warning(itself), HasSubstr("calls itself"));
  Model bad = calling();
  add_to_function(bad, "Softmax", "a", "b").add_input("a");
  EXPECT_THAT(warning(bad), HasSubstr("has 2 inputs, but takes 1 to 1"));
}

}  // namespace
}  // namespace benanza::onnx
