// Inputs whose values the user provides.
#include "generator/onnx/read/make_inputs_constant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "generator/onnx/model/tensor.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using ::onnx::TensorProto;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::VariantWith;

std::string error_of(Model model, const std::string& name, const std::string& value) {
  try {
    model.import({.batch = {}, .dims = {}, .values = {{name, value}}});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Literal fed(int type, const Dims& dims, const std::string& values) {
  Model model(13);
  model.input("v", dims, type).input("x", {2}).node("Relu", {"x"}, {"y"}).output("y");
  make_inputs_constant(model.proto(), {{"v", values}}, "m");
  EXPECT_EQ(model.graph().input_size(), 1);
  EXPECT_EQ(model.graph().initializer_size(), 1);
  return read_literal(model.graph().initializer(0)).value();
}

/// Adds an If with these branches, of "x", that makes "y".
void add_choice(Model& model, const std::string& condition) {
  model.node("If", {condition}, {"y"});
  for (const char* const branch : {"then_branch", "else_branch"}) {
    Model body(13);
    body.node(branch == std::string("then_branch") ? "Relu" : "Tanh", {"x"}, {"r"}).output("r");
    auto& attribute = *model.last().add_attribute();
    attribute.set_name(branch);
    attribute.set_type(::onnx::AttributeProto::GRAPH);
    *attribute.mutable_g() = body.graph();
  }
  model.output("y");
}

TEST(Feed, PicksTheBranchOfAnIf) {
  Model model(13);
  model.input("x", {2, 3}).input("cached", {1}, TensorProto::BOOL);
  add_choice(model, "cached");
  EXPECT_EQ(model.layer().cost, Cost::unsupported);
  EXPECT_THAT(model.layer().reason, HasSubstr("give --input cached=true or --input cached=false"));
  const auto chosen = [&](const char* value) {
    return model.layer({.batch = {}, .dims = {}, .values = {{"cached", value}}}).problems;
  };
  EXPECT_THAT(chosen("true"), ElementsAre("relu/2x3"));
  EXPECT_THAT(chosen("0"), ElementsAre("tanh/2x3"));
}

TEST(Feed, AComputedChoiceNamesWhatDecidesIt) {
  Model model(13);
  model.input("x", {2, 3}).input("n", {}, TensorProto::INT64).integers("two", {2});
  model.node("Greater", {"n", "two"}, {"many"});
  add_choice(model, "many");
  EXPECT_THAT(model.layer().reason, HasSubstr("give --input n=VALUE"));
  EXPECT_THAT(model.layer({.batch = {}, .dims = {}, .values = {{"n", "3"}}}).problems,
              ElementsAre("relu/2x3"));
}

TEST(Feed, AChoiceByDataNamesNoFlag) {
  Model model(13);
  model.input("x", {2, 300}).node("ReduceMax", {"x"}, {"most"}, {{"keepdims", 0}});
  model.scalar("zero", 0).node("Greater", {"most", "zero"}, {"any"});
  add_choice(model, "any");
  EXPECT_THAT(model.layer().reason, testing::Not(HasSubstr("--input")));
}

TEST(Feed, StatesAShape) {
  Model model(13);
  model.input("x", {6}).input("shape", {2}, TensorProto::INT64);
  model.node("Reshape", {"x", "shape"}, {"y"}).node("Relu", {"y"}, {"z"}).output("z");
  EXPECT_THAT(model.layer({.batch = {}, .dims = {}, .values = {{"shape", "2,-1"}}}).problems,
              ElementsAre("relu/2x3"));
}

TEST(Feed, EveryTypeItKnows) {
  const auto integers = [](std::vector<std::int64_t> values) {
    return VariantWith<std::vector<std::int64_t>>(values);
  };
  EXPECT_THAT(fed(TensorProto::BOOL, {2}, "true,0"), integers({1, 0}));
  EXPECT_THAT(fed(TensorProto::INT8, {}, "-128"), integers({-128}));
  EXPECT_THAT(fed(TensorProto::UINT8, {}, "255"), integers({255}));
  EXPECT_THAT(fed(TensorProto::INT16, {}, "-7"), integers({-7}));
  EXPECT_THAT(fed(TensorProto::UINT16, {}, "7"), integers({7}));
  EXPECT_THAT(fed(TensorProto::INT32, {3}, "4"), integers({4, 4, 4}));
  EXPECT_THAT(fed(TensorProto::INT64, {2, 2}, "1,2,3,4"), integers({1, 2, 3, 4}));
  EXPECT_THAT(fed(TensorProto::UINT32, {}, "4294967295"), integers({4294967295}));
  EXPECT_THAT(fed(TensorProto::UINT64, {}, "5"), integers({5}));
  EXPECT_THAT(fed(TensorProto::FLOAT, {2}, "0.5,-1e3"),
              VariantWith<std::vector<double>>(ElementsAre(0.5, -1000)));
  EXPECT_THAT(fed(TensorProto::DOUBLE, {}, "0.1"),
              VariantWith<std::vector<double>>(ElementsAre(0.1)));
}

// Files of the first ONNX versions list initializers among the inputs; such a value is a default.
TEST(Feed, ReplacesADefault) {
  Model model(13);
  model.input("shape", {2}, TensorProto::INT64).integers("shape", {6, 1}).input("x", {2, 3});
  model.node("Reshape", {"x", "shape"}, {"y"}).node("Relu", {"y"}, {"z"}).output("z");
  EXPECT_THAT(model.layer().problems, ElementsAre("relu/6x1"));
  EXPECT_THAT(model.layer({.batch = {}, .dims = {}, .values = {{"shape", "3,2"}, {"nobody", "1"}}})
                  .problems,
              ElementsAre("relu/3x2"));
}

TEST(Feed, ErrorsSayWhatIsWrongWithWhichInput) {
  Model model(13);
  model.input("x", {2}).input("n", {2}, TensorProto::INT64).input("h", {1}, TensorProto::FLOAT16);
  model.input("b", {}, TensorProto::BOOL).input("u", {}, TensorProto::UINT8);
  model.node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_THAT(error_of(model, "n", "1,2,3"),
              HasSubstr("--input n=1,2,3: gives 3 values, the input has 2: give all, or one"));
  EXPECT_THAT(error_of(model, "n", "1,x"), HasSubstr("\"x\" is no value of type int64"));
  EXPECT_THAT(error_of(model, "n", "1,"), HasSubstr("\"\" is no value"));
  EXPECT_THAT(error_of(model, "n", "1.5"), HasSubstr("\"1.5\" is no value"));
  EXPECT_THAT(error_of(model, "b", "yes"), HasSubstr("\"yes\" is no value of type bool"));
  EXPECT_THAT(error_of(model, "b", "2"), HasSubstr("\"2\" is no value of type bool"));
  EXPECT_THAT(error_of(model, "u", "256"), HasSubstr("\"256\" is no value of type uint8"));
  EXPECT_THAT(error_of(model, "h", "1"), HasSubstr("of type float16"));
  EXPECT_THAT(error_of(model, "n", "1,2"), IsEmpty());
}

TEST(Feed, LargeInputsAreNotStated) {
  Model model(13);
  model.input("x", {1 << 17}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_THAT(error_of(model, "x", "1"), HasSubstr("values of up to 65536 can be stated"));
}

}  // namespace
}  // namespace benanza::onnx
