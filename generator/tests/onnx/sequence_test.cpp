// Shapes of tensors that are put into sequences and taken out again; models of features.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::optional<Dims> shape(const LoweredGraph& graph, const std::string& name) {
  for (const LoweredLayer& layer : graph.layers) {
    for (const Output& output : layer.outputs) {
      if (output.name == name) return output.shape;
    }
  }
  return std::nullopt;
}

/// Adds a position in a sequence: a tensor without axes.
void place(Model& model, const std::string& name, std::int64_t value) {
  model.integers(name, {value});
  model.graph().mutable_initializer(model.graph().initializer_size() - 1)->clear_dims();
}

TEST(Sequence, PartsOfATensor) {
  Model model(17);
  place(model, "two", 2);
  place(model, "last", -1);
  model.input("x", {4, 7}).integers("sizes", {3, 1});
  model
      .node("SplitToSequence", {"x", "two"}, {"pairs"}, {{"axis", 1}})  // 2, 2, 2, 1 columns
      .node("SequenceAt", {"pairs", "last"}, {"a"})
      .node("SplitToSequence", {"x", "sizes"}, {"parts"})
      .node("SequenceAt", {"parts", "last"}, {"b"})
      .node("SplitToSequence", {"x"}, {"rows"}, {{"keepdims", 0}})
      .node("SequenceAt", {"rows", "two"}, {"c"})
      .node("ConcatFromSequence", {"pairs"}, {"d"}, {{"axis", 1}})
      .node("ConcatFromSequence", {"rows"}, {"e"}, {{"axis", 1}, {"new_axis", 1}})
      .node("Relu", {"e"}, {"y"});
  for (const char* name : {"a", "b", "c", "d", "y"}) model.output(name);
  const LoweredGraph graph = model.import();
  EXPECT_EQ(shape(graph, "a"), (Dims{4, 1}));
  EXPECT_EQ(shape(graph, "b"), (Dims{1, 7}));
  EXPECT_EQ(shape(graph, "c"), (Dims{7}));
  EXPECT_EQ(shape(graph, "d"), (Dims{4, 7}));
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("relu/7x4"));
}

// What is there is known before the model runs, and so is the branch that is taken.
TEST(Optional, HoldsWhatItIsGiven) {
  Model model(18);
  model.input("x", {2, 3}).node("Optional", {"x"}, {"o"}).node("OptionalHasElement", {"o"}, {"c"});
  model.node("OptionalGetElement", {"o"}, {"g"}).node("OptionalGetElement", {"g"}, {"h"});
  model.node("OptionalHasElement", {"g"}, {"d"}).node("And", {"c", "d"}, {"both"});
  model.node("Relu", {"h"}, {"y"}).output("y").output("both");
  const LoweredGraph graph = model.import();
  for (std::size_t layer = 0; layer + 1 < graph.layers.size(); ++layer) {
    EXPECT_EQ(graph.layers[layer].cost, Cost::free) << layer << graph.layers[layer].reason;
  }
  EXPECT_EQ(graph.layers[5].reason, "computed from constants and shapes alone");
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("relu/2x3"));
  EXPECT_EQ(graph.compulsory.inputs, (Traffic{.elements = 6}));
}

TEST(Optional, MayBeEmpty) {
  Model model(18);
  model.input("x", {2, 3}).node("OptionalHasElement", {}, {"c"}).node("Not", {"c"}, {"n"});
  const LoweredGraph graph = model.output("n").import();
  EXPECT_EQ(graph.layers[1].reason, "computed from constants and shapes alone");
}

const LoweredLayer& layer_of(const LoweredGraph& graph, std::string_view output) {
  for (const LoweredLayer& layer : graph.layers) {
    for (const Output& made : layer.outputs) {
      if (made.name == output) return layer;
    }
  }
  throw Error("no layer makes " + std::string(output));
}

