// What is known before a model runs: conditions, functions, shapes of operators newer than the
// installed schemas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "core/base/error.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void set_graph(::onnx::NodeProto& node, const std::string& name, const Model& body) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(::onnx::AttributeProto::GRAPH);
  Model copy = body;
  *attribute.mutable_g() = copy.graph();
}

/// x -> If (rank of x is 3): transposed, otherwise its first element.
Model conditional(const Dims& x) {
  Model model(13);
  model.input("x", x).integers("three", {3});
  model.node("Shape", {"x"}, {"shape"}).node("Size", {"shape"}, {"rank"});
  model.node("Equal", {"rank", "three"}, {"is_three"});
  Model then_branch(13);
  then_branch.node("Relu", {"x"}, {"r"}).node("Transpose", {"r"}, {"t"}).output("t");
  Model else_branch(13);
  else_branch.node("Sigmoid", {"x"}, {"s"}).output("s");
  model.node("If", {"is_three"}, {"y"});
  set_graph(model.last(), "then_branch", then_branch);
  set_graph(model.last(), "else_branch", else_branch);
  return model.node("Tanh", {"y"}, {"z"}).output("z");
}

TEST(If, WithAKnownConditionIsItsBranch) {
  const LoweredGraph taken = conditional({2, 3, 4}).import();
  EXPECT_THAT(names(taken), ElementsAre("shape", "rank", "is_three", "y/r", "y/t", "z"));
  EXPECT_THAT(taken.layers[3].problems, ElementsAre("relu/2x3x4"));
  EXPECT_EQ(taken.layers[5].outputs[0].shape, (Dims{4, 3, 2}));
  EXPECT_THAT(taken.layers[5].inputs, ElementsAre(4));
  const LoweredGraph other = conditional({2, 3}).import();
  EXPECT_THAT(names(other), ElementsAre("shape", "rank", "is_three", "y/s", "z"));
  EXPECT_EQ(other.layers[4].outputs[0].shape, (Dims{2, 3}));
}

TEST(If, MayHandOutWhatItWasGiven) {
  Model model(13);
  model.input("x", {2, 3}).integers("zero", {0}).integers("one", {1});
  model.node("Less", {"zero", "one"}, {"yes"});
  Model branch(13);
  branch.output("x").output("x");
  model.node("If", {"yes"}, {"a", "b"});
  set_graph(model.last(), "then_branch", branch);
  set_graph(model.last(), "else_branch", branch);
  const LoweredGraph graph = model.node("Add", {"a", "b"}, {"y"}).output("y").import();
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("add/2x3_2x3"));
  EXPECT_THAT(graph.layers.back().inputs, ElementsAre(1, 2));
}

TEST(If, InsideAnIfAndWithConstantsOfItsOwn) {
  Model inner(13);
  inner.weights("w", {3}).node("Add", {"x", "w"}, {"sum"}).output("sum");
  Model outer(13);
  outer.node("If", {"yes"}, {"inner"});
  set_graph(outer.last(), "then_branch", inner);
  set_graph(outer.last(), "else_branch", inner);
  outer.output("inner");
  Model model(13);
  model.input("x", {2, 3}).integers("zero", {0}).integers("one", {1});
  model.node("Less", {"zero", "one"}, {"yes"}).node("If", {"yes"}, {"y"});
  set_graph(model.last(), "then_branch", outer);
  set_graph(model.last(), "else_branch", outer);
  const LoweredGraph graph = model.output("y").import();
  EXPECT_THAT(names(graph), ElementsAre("yes", "y/inner/sum"));
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("add/2x3_1x3_w"));
}

TEST(If, WithAnUnknownConditionIsUnsupportedAndSaysWhatItHides) {
  Model branch(13);
  branch.node("Relu", {"x"}, {"r"}).node("Relu", {"r"}, {"s"}).output("s");
  Model model(13);
  model.input("x", {2, 3}).input("c", {}, ::onnx::TensorProto::BOOL).node("If", {"c"}, {"y"});
  set_graph(model.last(), "then_branch", branch);
  set_graph(model.last(), "else_branch", branch);
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_EQ(layer.cost, Cost::unsupported);
  EXPECT_THAT(layer.reason, HasSubstr("hides 4 nodes (Relu 4)"));
}

TEST(If, ThatReadsWhatNobodyMakesIsAnError) {
  Model branch(13);
  branch.node("Relu", {"ghost"}, {"r"}).output("r");
  Model model(13);
  model.input("x", {2}).integers("zero", {0}).node("Equal", {"zero", "zero"}, {"yes"});
  model.node("If", {"yes"}, {"y"});
  set_graph(model.last(), "then_branch", branch);
  set_graph(model.last(), "else_branch", branch);
  EXPECT_THROW(model.output("y").import(), Error);
}

