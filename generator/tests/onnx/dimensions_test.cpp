// Values for the extents that a model leaves open.
#include <gmock/gmock.h>

#include "core/base/error.h"
#include "generator/tests/onnx/model.h"

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

std::string refusal(const Model& model, const Binding& binding = {}) {
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

// PaddlePaddle's exporter.
TEST(Dimensions, MinusOneIsOpen) {
  Model model(13);
  model.input("x", {1, 3, 8, 8}).node("Relu", {"x"}, {"y"}).output("y");
  for (const int axis : {0, 2, 3}) shape_of_input(model, 0).mutable_dim(axis)->set_dim_value(-1);
  EXPECT_EQ(last_shape(model.import({1, {{"x:2", 48}, {"x:3", 192}}})), (Dims{1, 3, 48, 192}));
  EXPECT_THAT(refusal(model), HasSubstr("give --batch N --dim x:2=N --dim x:3=N"));
}

TEST(Dimensions, QuestionMarksAreOpenAndNeedNotBeEqual) {
  Model model(13);
  model.input("x", {1, -2, -2}).node("Relu", {"x"}, {"y"}).output("y");
  for (const int axis : {1, 2}) shape_of_input(model, 0).mutable_dim(axis)->set_dim_param("?");
  EXPECT_EQ(last_shape(model.import({{}, {{"x:1", 5}, {"x:2", 7}}})), (Dims{1, 5, 7}));
  EXPECT_THAT(refusal(model), HasSubstr("give --dim x:1=N --dim x:2=N"));
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
  EXPECT_THAT(refusal(model), AllOf(HasSubstr("\"ids\" axis 0, \"ids\" axis 1 (sequence), "),
                                    HasSubstr("give --batch N --dim sequence=N --dim past=N")));
  // The sum follows from its terms.
  EXPECT_EQ(last_shape(model.import({1, {{"sequence", 1}, {"past", 7}}})), (Dims{1, 8, 7, 64}));
}

TEST(Dimensions, ZeroIsAnExtent) {
  Model model(13);
  model.input("past", {1, 8, -2, 128}).input("new", {1, 8, 7, 128});
  model.node("Concat", {"past", "new"}, {"keys"}, {{"axis", 2}}).output("keys");
  const LoweredGraph graph = model.import({{}, {{"N", 0}}});
  EXPECT_EQ(graph.layers[0].cost, Cost::free);
  EXPECT_EQ(last_shape(graph), (Dims{1, 8, 7, 128}));
}

}  // namespace
}  // namespace benanza::onnx