TEST(Sequence, APartIsCopiedWhereItIsTaken) {
  Model model(17);
  place(model, "zero", 0);
  place(model, "one", 1);
  model.input("x", {4, 7}).integers("sizes", {3, 4});
  model.node("SplitToSequence", {"x", "sizes"}, {"s"}, {{"axis", 1}})
      .node("SequenceAt", {"s", "zero"}, {"a"})
      .node("SequenceAt", {"s", "one"}, {"b"})
      .node("SplitToSequence", {"x"}, {"rows"}, {{"keepdims", 0}})
      .node("SequenceAt", {"rows", "one"}, {"c"});
  const LoweredGraph graph = model.output("a").output("b").output("c").import();
  // 4 rows of 3 and of 4 elements, 7 apart; the second row.
  EXPECT_THAT(layer_of(graph, "a").problems, ElementsAre("copy/4x3_f7.1_t3.1"));
  EXPECT_THAT(layer_of(graph, "b").problems, ElementsAre("copy/4x4_f7.1_t4.1"));
  EXPECT_EQ(layer_of(graph, "a").op, "Slice");
  EXPECT_EQ(layer_of(graph, "c").cost, Cost::free) << "it drops an axis of what was copied";
  const LoweredLayer& split = layer_of(graph, "s");
  EXPECT_EQ(split.cost, Cost::free);
  EXPECT_EQ(split.reason, "nobody reads its result");
  EXPECT_EQ(graph.layers.back().name, "c") << "named as in the model";
}

TEST(Sequence, ASequenceThatIsAResultIsCopiedWhole) {
  Model model(17);
  model.input("x", {4, 7}).integers("sizes", {3, 4});
  model.node("SplitToSequence", {"x", "sizes"}, {"s"}, {{"axis", 1}}).output("s");
  EXPECT_THAT(model.layer().problems, ElementsAre("copy/4x3_f7.1_t3.1", "copy/4x4_f7.1_t4.1"));
}

TEST(Sequence, WhatIsInASequenceIsReadWhereItIs) {
  Model model(17);
  place(model, "one", 1);
  model.input("x", {2, 3}).input("w", {5, 3});
  model.node("SequenceConstruct", {"x", "w"}, {"s"})
      .node("SequenceAt", {"s", "one"}, {"taken"})
      .node("ConcatFromSequence", {"s"}, {"joined"}, {{"axis", 0}});
  const LoweredGraph graph = model.output("taken").output("joined").import();
  EXPECT_EQ(graph.layers[0].cost, Cost::free);
  EXPECT_EQ(layer_of(graph, "taken").cost, Cost::free);
  EXPECT_EQ(layer_of(graph, "joined").cost, Cost::movement);
  EXPECT_THAT(layer_of(graph, "joined").problems, ElementsAre("concat/2x3_5x3_a0"));
}

TEST(Sequence, PartsThatDoNotAddUpAreAnError) {
  Model model(17);
  place(model, "zero", 0);
  model.input("x", {4, 7}).integers("sizes", {9, -2});
  model.node("SplitToSequence", {"x", "sizes"}, {"s"}, {{"axis", 1}})
      .node("SequenceAt", {"s", "zero"}, {"y"});
  try {
    model.output("y").import();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the parts do not add up to the input's extent of 7"));
  }
}

TEST(Sequence, TensorsPutInAndTakenOut) {
  Model model(17);
  place(model, "zero", 0);
  model.input("x", {2, 3}).input("w", {5, 3});
  model.node("SequenceConstruct", {"x", "x"}, {"s"})
      .node("SequenceInsert", {"s", "w", "zero"}, {"more"})
      .node("SequenceErase", {"more"}, {"less"})
      .node("SequenceLength", {"less"}, {"n"})
      .node("ConcatFromSequence", {"less"}, {"c"}, {{"axis", 0}})
      .node("Expand", {"n", "shape"}, {"filled"})
      .integers("shape", {1})
      .node("ConstantOfShape", {"filled"}, {"zeros"});
  const LoweredGraph graph = model.output("c").output("zeros").import();
  EXPECT_EQ(shape(graph, "c"), (Dims{7, 3})) << "w, then x";
  EXPECT_EQ(shape(graph, "zeros"), (Dims{2}));
  EXPECT_EQ(graph.layers[3].cost, Cost::free);
}

TEST(Sequence, WhatComesFromElsewhereIsNotFollowed) {
  Model model(17);
  model.input("x", {2, 3}).input("at", {}, ::onnx::TensorProto::INT64);
  model.node("SequenceConstruct", {"x"}, {"s"})
      .node("SequenceErase", {"s", "at"}, {"t"})
      .node("ConcatFromSequence", {"t"}, {"y"}, {{"axis", 0}});
  const LoweredLayer layer = model.output("y").layer();
  EXPECT_EQ(layer.outputs[0].shape, std::nullopt);
  EXPECT_THAT(layer.reason, HasSubstr("only known when the model runs"));
}