/// scale_and_shift(x, w; factor) = Mul(x, w) + Constant(factor)
Model with_function() {
  Model model(18);
  model.domain("local", 1).input("x", {2, 3}).weights("w", {3});
  auto& function = *model.proto().add_functions();
  function.set_domain("local");
  function.set_name("scale_and_shift");
  function.add_input("a");
  function.add_input("b");
  function.add_output("result");
  function.add_attribute("factor");
  auto& import = *function.add_opset_import();
  import.set_version(18);
  Model body(18);
  body.node("Mul", {"a", "b"}, {"product"}).node("Constant", {}, {"c"});
  auto& value = *body.last().add_attribute();
  value.set_name("value_float");
  value.set_type(::onnx::AttributeProto::FLOAT);
  value.set_ref_attr_name("factor");
  body.node("Add", {"product", "c"}, {"result"});
  for (const auto& node : body.graph().node()) *function.add_node() = node;
  return model;
}

void call(Model& model, const std::string& from, const std::string& to) {
  model.node("scale_and_shift", {from, "w"}, {to}, {{"factor", 2.0F}});
  model.last().set_domain("local");
}

TEST(Function, IsItsBody) {
  Model model = with_function();
  call(model, "x", "y");
  call(model, "y", "z");
  const LoweredGraph graph = model.output("z").import();
  EXPECT_THAT(names(graph),
              ElementsAre("y/product", "y/c", "y/result", "z/product", "z/c", "z/result"));
  EXPECT_THAT(graph.layers[3].problems, ElementsAre("mul/2x3_1x3_w"));
  EXPECT_THAT(graph.layers[5].problems, ElementsAre("add/2x3_1x1_w"));
  EXPECT_THAT(graph.layers[3].inputs, ElementsAre(2));
}

/// Field 11 of FunctionProto, which ONNX before 1.13 does not know by name: `factor` = 3.
void set_default(Model& model) {
  ::onnx::AttributeProto factor;
  factor.set_name("factor");
  factor.set_type(::onnx::AttributeProto::FLOAT);
  factor.set_f(3);
  std::string bytes = factor.SerializeAsString();
  bytes.insert(0, {11 << 3 | 2, static_cast<char>(bytes.size())});
  auto& function = *model.proto().mutable_functions(0);
  std::string whole = function.SerializeAsString() + bytes;
  ASSERT_TRUE(function.ParseFromString(whole));
}

/// What scale_and_shift adds, by the clip that it decides.
TEST(Function, AppliesItsDefaultToCallsThatLeaveTheAttributeOut) {
  Model model = with_function();
  set_default(model);
  call(model, "x", "y");
  model.node("scale_and_shift", {"y", "w"}, {"z"}).last().set_domain("local");
  const LoweredGraph graph = model.output("z").import();
  ASSERT_THAT(graph.layers, testing::SizeIs(6)) << "the call states 2, the other one leaves it out";
  EXPECT_EQ(graph.layers[2].reads[1].value, 2);
  EXPECT_EQ(graph.layers[5].reads[1].value, 3);
}

/// A text field of `message` that older versions of ONNX do not know by name.
template <class Message>
void set_text(Message& message, int field, const std::string& text) {
  std::string bytes = message.SerializeAsString();
  bytes += static_cast<char>(field << 3 | 2);
  bytes += static_cast<char>(text.size());
  ASSERT_TRUE(message.ParseFromString(bytes + text));
}

// Field 13 of FunctionProto and 8 of NodeProto: two functions of one name.
TEST(Function, IsTheOverloadThatTheCallNames) {
  Model model = with_function();
  auto& other = *model.proto().add_functions();
  other = model.proto().functions(0);
  other.clear_node();
  Model body(18);
  body.node("Relu", {"a"}, {"result"});
  *other.add_node() = body.graph().node(0);
  set_text(other, 13, "plain");
  call(model, "x", "y");
  call(model, "y", "z");
  set_text(model.last(), 8, "plain");
  const LoweredGraph graph = model.output("z").import();
  ASSERT_THAT(graph.layers, testing::SizeIs(4));
  EXPECT_THAT(graph.layers[0].problems, ElementsAre("mul/2x3_1x3_w"));
  EXPECT_THAT(graph.layers[3].problems, ElementsAre("relu/2x3"));
}

/// A model of opset 18 with a function of opset `version` that is `op`.
Model with_older_function(int version, const std::string& op) {
  Model model(18);
  model.domain("local", 1).input("x", {2, 3, 4});
  auto& function = *model.proto().add_functions();
  function.set_domain("local");
  function.set_name("older");
  function.add_input("a");
  function.add_output("result");
  function.add_opset_import()->set_version(version);
  *function.add_node() =
      Model(version).node(op, {"a"}, {"result"}, {{"axes", Dims{0}}}).graph().node(0);
  model.node("older", {"x"}, {"y"}).last().set_domain("local");
  return model.output("y");
}

