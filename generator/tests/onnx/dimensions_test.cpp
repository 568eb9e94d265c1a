// Values for the extents that a model leaves open.
#include <gmock/gmock.h>

#include <string>

#include "core/base/error.h"
#include "generator/tests/onnx/stored.h"

namespace benanza::onnx {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Dims last_shape(const LoweredGraph& graph) { return *graph.layers.back().outputs[0].shape; }

::onnx::TensorShapeProto& shape_of_input(Model& model, int index) {
  return *model.graph()
              .mutable_input(index)
              ->mutable_type()
              ->mutable_tensor_type()
              ->mutable_shape();
}

std::string refusal_of(const Model& model, const Binding& binding = {}) {
  try {
    model.import(binding);
  } catch (const Error& error) {
    return error.what();
  }
  return "imported";
}

TEST(Dimensions, WithoutANameAreBoundByPosition) {
  Model model(13);
  model.input("x", {1, 3, -1, -1}).node("Relu", {"x"}, {"y"}).output("y");
  try {
    model.import();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("give --dim x:2=N --dim x:3=N"));
  }
  const LoweredGraph graph = model.import({{}, {{"x:2", 8}, {"x:3", 9}}});
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{1, 3, 8, 9}));
  EXPECT_THAT(graph.bound_dims, ElementsAre("x:2", "x:3"));
}

// The model states three axes, of which one has a value.
TEST(Dimensions, OneKnownExtentIsNotAWholeShape) {
  Model model(13);
  model.input("x", {-2, 4}).input("s", {3}, ::onnx::TensorProto::INT64);
  model.node("Reshape", {"x", "s"}, {"y"}).output("y");
  auto& type = *model.graph().mutable_output(0)->mutable_type()->mutable_tensor_type();
  type.set_elem_type(::onnx::TensorProto::FLOAT);
  for (const char* name : {"N", "a", "b"}) {
    type.mutable_shape()->add_dim()->set_dim_param(name);
  }
  EXPECT_EQ(model.import({{}, {{"N", 5}}}).layers[0].outputs[0].shape, std::nullopt);
  EXPECT_EQ(last_shape(model.import({{}, {{"N", 5}, {"a", 2}, {"b", 2}}})), (Dims{5, 2, 2}));
}

// PaddlePaddle's exporter.
TEST(Dimensions, MinusOneIsOpen) {
  Model model(13);
  model.input("x", {1, 3, 8, 8}).node("Relu", {"x"}, {"y"}).output("y");
  for (const int axis : {0, 2, 3}) shape_of_input(model, 0).mutable_dim(axis)->set_dim_value(-1);
  EXPECT_EQ(last_shape(model.import({1, {{"x:2", 48}, {"x:3", 192}}})), (Dims{1, 3, 48, 192}));
  EXPECT_THAT(refusal_of(model), HasSubstr("give --batch N --dim x:2=N --dim x:3=N"));
}

TEST(Dimensions, QuestionMarksAreOpenAndNeedNotBeEqual) {
  Model model(13);
  model.input("x", {1, -2, -2}).node("Relu", {"x"}, {"y"}).output("y");
  for (const int axis : {1, 2}) shape_of_input(model, 0).mutable_dim(axis)->set_dim_param("?");
  EXPECT_EQ(last_shape(model.import({{}, {{"x:1", 5}, {"x:2", 7}}})), (Dims{1, 5, 7}));
  EXPECT_THAT(refusal_of(model), HasSubstr("give --dim x:1=N --dim x:2=N"));
}

TEST(Dimensions, APlaceGoesBeforeItsName) {
  Model model(13);
  model.input("x", {1, -2}).input("z", {1, -2}).node("Relu", {"x"}, {"y"}).output("y");
  const LoweredGraph graph = model.import({{}, {{"x:1", 5}, {"N", 7}}});
  EXPECT_EQ(last_shape(graph), (Dims{1, 5}));
}

TEST(Dimensions, AllThatAreMissingAreNamedAtOnce) {
  Model model(13);
  model.input("ids", {-1, -2}).input("past", {-1, 8, -2, 64}).input("mask", {-1, -2});
  model.node("Relu", {"past"}, {"y"}).output("y");
  shape_of_input(model, 0).mutable_dim(1)->set_dim_param("sequence");
  shape_of_input(model, 1).mutable_dim(2)->set_dim_param("past");
  shape_of_input(model, 2).mutable_dim(1)->set_dim_param("past + sequence");
  EXPECT_THAT(refusal_of(model), AllOf(HasSubstr("\"ids\" axis 0, \"ids\" axis 1 (sequence), "),
                                       HasSubstr("give --batch N --dim sequence=N --dim past=N")));
  // The sum follows from its terms.
  EXPECT_EQ(last_shape(model.import({1, {{"sequence", 1}, {"past", 7}}})), (Dims{1, 8, 7, 64}));
}