TEST(Sequence, PartsOfNothingAreAnError) {
  for (const std::int64_t size : {0, -3}) {
    Model model(17);
    place(model, "size", size);
    model.input("x", {4, 7}).node("SplitToSequence", {"x", "size"}, {"s"});
    model.node("ConcatFromSequence", {"s"}, {"y"}, {{"axis", 0}}).output("y");
    try {
      model.import();
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("parts of " + std::to_string(size) + " elements"));
    }
  }
}

TEST(Classic, ModelsOfFeatures) {
  Model model(15);
  model.domain("ai.onnx.ml", 3).input("x", {6, 4});
  model.node("Scaler", {"x"}, {"scaled"});
  model.last().set_domain("ai.onnx.ml");
  model.node("TreeEnsembleClassifier", {"scaled"}, {"label", "scores"},
             {{"classlabels_int64s", Dims{0, 1, 2}}});
  model.last().set_domain("ai.onnx.ml");
  model.node("LinearRegressor", {"scaled"}, {"line"}, {{"targets", 2}});
  model.last().set_domain("ai.onnx.ml");
  const LoweredGraph graph = model.output("label").output("scores").output("line").import();
  EXPECT_EQ(shape(graph, "scaled"), (Dims{6, 4}));
  EXPECT_EQ(shape(graph, "label"), (Dims{6}));
  EXPECT_EQ(shape(graph, "scores"), (Dims{6, 3}));
  EXPECT_EQ(shape(graph, "line"), (Dims{6, 2}));
  EXPECT_EQ(graph.layers[1].reason, "no library here walks decision trees");
}

// Columns of features are moved as rows of a table are, a norm is a reduction and a division.
TEST(Classic, FeaturesArePickedAndNormalized) {
  Model model(15);
  model.domain("ai.onnx.ml", 3).input("x", {6, 4});
  model.integers("columns", {0, 3});
  model.node("ArrayFeatureExtractor", {"x", "columns"}, {"some"}).last().set_domain("ai.onnx.ml");
  model.node("Normalizer", {"some"}, {"y"}, {{"norm", "L2"}}).last().set_domain("ai.onnx.ml");
  const LoweredGraph graph = model.output("y").import();
  EXPECT_EQ(shape(graph, "some"), (Dims{6, 2}));
  EXPECT_EQ(graph.layers[0].cost, Cost::movement);
  EXPECT_THAT(graph.layers[0].problems, ElementsAre("copy/6x2_f4.3_t2.1"));
  EXPECT_THAT(graph.layers[1].problems, ElementsAre("reducel2/6x2_a1", "div/6x2_6x1"));
}

/// The only layer of an operator of features of 6x4.
LoweredLayer classic(const std::string& op, Attributes attributes) {
  Model model(15);
  model.domain("ai.onnx.ml", 3).input("x", {6, 4}).node(op, {"x"}, {"y"}, attributes);
  model.last().set_domain("ai.onnx.ml");
  return model.output("y").layer();
}

using Numbers = std::vector<float>;

TEST(Classic, AScalerIsADifferenceAndAProduct) {
  const LoweredLayer both =
      classic("Scaler", {{"offset", Numbers{1, 2, 3, 4}}, {"scale", Numbers{0.5F}}});
  EXPECT_THAT(both.problems, ElementsAre("sub/6x4_1x4_w", "mul/6x4_1x1_w"));
  EXPECT_EQ(both.calls[0].operands[1].numbers, (Numbers{1, 2, 3, 4}));
  const LoweredLayer scaled =
      classic("Scaler", {{"offset", Numbers{0, 0, 0, 0}}, {"scale", Numbers{1, 1, 1, 2}}});
  EXPECT_THAT(scaled.problems, ElementsAre("mul/6x4_1x4_w"));
  EXPECT_EQ(classic("Scaler", {{"offset", Numbers{0}}, {"scale", Numbers{1}}}).cost, Cost::free);
  EXPECT_THROW(classic("Scaler", {{"offset", Numbers{1, 2}}}), Error);
}