TEST(Function, IsReadWithItsOwnOpset) {
  const LoweredGraph graph = with_older_function(11, "Unsqueeze").import();
  ASSERT_THAT(graph.layers, testing::SizeIs(1));
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{1, 2, 3, 4}))
      << "the axes are an attribute up to opset 12";
  EXPECT_EQ(graph.layers[0].cost, Cost::free);
  EXPECT_EQ(graph.opset, 18);
}

TEST(Function, ReadsADefaultOfItsOwnOpset) {
  Model model = with_older_function(11, "Softmax");
  model.proto().mutable_functions(0)->mutable_node(0)->clear_attribute();
  const LoweredGraph older = model.import();
  EXPECT_THAT(older.layers[0].problems, ElementsAre("softmax/2x12_a1")) << "axis 1, flattened";
  model.proto().mutable_functions(0)->mutable_opset_import(0)->set_version(18);
  EXPECT_THAT(model.import().layers[0].problems, ElementsAre("softmax/2x3x4_a2"));
}

TEST(Function, OfAnUnknownOpsetIsUnsupported) {
  Model model = with_older_function(99, "Softmax");
  model.proto().mutable_functions(0)->mutable_node(0)->clear_attribute();
  const LoweredGraph graph = model.node("Relu", {"x"}, {"z"}).output("z").import();
  EXPECT_EQ(graph.layers[0].cost, Cost::unsupported);
  EXPECT_THAT(graph.layers[0].reason, HasSubstr("imports opset 99"));
  EXPECT_THAT(graph.layers[1].problems, ElementsAre("relu/2x3x4"));
}

TEST(Function, HoldsItsWeightsOnceForAllCalls) {
  Model model(18);
  model.domain("local", 1).input("x", {4, 32});
  auto& function = *model.proto().add_functions();
  function.set_domain("local");
  function.set_name("product");
  function.add_input("a");
  function.add_output("result");
  auto& constant = *function.add_node();
  constant.set_op_type("Constant");
  constant.add_output("w");
  auto& attribute = *constant.add_attribute();
  attribute.set_name("value");
  attribute.set_type(::onnx::AttributeProto::TENSOR);
  *attribute.mutable_t() = Model(18).weights("w", {32, 32}).graph().initializer(0);
  *function.add_node() = Model(18).node("MatMul", {"a", "w"}, {"result"}).graph().node(0);
  for (const auto& [from, to] : {std::pair("x", "y"), std::pair("y", "z")}) {
    model.node("product", {from}, {to}).last().set_domain("local");
  }
  const LoweredGraph graph = model.output("z").import();
  EXPECT_THAT(names(graph), ElementsAre("y/Constant_0", "y/result", "z/result"));
  EXPECT_EQ(graph.parameters, 32 * 32);
  EXPECT_EQ(graph.compulsory.weights.elements, 32 * 32);
}

TEST(Function, ThatCallsItselfIsAnError) {
  Model model = with_function();
  call(model, "x", "y");
  auto& node = *model.proto().mutable_functions(0)->add_node();
  node.set_domain("local");
  node.set_op_type("scale_and_shift");
  EXPECT_THROW(model.output("y").import(), Error);
}

TEST(ValueInfo, ThatContradictsTheNodesIsAWarning) {
  Model model(13);
  model.input("x", {2, 3}).node("Relu", {"x"}, {"r"}).node("Relu", {"r"}, {"y"}).output("y");
  auto& value = *model.graph().add_value_info();
  value.set_name("r");
  for (const int extent : {2, 4}) {
    value.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(extent);
  }
  const LoweredGraph graph = model.import();
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{2, 3}));
  ASSERT_EQ(graph.warnings.size(), 1U);
  EXPECT_THAT(graph.warnings[0], HasSubstr("\"r\" of 2x3, where the model states 2x4"));
}

Dims only_shape(Model& model) { return model.layer().outputs.at(0).shape.value_or(Dims{}); }

TEST(NewOpsets, ReduceTakesItsAxesAsAnInput) {
  Model model(18);
  model.input("x", {2, 3, 4}).integers("axes", {-1});
  model.node("ReduceMax", {"x", "axes"}, {"y"}, {{"keepdims", 0}}).output("y");
  EXPECT_EQ(only_shape(model), (Dims{2, 3}));
}

TEST(NewOpsets, SplitKnowsTheNumberOfParts) {
  Model model(18);
  model.input("x", {7, 2}).node("Split", {"x"}, {"a", "b", "c"}, {{"num_outputs", 3}});
  model.output("a").output("b").output("c");
  const LoweredLayer layer = model.layer();
  EXPECT_EQ(layer.outputs.at(0).shape, (Dims{3, 2}));
  EXPECT_EQ(layer.outputs.at(2).shape, (Dims{1, 2}));
}

