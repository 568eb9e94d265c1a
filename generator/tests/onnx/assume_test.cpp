// Dimensions that depend on the data: as the user states, or as large as possible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.h"
#include "generator/onnx/infer/assume.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int boolean = ::onnx::TensorProto::BOOL;
constexpr int int64 = ::onnx::TensorProto::INT64;

std::vector<std::string> assumed(const LoweredGraph& graph) {
  std::vector<std::string> texts;
  for (const Assumption& assumption : graph.assumptions) texts.push_back(to_string(assumption));
  return texts;
}

std::optional<Dims> shape(const LoweredGraph& graph, std::size_t layer, std::size_t output = 0) {
  return graph.layers.at(layer).outputs.at(output).shape;
}

/// Rows of x (4x5) that a mask of 4 keeps.
Model masked() {
  Model model(17);
  model.input("x", {4, 5}).input("mask", {4}, boolean);
  model.node("NonZero", {"mask"}, {"nz"})
      .node("Transpose", {"nz"}, {"rows"})
      .node("GatherND", {"x", "rows"}, {"kept"})
      .node("Relu", {"kept"}, {"y"})
      .node("Relu", {"x"}, {"z"});
  return model.output("y").output("z");
}

TEST(Assume, NonZeroFindsAtMostEverything) {
  const LoweredGraph graph = masked().import();
  EXPECT_THAT(assumed(graph), ElementsAre("nz:1=4"));
  EXPECT_EQ(shape(graph, 0), (Dims{1, 4}));
  EXPECT_EQ(shape(graph, 1), (Dims{4, 1}));
  EXPECT_EQ(shape(graph, 2), (Dims{4, 5}));
  EXPECT_THAT(graph.layers[3].problems, ElementsAre("relu/4x5"));
  EXPECT_EQ(graph.layers[3].assumed, "nz:1=4");
  EXPECT_EQ(graph.layers[4].assumed, "") << "x is as it is";
}

TEST(Assume, TheUserKnowsBetter) {
  const LoweredGraph graph = masked().import({.batch = {}, .dims = {{"nz:1", 3}}});
  EXPECT_THAT(assumed(graph), IsEmpty());
  EXPECT_THAT(graph.layers[3].problems, ElementsAre("relu/3x5"));
  EXPECT_EQ(graph.layers[3].assumed, "");
  EXPECT_THAT(graph.bound_dims, ElementsAre("nz:1"));
}