// As onnxruntime-genai's builder names them: 4 heads of 64, 2 for keys and values, in one product
// of 512 columns.
TEST(Dimensions, OfCachesFollowFromTheOperator) {
  const auto graph = [](bool is_product, bool is_window, const Binding& binding) {
    Model model(21);
    model.domain("com.microsoft", 1).input("x", {1, 1, is_product ? 32 : 512});
    for (const char* cache : {"k", "v"}) model.input(cache, {1, 2, -2, -2});
    for (const int index : {1, 2}) {
      shape_of_input(model, index).mutable_dim(2)->set_dim_param("past");
      shape_of_input(model, index).mutable_dim(3)->set_dim_param("kv_cache_dim");
    }
    model.input("length", {1}, ::onnx::TensorProto::INT32);
    model.input("total", {1}, ::onnx::TensorProto::INT32);
    if (is_product) model.weights("w", {32, 512}).node("MatMul", {"x", "w"}, {"q"});
    add_microsoft(model, "GroupQueryAttention",
                  {is_product ? "q" : "x", "", "", "k", "v", "length", "total"}, {"y", "pk", "pv"},
                  {{"num_heads", 4},
                   {"kv_num_heads", 2},
                   {"local_window_size", is_window ? 128 : -1},
                   {"sliding_window_cache", is_window ? 1 : 0}});
    return model.output("y").output("pk").output("pv").import(binding);
  };
  for (const bool is_product : {false, true}) {
    const LoweredGraph found = graph(is_product, false, {{}, {{"past", 127}}});
    EXPECT_EQ(found.layers.back().outputs[1].shape, (Dims{1, 2, 128, 64})) << is_product;
  }
  // A full window.
  EXPECT_EQ(graph(false, true, {}).layers.back().outputs[1].shape, (Dims{1, 2, 128, 64}));
}

// The first input has tokens, of all sequences; only the second one has sequences.
TEST(Dimensions, ThatAreStatedAreNoBatch) {
  Model model(13);
  model.input("tokens", {-1, 4}).input("lengths", {-1, 1});
  model.node("Relu", {"tokens"}, {"y"}).node("Relu", {"lengths"}, {"z"}).output("y").output("z");
  shape_of_input(model, 0).mutable_dim(0)->set_dim_param("T");
  const LoweredGraph graph = model.import({2, {{"T", 7}}});
  EXPECT_EQ(graph.layers[0].outputs[0].shape, (Dims{7, 4}));
  EXPECT_EQ(graph.layers[1].outputs[0].shape, (Dims{2, 1}));
  EXPECT_EQ(graph.batch, 2);
}

// Scripts say --batch 1 where their caller says nothing.
TEST(Dimensions, StatedTwiceHaveOneValue) {
  Model model(13);
  model.input("x", {-2, 4}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_THAT(refusal_of(model, {2, {{"N", 4}}}),
              HasSubstr("--batch and --dim give \"x\" axis 0 different values, 2 and 4: leave one "
                        "of them out"));
  EXPECT_EQ(model.import({4, {{"N", 4}}}).batch, 4);
  const LoweredGraph graph = model.import({1, {{"N", 4}}});
  EXPECT_EQ(graph.batch, 4);
  EXPECT_EQ(last_shape(graph), (Dims{4, 4}));
}

TEST(Dimensions, ZeroIsAnExtent) {
  Model model(13);
  model.input("past", {1, 8, -2, 128}).input("new", {1, 8, 7, 128});
  model.node("Concat", {"past", "new"}, {"keys"}, {{"axis", 2}}).output("keys");
  const LoweredGraph graph = model.import({{}, {{"N", 0}}});
  EXPECT_EQ(graph.layers[0].cost, Cost::free);
  EXPECT_EQ(last_shape(graph), (Dims{1, 8, 7, 128}));
}

// Weights that an operator of somebody else's unpacks have the stated extents at every batch.
TEST(StatedExtents, OfConstantsHoldForAnotherBatch) {
  Model model(21);
  model.domain("acme", 1).input("x", {4, 96}).weights("packed", {100});
  model.node("Unpack", {"packed"}, {"w"}).last().set_domain("acme");
  model.node("MatMul", {"x", "w"}, {"y"}).output("y");
  auto& stated = *model.graph().add_value_info();
  stated.set_name("w");
  auto& type = *stated.mutable_type()->mutable_tensor_type();
  type.set_elem_type(::onnx::TensorProto::FLOAT);
  type.mutable_shape()->add_dim()->set_dim_value(96);
  type.mutable_shape()->add_dim()->set_dim_value(64);
  for (const std::int64_t batch : {1, 4}) {
    const LoweredLayer layer = model.layer({.batch = batch, .dims = {}});
    EXPECT_THAT(layer.problems, ElementsAre("gemm/m" + std::to_string(batch) + "_n64_k96_nn_w"));
  }
}

}  // namespace
}  // namespace benanza::onnx