TEST(NewOpsets, ResizeAndPadTakeAxes) {
  Model resize(18);
  resize.input("x", {1, 3, 4, 5}).integers("sizes", {8, 10});
  resize.node("Resize", {"x", "", "", "sizes"}, {"y"}, {{"axes", Dims{2, 3}}}).output("y");
  EXPECT_EQ(only_shape(resize), (Dims{1, 3, 8, 10}));
  Model pad(19);
  pad.input("x", {1, 3, 4, 5}).integers("pads", {1, 2}).integers("axes", {-1});
  pad.node("Pad", {"x", "pads", "", "axes"}, {"y"}).output("y");
  EXPECT_EQ(only_shape(pad), (Dims{1, 3, 4, 8}));
}

TEST(NewOpsets, ResizeMayKeepTheAspectRatio) {
  const auto shape = [](const char* policy) {
    Model model(18);
    model.input("x", {1, 1, 10, 20}).integers("sizes", {20, 20});
    model.node("Resize", {"x", "", "", "sizes"}, {"y"},
               {{"axes", Dims{2, 3}}, {"keep_aspect_ratio_policy", policy}});
    model.output("y");
    return only_shape(model);
  };
  EXPECT_EQ(shape("not_larger"), (Dims{1, 1, 10, 20}));
  EXPECT_EQ(shape("not_smaller"), (Dims{1, 1, 20, 40}));
}

TEST(NewOpsets, AttentionOfFlatHeads) {
  Model model(23);
  model.input("q", {2, 5, 32}).input("k", {2, 7, 16}).input("v", {2, 7, 24});
  model.node("Attention", {"q", "k", "v"}, {"y"}, {{"q_num_heads", 4}, {"kv_num_heads", 2}});
  model.output("y");
  EXPECT_EQ(only_shape(model), (Dims{2, 5, 48})) << "4 heads of 24 / 2";
}

TEST(NonZero, OfAConstantHasAShape) {
  Model model(13);
  model.integers("c", {0, 5, 0, 7}).input("x", {2, 4});
  model.node("NonZero", {"c"}, {"n"}).node("Squeeze", {"n"}, {"i"});
  model.node("Gather", {"x", "i"}, {"y"}, {{"axis", 1}}).output("y");
  EXPECT_EQ(only_shape(model), (Dims{2, 2}));
}

TEST(Folding, ACastKeepsWhatItsTypeHolds) {
  // The end of a slice, as torch.export writes it.
  Model model(20);
  model.input("x", {4, 10}).integers("end", {std::numeric_limits<std::int64_t>::max()});
  model.integers("start", {3}).integers("axis", {1});
  model.node("Cast", {"end"}, {"cast"}, {{"to", ::onnx::TensorProto::INT64}});
  model.node("Slice", {"x", "start", "cast", "axis"}, {"y"});
  EXPECT_EQ(model.output("y").import().layers.back().outputs[0].shape, (Dims{4, 7}));
}

TEST(Folding, CastLikeNeedsOnlyTheOthersType) {
  Model model(20);
  model.input("x", {4}).scalar("quarter", 0.25);
  model.node("CastLike", {"quarter", "x"}, {"c"}).node("Sqrt", {"c"}, {"half"});
  model.node("Mul", {"x", "half"}, {"y"});
  const LoweredGraph graph = model.output("y").import();
  EXPECT_EQ(graph.layers[1].cost, Cost::free);
  EXPECT_THAT(graph.layers[2].problems, ElementsAre("mul/4_1_w"));
}

TEST(Folding, ShapesAreKnownHoweverMuchWasFoldedBefore) {
  Model model(17);
  model.input("x", {1, 1}).integers("extents", {256, 256}).integers("one", {1});
  model.node("ConstantOfShape", {"extents"}, {"first"});
  // 200 x 2^16 values are more than are computed; masks are only an example of such constants.
  for (int index = 0; index < 200; ++index) {
    model.node("ConstantOfShape", {"extents"}, {"large" + std::to_string(index)});
  }
  model.node("Shape", {"first"}, {"shape"}).node("Gather", {"shape", "one"}, {"last"});
  model.node("Expand", {"x", "last"}, {"wide"});
  const LoweredGraph graph = model.output("wide").import();
  EXPECT_EQ(graph.layers.back().outputs[0].shape, (Dims{1, 256}));
}

TEST(Folding, NeverOverflows) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Mod", "Pow"}) {
    Model model(13);
    model.integers("a", {least, least}).integers("b", {-1, -1});
    model.node(op, {"a", "b"}, {"y"}).output("y");
    EXPECT_NO_THROW(model.import()) << op;
  }
}

}  // namespace
}  // namespace benanza::onnx