TEST(Classic, ALinearRegressorIsAProduct) {
  const Numbers weights(8, 1);
  const LoweredLayer layer =
      classic("LinearRegressor",
              {{"targets", 2}, {"coefficients", weights}, {"intercepts", Numbers{1, 2}}});
  EXPECT_THAT(layer.problems, ElementsAre("gemm/m6_n2_k4_nt_w", "add/6x2_1x2_w"));
  EXPECT_EQ(layer.calls[0].operands[1].numbers, weights);
  EXPECT_THAT(classic("LinearRegressor", {{"coefficients", Numbers(4, 1)}}).problems,
              ElementsAre("gemm/m6_n1_k4_nt_w"));
  EXPECT_EQ(
      classic("LinearRegressor", {{"coefficients", Numbers(4, 1)}, {"post_transform", "PROBIT"}})
          .reason,
      "post_transform = PROBIT");
  EXPECT_EQ(classic("LinearRegressor", {{"coefficients", Numbers(5, 1)}}).reason,
            "5 coefficients for 1x4");
}

TEST(Classic, ALinearClassifierIsAProductAndItsScores) {
  const auto classifier = [](std::size_t weights, const char* transform) {
    return classic("LinearClassifier", {{"coefficients", Numbers(weights, 1)},
                                        {"intercepts", Numbers{1, 2, 3}},
                                        {"classlabels_ints", Dims{0, 1, 2}},
                                        {"post_transform", transform}});
  };
  const LoweredLayer layer = classifier(12, "SOFTMAX");
  ASSERT_THAT(layer.problems, ElementsAre("gemm/m6_n3_k4_nt_w", "add/6x3_1x3_w", "softmax/6x3_a1",
                                          "reducemax/6x3_a1"));
  EXPECT_EQ(layer.calls[2].output, 1) << "the scores";
  EXPECT_THAT(classifier(12, "LOGISTIC").problems[2], "sigmoid/6x3");
  EXPECT_EQ(classifier(12, "PROBIT").reason, "post_transform = PROBIT");
  EXPECT_EQ(classifier(8, "NONE").reason, "8 coefficients for 3x4");
}

TEST(Classic, MappedAndJoinedFeaturesHaveShapes) {
  Model model(15);
  model.domain("ai.onnx.ml", 3).input("words", {6, 2}, ::onnx::TensorProto::STRING);
  model.input("ids", {6}, ::onnx::TensorProto::INT64).input("x", {6, 4}).input("z", {6, 3});
  model.node("CategoryMapper", {"words"}, {"numbers"}, {{"cats_int64s", Dims{3}}});
  model.node("CategoryMapper", {"ids"}, {"names"}, {{"cats_int64s", Dims{3}}});
  model.node("FeatureVectorizer", {"x", "z"}, {"joined"}, {{"inputdimensions", Dims{4, 3}}});
  for (auto& node : *model.graph().mutable_node()) {
    node.set_domain("ai.onnx.ml");
    if (node.op_type() != "CategoryMapper") continue;
    auto& cats = *node.add_attribute();
    cats.set_name("cats_strings");
    cats.set_type(::onnx::AttributeProto::STRINGS);
    cats.add_strings("cat");
  }
  for (const char* name : {"numbers", "names", "joined"}) model.output(name);
  const LoweredGraph graph = model.import();
  EXPECT_EQ(shape(graph, "numbers"), (Dims{6, 2}));
  EXPECT_EQ(shape(graph, "names"), (Dims{6}));
  EXPECT_EQ(shape(graph, "joined"), (Dims{6, 7}));
  std::vector<std::string> types;
  for (const LoweredLayer& layer : graph.layers) types.push_back(layer.outputs[0].type);
  EXPECT_THAT(types, ElementsAre("int64", "string", "float"));
}

// The operator that took the place of the older ones keeps the type of the features.
TEST(Classic, TreesOfVersion5KeepTheType) {
  Model model(21);
  model.domain("ai.onnx.ml", 5).input("x", {6, 4}, ::onnx::TensorProto::DOUBLE);
  model.node("TreeEnsemble", {"x"}, {"y"}, {{"n_targets", 7}}).last().set_domain("ai.onnx.ml");
  model.node("LinearRegressor", {"x"}, {"line"}, {{"targets", 2}});
  model.last().set_domain("ai.onnx.ml");
  const LoweredGraph graph = model.output("y").output("line").import();
  EXPECT_EQ(graph.layers[0].outputs[0].type, "double");
  EXPECT_EQ(shape(graph, "y"), (Dims{6, 7}));
  EXPECT_EQ(graph.layers[1].outputs[0].type, "float");
}

}  // namespace
}  // namespace benanza::onnx