TEST(Assume, NobodyFindsMoreThanThereIs) {
  try {
    masked().import({.batch = {}, .dims = {{"nz:1", 5}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("node \"nz\" (NonZero): \"nz\" has at most 4 along axis 1"));
  }
}

void state(Model& model, const std::string& name, int type, const Dims& dims,
           const std::string& open) {
  auto& value = *model.graph().add_value_info();
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  for (const std::int64_t extent : dims) {
    auto& dimension = *tensor.mutable_shape()->add_dim();
    if (extent < 0) {
      dimension.set_dim_param(open);
    } else {
      dimension.set_dim_value(extent);
    }
  }
}

TEST(Assume, ANameOfTheModelMeansTheDimension) {
  Model model = masked();
  state(model, "nz", int64, {1, -1}, "found");
  EXPECT_THAT(assumed(model.import()), ElementsAre("nz:1=4"));
  for (const std::int64_t batch : {4, 8}) {
    const LoweredGraph graph = model.import({.batch = batch, .dims = {{"found", 2}}});
    EXPECT_THAT(assumed(graph), IsEmpty());
    EXPECT_THAT(graph.layers[3].problems, ElementsAre("relu/2x5"));
    EXPECT_THAT(graph.bound_dims, ElementsAre("found"));
  }
}

TEST(Assume, WhatTheModelStatesGoesFirst) {
  Model model = masked();
  state(model, "nz", int64, {1, 2}, "");
  const LoweredGraph graph = model.import();
  EXPECT_THAT(assumed(graph), IsEmpty());
  EXPECT_THAT(graph.layers[3].problems, ElementsAre("relu/2x5"));
}

TEST(Assume, WhatFollowsIsNoContradiction) {
  Model model = masked();
  state(model, "kept", ::onnx::TensorProto::FLOAT, {2, 5}, "");
  const LoweredGraph graph = model.import();
  EXPECT_THAT(graph.warnings, IsEmpty()) << "the model's 2 rows are those of some run";
  EXPECT_THAT(graph.layers[3].problems, ElementsAre("relu/4x5"));
}

TEST(Assume, ArithmeticOnItFolds) {
  // min(3, count) with the count of non-zeros in a row of 8.
  Model model(17);
  model.input("x", {8}).integers("three", {3}).integers("one", {1}).integers("two", {2});
  model.node("NonZero", {"x"}, {"nz"})
      .node("Shape", {"nz"}, {"s"})
      .node("Slice", {"s", "one", "two"}, {"n"})
      .node("Min", {"n", "three"}, {"k"})
      .node("TopK", {"x", "k"}, {"v", "i"});
  const LoweredGraph graph = model.output("v").output("i").import();
  EXPECT_EQ(shape(graph, 4), (Dims{3}));
  EXPECT_EQ(shape(graph, 4, 1), (Dims{3}));
  EXPECT_THAT(assumed(graph), ElementsAre("nz:1=8"));
  EXPECT_EQ(graph.layers[3].cost, Cost::free);
  EXPECT_EQ(graph.layers[4].assumed, "nz:1=8");
}

TEST(Assume, WhatAnAssumedShapeFillsIsNoWeight) {
  Model model(17);
  model.input("x", {8}).node("NonZero", {"x"}, {"nz"}).node("Shape", {"nz"}, {"s"});
  model.node("ConstantOfShape", {"s"}, {"zeros"}).input("z", {1, 1}).weights("w", {1, 8});
  model.node("Add", {"z", "zeros"}, {"a"}).node("Add", {"a", "w"}, {"y"});
  EXPECT_EQ(model.output("y").import().parameters, 8);
}

TEST(Assume, TopKTakesAtMostTheAxis) {
  Model model(17);
  model.input("x", {2, 9, 3}).input("k", {1}, int64);
  model.node("TopK", {"x", "k"}, {"v", "i"}, {{"axis", 1}}).output("v").output("i");
  const LoweredGraph graph = model.import();
  EXPECT_THAT(assumed(graph), ElementsAre("v:1=9")) << "one number, of two results";
  EXPECT_EQ(shape(graph, 0), (Dims{2, 9, 3}));
  EXPECT_EQ(shape(graph, 0, 1), (Dims{2, 9, 3}));
  for (const char* name : {"v:1", "i:1"}) {
    const LoweredGraph bound = model.import({.batch = {}, .dims = {{name, 4}}});
    EXPECT_EQ(shape(bound, 0), (Dims{2, 4, 3}));
    EXPECT_EQ(shape(bound, 0, 1), (Dims{2, 4, 3}));
    EXPECT_THAT(assumed(bound), IsEmpty());
  }
}

TEST(Assume, BoxesKeptAreAtMostAllOrAsManyAsAskedFor) {
  // 2 images, 3 classes, 10 boxes.
  for (const auto& [most, rows] : {std::pair{4, 24}, {100, 60}, {-1, 60}}) {
    Model model(11);
    model.input("boxes", {2, 10, 4}).input("scores", {2, 3, 10});
    if (most < 0) {
      model.input("most", {1}, int64);
    } else {
      model.integers("most", {most});
    }
    model.node("NonMaxSuppression", {"boxes", "scores", "most"}, {"y"}).output("y");
    const LoweredGraph graph = model.import();
    EXPECT_EQ(shape(graph, 0), (Dims{rows, 3}));
    EXPECT_THAT(assumed(graph), ElementsAre("y:0=" + std::to_string(rows)));
  }
  Model all(11);
  all.input("boxes", {2, 10, 4}).input("scores", {2, 3, 10});
  all.integers("most", {std::numeric_limits<std::int64_t>::max()});
  all.node("NonMaxSuppression", {"boxes", "scores", "most"}, {"y"}).output("y");
  EXPECT_EQ(shape(all.import(), 0), (Dims{60, 3}));
  Model model(11);
  model.input("boxes", {2, 10, 4}).input("scores", {2, 3, 10});
  model.node("NonMaxSuppression", {"boxes", "scores"}, {"y"}).output("y");
  EXPECT_EQ(shape(model.import(), 0), (Dims{0, 3})) << "none, if nobody asks for any";
  EXPECT_THAT(assumed(model.import()), IsEmpty());
}

TEST(Assume, UniqueAndCompress) {
  Model unique(11);
  unique.input("x", {4, 6}).node("Unique", {"x"}, {"y", "first", "where", "count"});
  for (const char* name : {"y", "first", "where", "count"}) unique.output(name);
  LoweredGraph graph = unique.import();
  for (std::size_t output = 0; output < 4; ++output) {
    EXPECT_EQ(shape(graph, 0, output), (Dims{24}));
  }
  EXPECT_THAT(assumed(graph), ElementsAre("y:0=24"));
  graph = unique.import({.batch = {}, .dims = {{"y:0", 7}}});
  EXPECT_EQ(shape(graph, 0, 1), (Dims{7}));
  EXPECT_EQ(shape(graph, 0, 2), (Dims{24})) << "one for each input";
  EXPECT_EQ(shape(graph, 0, 3), (Dims{7}));

  Model rows(11);
  rows.input("x", {4, 6}).node("Unique", {"x"}, {"y"}, {{"axis", -2}}).output("y");
  EXPECT_EQ(shape(rows.import(), 0), (Dims{4, 6}));

  Model compress(11);
  compress.input("x", {4, 6}).input("c", {5}, boolean);
  compress.node("Compress", {"x", "c"}, {"y"}, {{"axis", 1}}).output("y");
  EXPECT_EQ(shape(compress.import(), 0), (Dims{4, 5}));
  EXPECT_THAT(assumed(compress.import()), ElementsAre("y:1=5"));
  Model flat(11);
  flat.input("x", {4, 6}).input("c", {5}, boolean).node("Compress", {"x", "c"}, {"y"});
  EXPECT_EQ(shape(flat.output("y").import(), 0), (Dims{5}));
}

// 2 of 6 columns, whose number the file states.
TEST(Assume, NothingOfACompressWithAConstantCondition) {
  Model model(11);
  model.input("x", {4, 6}).truths("c", {6}, {false, true, false, false, true, false});
  model.node("Compress", {"x", "c"}, {"y"}, {{"axis", -1}}).output("y");
  EXPECT_EQ(shape(model.import(), 0), (Dims{4, 2}));
  EXPECT_THAT(assumed(model.import()), IsEmpty());
  EXPECT_THAT(model.layer().problems, ElementsAre("copy/8_f1_t1"));
  EXPECT_EQ(model.layer().cost, Cost::movement);
}

TEST(Assume, ASliceIsNoLongerThanItsInput) {
  Model model(13);
  model.input("x", {10, 7}).input("n", {1}, int64);
  model.integers("zero", {0}).integers("two", {2}).integers("three", {3}).integers("minus", {-4});
  model
      .node("Slice", {"x", "zero", "n", "zero"}, {"a"})           // x[:n]
      .node("Slice", {"x", "three", "n", "zero"}, {"b"})          // x[3:n]
      .node("Slice", {"x", "n", "three", "zero"}, {"c"})          // x[n:3]
      .node("Slice", {"x", "minus", "n", "zero", "two"}, {"d"});  // x[-4:n:2]
  for (const char* name : {"a", "b", "c", "d"}) model.output(name);
  const LoweredGraph graph = model.import();
  EXPECT_EQ(shape(graph, 0), (Dims{10, 7}));
  EXPECT_EQ(shape(graph, 1), (Dims{7, 7}));
  EXPECT_EQ(shape(graph, 2), (Dims{3, 7}));
  EXPECT_EQ(shape(graph, 3), (Dims{2, 7}));
  EXPECT_THAT(assumed(graph), ElementsAre("a:0=10", "b:0=7", "c:0=3", "d:0=2"));
}

/// One branch if something was found, another if nothing was.
Model branching(bool by_count) {
  Model model(17);
  model.input("x", {6}).input("flag", {}, boolean).integers("zero", {0});
  model.node("NonZero", {"x"}, {"nz"})
      .node("Size", {"nz"}, {"size"})
      .node("Equal", {"size", "zero"}, {"none"})
      .node("If", {by_count ? "none" : "flag"}, {"y"});
  for (const auto& [name, op] : {std::pair{"then_branch", "Relu"}, {"else_branch", "Tanh"}}) {
    auto& branch = *model.last().add_attribute();
    branch.set_name(name);
    branch.set_type(::onnx::AttributeProto::GRAPH);
    auto& inner = *branch.mutable_g()->add_node();
    inner.set_op_type(op);
    inner.add_input("x");
    inner.add_output(std::string("in_") + name);
    auto& output = *branch.mutable_g()->add_output();
    output.set_name(std::string("in_") + name);
    auto& type = *output.mutable_type()->mutable_tensor_type();
    type.set_elem_type(::onnx::TensorProto::FLOAT);
    type.mutable_shape()->add_dim()->set_dim_value(op == std::string("Relu") ? 2 : 6);
  }
  return model.output("y");
}

TEST(Assume, ABranchThatFollowsFromTheNumberIsTaken) {
  const LoweredGraph graph = branching(true).import();
  EXPECT_THAT(graph.layers.back().problems, ElementsAre("tanh/6"));
  EXPECT_EQ(graph.layers.back().assumed, "nz:1=6") << "for nothing found it would be the other one";
}

TEST(Assume, ABranchThatFollowsFromTheDataIsNot) {
  const LoweredGraph graph = branching(false).import();
  EXPECT_EQ(graph.layers.back().cost, Cost::unsupported);
  EXPECT_THAT(graph.layers.back().reason, HasSubstr("hides 2 nodes (Relu 1, Tanh 1)"));
  EXPECT_EQ(shape(graph, 3), (Dims{6})) << "the larger of 2 and 6";
  EXPECT_THAT(assumed(graph), ElementsAre("nz:1=6", "y:0=6"));
}

TEST(Assume, WhatDoesNotFitIsUnsupportedNotAnError) {
  Model model(17);
  model.input("x", {6}).input("w", {4});
  model.node("NonZero", {"x"}, {"a"})
      .node("NonZero", {"w"}, {"b"})
      .node("Add", {"a", "b"}, {"sum"})
      .node("Relu", {"x"}, {"y"});
  const LoweredGraph graph = model.output("sum").output("y").import();
  EXPECT_EQ(graph.layers[2].cost, Cost::unsupported);
  EXPECT_THAT(graph.layers[2].reason, HasSubstr("the extents assumed here do not fit"));
  EXPECT_THAT(graph.layers[2].reason, HasSubstr("--dim"));
  EXPECT_EQ(graph.layers[3].cost, Cost::measured);
  const LoweredGraph bound = model.import({.batch = {}, .dims = {{"a:1", 3}, {"b:1", 3}}});
  EXPECT_EQ(shape(bound, 2), (Dims{1, 3}));
}

TEST(Assume, TooMuchIsNotAssumed) {
  // All pairs of 2^21 elements: more than any tensor may have.
  Model model(17);
  model.input("x", {1 << 21}).integers("axis", {2});
  model.node("NonZero", {"x"}, {"a"})
      .node("Unsqueeze", {"a", "axis"}, {"column"})
      .node("Mul", {"a", "column"}, {"pairs"});
  const LoweredGraph graph = model.output("pairs").import();
  EXPECT_EQ(shape(graph, 2), std::nullopt);
  EXPECT_THAT(graph.layers[2].reason, HasSubstr("more than 2^40 elements"));
}

TEST(Assume, AnyOpenDimensionMayBeStated) {
  // Nothing limits how often the tensor is repeated.
  Model model(17);
  model.input("x", {2, 3}).input("times", {2}, int64).node("Tile", {"x", "times"}, {"t"});
  model.node("Relu", {"t"}, {"y"}).output("y");
  EXPECT_EQ(shape(model.import(), 0), std::nullopt);
  const LoweredGraph graph = model.import({.batch = {}, .dims = {{"t:0", 8}, {"t:1", 3}}});
  EXPECT_THAT(graph.layers[1].problems, ElementsAre("relu/8x3"));
  EXPECT_THAT(graph.bound_dims, ElementsAre("t:0", "t:1"));
}

TEST(Assume, OneLineSaysHowMany) {
  EXPECT_EQ(assumption_warning(Model(17).input("x", {2}).node("Relu", {"x"}, {"y"}).import(), "m"),
            "");
  EXPECT_EQ(assumption_warning(masked().import(), "m.onnx"),
            "m.onnx: 1 data-dependent dimension, assumed at its maximum: nz:1=4 (NonZero): set it "
            "with --dim nz:1=N");
  Model model(17);
  model.input("x", {6}).node("NonZero", {"x"}, {"a"}).node("NonZero", {"a"}, {"b"}).output("b");
  EXPECT_EQ(assumption_warning(model.import(), "m.onnx"),
            "m.onnx: 2 data-dependent dimensions, assumed at their maximum; the first: a:1=6 "
            "(NonZero): set it with --dim a:1=N");
}

TEST(Assume, WhatHasNoShapeIsNamed) {
  Model model(17);
  model.input("x", {2, 3}).input("times", {2}, int64).node("Tile", {"x", "times"}, {"t"});
  model.node("Relu", {"t"}, {"y"}).output("y");
  EXPECT_EQ(shapeless_warning(model.import(), "m.onnx"),
            "m.onnx: what 1 layer makes has no shape, \"t\" (Tile): state it with --dim t:AXIS=N "
            "for each of its axes");
  EXPECT_EQ(shapeless_warning(model.import({.batch = {}, .dims = {{"t:0", 8}, {"t:1", 3}}}), "m"),
            "");
}

TEST(Assume, WhatAnUnknownOperatorMakesMayBeStated) {
  Model model(17);
  model.domain("my.domain", 1).input("x", {2, 3}).node("Magic", {"x"}, {"t"});
  model.last().set_domain("my.domain");
  model.node("Relu", {"t"}, {"y"}).output("y");
  EXPECT_THAT(shapeless_warning(model.import(), "m.onnx"),
              HasSubstr("\"t\" (my.domain.Magic): state it with --dim t:AXIS=N"));
  const LoweredGraph graph = model.import({.batch = {}, .dims = {{"t:0", 8}, {"t:1", 3}}});
  EXPECT_THAT(graph.layers[1].problems, ElementsAre("relu/8x3")) << graph.layers[1].reason;
  EXPECT_EQ(shapeless_warning(graph, "m.onnx"), "");
}

}  // namespace
}  // namespace benanza::onnx
