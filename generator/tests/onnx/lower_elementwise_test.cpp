// Activations, elementwise arithmetic, softmax and reductions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LoweredLayer unary(const std::string& op, const Dims& input, Attributes attributes = {},
                   int opset = 13) {
  return Model(opset).input("x", input).node(op, {"x"}, {"y"}, attributes).output("y").layer();
}

TEST(Activation, EveryKindHasItsOwnKey) {
  EXPECT_THAT(unary("Relu", {1, 2}).problems, ElementsAre("relu/1x2"));
  EXPECT_THAT(unary("Sigmoid", {1, 2}).problems, ElementsAre("sigmoid/1x2"));
  EXPECT_THAT(unary("Tanh", {}).problems, ElementsAre("tanh/1")) << "a scalar has one element";
  EXPECT_THAT(unary("LeakyRelu", {1, 2}).problems, ElementsAre("leakyrelu/1x2_a0.01"));
  EXPECT_THAT(unary("Elu", {1, 2}, {{"alpha", 0.5F}}).problems, ElementsAre("elu/1x2_a0.5"));
}

TEST(Clip, BoundsAreAttributesUpToOpset10) {
  EXPECT_THAT(unary("Clip", {4}, {{"min", 0.0F}, {"max", 6.0F}}, 10).problems,
              ElementsAre("clip/4_a0_b6"));
  EXPECT_THAT(unary("Clip", {4}, {{"max", 6.0F}}, 7).problems,
              ElementsAre("clip/4_a-3.4028235e+38_b6"));
}

TEST(Clip, BoundsAreInputsFromOpset11) {
  Model model(11);
  model.input("x", {4}).scalar("low", -1).scalar("high", 6);
  EXPECT_THAT(Model(model).node("Clip", {"x", "low", "high"}, {"y"}).output("y").layer().problems,
              ElementsAre("clip/4_a-1_b6"));
  EXPECT_THAT(Model(model).node("Clip", {"x", "", "high"}, {"y"}).output("y").layer().problems,
              ElementsAre("clip/4_a-3.4028235e+38_b6"));
  EXPECT_THAT(Model(model).node("Clip", {"x", "low"}, {"y"}).output("y").layer().problems,
              ElementsAre("clip/4_a-1_b3.4028235e+38"));
  EXPECT_EQ(Model(model).node("Clip", {"x"}, {"y"}).output("y").layer().cost, Cost::free);
}

TEST(Clip, BoundsThatTheModelMakesAreExtremesOfTwoTensors) {
  Model model(17);
  model.input("x", {4, 8}).input("low", {}).input("high", {1});
  EXPECT_THAT(Model(model).node("Clip", {"x", "low", "high"}, {"y"}).output("y").layer().problems,
              ElementsAre("max/4x8_1x1", "min/4x8_1x1"));
  EXPECT_THAT(Model(model).node("Clip", {"x", "", "high"}, {"y"}).output("y").layer().problems,
              ElementsAre("min/4x8_1x1"));
}

TEST(Arithmetic, ANumberThatChangesNothingIsFree) {
  const auto cost = [](const std::string& op, float number) {
    Model model(13);
    model.input("x", {2, 3}).scalar("number", number).node(op, {"x", "number"}, {"y"}).output("y");
    return model.layer().cost;
  };
  for (const char* op : {"Mul", "Div"}) {
    EXPECT_EQ(cost(op, 1), Cost::free) << op;
    EXPECT_EQ(cost(op, 0), Cost::measured) << op;
  }
  for (const char* op : {"Add", "Sub"}) {
    EXPECT_EQ(cost(op, 0), Cost::free) << op;
    EXPECT_EQ(cost(op, 1), Cost::measured) << op;
  }
  // The number of a run.
  Model given(13);
  given.input("x", {2, 3}).input("number", {}).node("Add", {"x", "number"}, {"y"}).output("y");
  EXPECT_EQ(given.layer().cost, Cost::measured);
  // One element with more axes: the result is no view of the operand under its own extents.
  Model deeper(13);
  deeper.input("x", {2, 3}).scalar("number", 0).integers("axes", {1, 1, 1});
  deeper.node("Reshape", {"number", "axes"}, {"zero"}).node("Add", {"x", "zero"}, {"y"});
  EXPECT_EQ(deeper.output("y").import().layers.back().cost, Cost::measured);
}

LoweredLayer binary(const std::string& op, const Dims& a, const Dims& b) {
  return Model(13).input("a", a).input("b", b).node(op, {"a", "b"}, {"y"}).output("y").layer();
}

TEST(Binary, RanksBecomeEqual) {
  EXPECT_THAT(binary("Add", {2, 3, 4}, {4}).problems, ElementsAre("add/2x3x4_1x1x4"));
  EXPECT_THAT(binary("Mul", {2, 3}, {}).problems, ElementsAre("mul/2x3_1x1"));
}

TEST(Binary, OperandsSwapOnlyWhereTheFunctionCommutes) {
  const LoweredLayer sum = binary("Add", {4}, {2, 3, 4});
  EXPECT_THAT(sum.problems, ElementsAre("add/2x3x4_1x1x4"));
  EXPECT_EQ(sum.calls[0].operands[0].index, 1);
  const LoweredLayer difference = binary("Sub", {4}, {2, 3, 4});
  EXPECT_THAT(difference.problems, ElementsAre("sub/1x1x4_2x3x4"));
  EXPECT_EQ(difference.calls[0].operands[0].index, 0);
  EXPECT_THAT(binary("Div", {}, {3}).problems, ElementsAre("div/1_3"));
}

TEST(Binary, AConstantOperandIsSecondWherePossible) {
  Model model(13);
  model.input("x", {2, 3}).weights("w", {2, 3});
  EXPECT_THAT(Model(model).node("Mul", {"w", "x"}, {"y"}).output("y").layer().problems,
              ElementsAre("mul/2x3_2x3_w"));
  EXPECT_THAT(Model(model).node("Div", {"x", "w"}, {"y"}).output("y").layer().problems,
              ElementsAre("div/2x3_2x3_w"));
  EXPECT_THAT(Model(model).node("Div", {"w", "x"}, {"y"}).output("y").layer().problems,
              ElementsAre("div/2x3_2x3"));
}

TEST(Binary, PReluBroadcastsTheSlopeOnly) {
  const auto prelu = [](const Dims& slope) {
    return Model(13)
        .input("x", {1, 3, 4, 4})
        .weights("s", slope)
        .node("PRelu", {"x", "s"}, {"y"})
        .output("y")
        .layer();
  };
  EXPECT_THAT(prelu({3, 1, 1}).problems, ElementsAre("prelu/1x3x4x4_1x3x1x1_w"));
}

TEST(Binary, IntegersAreAtLeastMovedAndConstantsFree) {
  Model model(13);
  model.input("a", {3}, ::onnx::TensorProto::INT64).integers("b", {1, 2, 3});
  const LoweredLayer data = Model(model).node("Add", {"a", "b"}, {"y"}).output("y").layer();
  EXPECT_EQ(data.cost, Cost::measured);
  EXPECT_THAT(data.problems, ElementsAre("copy/3_f1_t1"));
  EXPECT_EQ(Model(model).node("Add", {"b", "b"}, {"y"}).output("y").layer().cost, Cost::free);
}

constexpr int truth = ::onnx::TensorProto::BOOL;

TEST(Logic, IsArithmeticOfOnesAndZeros) {
  const auto logic = [](const std::string& op) {
    return Model(13)
        .input("a", {4}, truth)
        .input("b", {2, 4}, truth)
        .node(op, {"a", "b"}, {"y"})
        .output("y")
        .layer();
  };
  EXPECT_THAT(logic("And").problems, ElementsAre("min/2x4_1x4"));
  EXPECT_THAT(logic("Or").problems, ElementsAre("max/2x4_1x4"));
  EXPECT_THAT(logic("Xor").problems, ElementsAre("ne/1x4_2x4"));
  EXPECT_THAT(logic("Equal").problems, ElementsAre("eq/1x4_2x4"));
  Model model(13);
  model.input("x", {2, 4}, truth).node("Not", {"x"}, {"y"});
  EXPECT_THAT(model.output("y").layer().problems, ElementsAre("linear/2x4_a-1_b1"));
}

TEST(Logic, IntegersAreNotComparedOnlyMoved) {
  Model model(13);
  model.input("a", {4}, ::onnx::TensorProto::INT64).input("b", {4}, ::onnx::TensorProto::INT64);
  const LoweredLayer layer = model.node("Equal", {"a", "b"}, {"y"}).output("y").layer();
  EXPECT_EQ(layer.cost, Cost::measured);
  EXPECT_TRUE(layer.calls.at(0).is_proxy);
}

/// Positions of tokens as RoBERTa computes them: a running sum over what is no padding, times that.
TEST(Integers, ArithmeticIsACopyOfItsResult) {
  constexpr auto int64 = ::onnx::TensorProto::INT64;
  Model model(14);
  model.input("mask", {2, 64}, int64).integers("axis", {1}).integers("padding", {1});
  model.node("CumSum", {"mask", "axis"}, {"sum"}).node("Mul", {"sum", "mask"}, {"places"});
  model.node("Add", {"places", "padding"}, {"positions"});
  model.node("ArgMax", {"positions"}, {"last"}, {{"axis", 1}, {"keepdims", 0}});
  const LoweredGraph graph = model.output("last").import();
  ASSERT_EQ(graph.layers.size(), 4);
  for (const LoweredLayer& layer : graph.layers) EXPECT_EQ(layer.cost, Cost::measured);
  EXPECT_THAT(graph.layers[0].problems, ElementsAre("copy/128_f1_t1"));
  EXPECT_THAT(graph.layers[3].problems, ElementsAre("copy/2_f1_t1"));
}

TEST(Integers, ArithmeticIsACopyOfTheLargerOperand) {
  constexpr auto int64 = ::onnx::TensorProto::INT64;
  Model model(14);
  model.input("position", {1}, int64).input("keys", {1, 128}, int64);
  const LoweredLayer layer =
      model.node("GreaterOrEqual", {"position", "keys"}, {"seen"}).output("seen").layer();
  EXPECT_THAT(layer.problems, ElementsAre("copy/128_f1_t1"));
  EXPECT_THAT(layer.calls[0].operands, ElementsAre(Source{.index = 1}));
}

TEST(CumSum, OfShortRowsIsAProductWithATriangle) {
  const auto sums = [](const Dims& dims, int axis, const Attributes& attributes = {}) {
    Model model(14);
    model.input("x", dims).integers("axis", {axis});
    return model.node("CumSum", {"x", "axis"}, {"y"}, attributes).output("y").layer();
  };
  EXPECT_THAT(sums({2, 5, 3}, -1).problems, ElementsAre("gemm/m10_n3_k3_nn_w"));
  // Column j adds the elements up to j.
  EXPECT_THAT(sums({1, 3}, 1).calls[0].operands[1].numbers, ElementsAre(1, 1, 1, 0, 1, 1, 0, 0, 1));
  EXPECT_THAT(sums({1, 3}, 1, {{"exclusive", 1}, {"reverse", 1}}).calls[0].operands[1].numbers,
              ElementsAre(0, 0, 0, 1, 0, 0, 1, 1, 0));
  EXPECT_THAT(sums({2, 129}, 1).reason, HasSubstr("running sums of 129 elements"));
  EXPECT_THAT(sums({2, 3, 7}, 1).reason, HasSubstr("running sums of 3 rows"));
}

/// A condition of 1x1x8x8, and data of 1x12x8x8.
Model conditional() {
  Model model(13);
  model.input("c", {1, 1, 8, 8}, truth).input("x", {1, 12, 8, 8}).input("z", {8});
  return model.scalar("zero", 0).scalar("hidden", -INFINITY).weights("w", {1, 12, 1, 1});
}

LoweredLayer where(const std::string& a, const std::string& b) {
  return conditional().node("Where", {"c", a, b}, {"y"}).output("y").layer();
}

TEST(Where, TakesTensorsOfAllExtentsAndConstantNumbers) {
  EXPECT_THAT(where("x", "z").problems, ElementsAre("select/1x1x8x8_a1x12x8x8_b1x1x1x8"));
  EXPECT_THAT(where("x", "w").problems, ElementsAre("select/1x1x8x8_a1x12x8x8_b1x12x1x1_w"));
  const LoweredLayer cleared = where("zero", "x");
  EXPECT_THAT(cleared.problems, ElementsAre("select/1x1x8x8_va0_b1x12x8x8"));
  EXPECT_EQ(cleared.cost, Cost::measured);
  EXPECT_THAT(cleared.calls[0].operands,
              ElementsAre(Source{Source::Kind::input, 0, 1}, Source{Source::Kind::input, 2, 1}));
  const LoweredLayer mask = where("zero", "hidden");
  EXPECT_THAT(mask.problems, ElementsAre("select/1x1x8x8_va0_vb-inf"));
  EXPECT_EQ(mask.calls[0].operands.size(), 1U);
  EXPECT_EQ(mask.flops, 64);
  EXPECT_EQ(mask.bytes, 64 + 4 * 64);
}

TEST(Where, ANumberThatIsNoneIsATensor) {
  Model model(13);
  model.input("c", {4}, truth).input("x", {4}).scalar("none", NAN);
  EXPECT_THAT(model.node("Where", {"c", "none", "x"}, {"y"}).output("y").layer().problems,
              ElementsAre("select/4_a1_w_b4"));
}

TEST(Where, AConstantConditionIsAWeight) {
  Model model(13);
  model.input("x", {2, 3}).input("z", {2, 3}).integers("i", {1, 0, 1});
  model.node("Cast", {"i"}, {"c"}, {{"to", truth}});
  EXPECT_THAT(model.node("Where", {"c", "x", "z"}, {"y"}).output("y").layer().problems,
              ElementsAre("select/1x3_w_a2x3_b2x3"));
}

TEST(Where, IntegersOfTheRunAreAtLeastMovedAndConstantsFree) {
  Model model(13);
  model.input("c", {3}, truth).input("x", {3}, ::onnx::TensorProto::INT64);
  model.integers("i", {1, 2, 3});
  const LoweredLayer data = Model(model).node("Where", {"c", "x", "i"}, {"y"}).output("y").layer();
  EXPECT_EQ(data.cost, Cost::measured);
  EXPECT_THAT(data.reason, HasSubstr("integers, for which no library has a call"));
  EXPECT_THAT(data.problems, ElementsAre("copy/3_f1_t1"));
  Model constants(13);
  constants.integers("i", {1, 0, 3}).node("Cast", {"i"}, {"c"}, {{"to", truth}});
  EXPECT_EQ(constants.node("Where", {"c", "i", "i"}, {"y"}).output("y").layer().cost, Cost::free);
}

TEST(Variadic, AChainOfPairs) {
  Model model(13);
  model.input("a", {4}).input("b", {2, 4}).input("c", {2, 1});
  const LoweredLayer layer = Model(model).node("Max", {"a", "b", "c"}, {"y"}).output("y").layer();
  EXPECT_THAT(layer.problems, ElementsAre("max/2x4_1x4", "max/2x4_2x1"));
  EXPECT_EQ(layer.calls[1].operands[0], (Source{Source::Kind::call, 0, 1}));
  EXPECT_EQ(layer.calls[1].operands[1], (Source{Source::Kind::input, 2, 1}));
  EXPECT_THAT(Model(model).node("Sum", {"a", "b"}, {"y"}).output("y").layer().problems,
              ElementsAre("add/2x4_1x4"));
  EXPECT_EQ(Model(model).node("Min", {"a"}, {"y"}).output("y").layer().cost, Cost::free);
}

TEST(Softmax, CoercedToAMatrixBeforeOpset13) {
  EXPECT_THAT(unary("Softmax", {2, 3, 4}, {}, 11).problems, ElementsAre("softmax/2x12_a1"));
  EXPECT_THAT(unary("Softmax", {2, 3, 4}, {{"axis", 0}}, 11).problems,
              ElementsAre("softmax/1x24_a1"));
  EXPECT_THAT(unary("Softmax", {2, 3, 1, 4}, {{"axis", -3}}, 12).problems,
              ElementsAre("softmax/2x12_a1"));
}

// The same problem as from opset 13.
TEST(Softmax, OfOneLongAxisIsAlongItBeforeOpset13) {
  EXPECT_THAT(unary("Softmax", {2, 3, 4}, {{"axis", 2}}, 7).problems,
              ElementsAre("softmax/2x3x4_a2"));
  EXPECT_THAT(unary("LogSoftmax", {2, 3, 4}, {{"axis", -1}}, 11).problems,
              ElementsAre("logsoftmax/2x3x4_a2"));
  EXPECT_THAT(unary("Softmax", {5, 1, 4}, {}, 11).problems, ElementsAre("softmax/5x1x4_a2"));
  EXPECT_THAT(unary("Softmax", {1, 9, 1, 1}, {}, 9).problems, ElementsAre("softmax/1x9x1x1_a1"));
  EXPECT_THAT(unary("Softmax", {1, 1, 7}, {{"axis", 0}}, 12).problems,
              ElementsAre("softmax/1x1x7_a2"));
  EXPECT_THAT(unary("Softmax", {5, 1, 1}, {}, 11).problems, ElementsAre("softmax/5x1x1_a1"));
}

TEST(Softmax, AlongOneAxisFromOpset13) {
  EXPECT_THAT(unary("Softmax", {2, 3, 4}).problems, ElementsAre("softmax/2x3x4_a2"));
  EXPECT_THAT(unary("LogSoftmax", {2, 3, 4}, {{"axis", -2}}).problems,
              ElementsAre("logsoftmax/2x3x4_a1"));
}

TEST(Reduce, AxesOfAttributeOrInput) {
  EXPECT_THAT(unary("ReduceMean", {2, 3, 4}, {{"axes", Dims{-1, 1}}, {"keepdims", 0}}).problems,
              ElementsAre("reducemean/2x3x4_a1.2"));
  EXPECT_THAT(unary("ReduceMax", {2, 3}).problems, ElementsAre("reducemax/2x3_a0.1"));
  Model model(13);
  model.input("x", {2, 3}).integers("axes", {-1});
  EXPECT_THAT(model.node("ReduceSum", {"x", "axes"}, {"y"}).output("y").layer().problems,
              ElementsAre("reducesum/2x3_a1"));
}

TEST(Reduce, NoAxisMayMeanNone) {
  Model model(13);
  model.input("x", {2, 3}).integers("axes", {});
  EXPECT_EQ(Model(model)
                .node("ReduceSum", {"x", "axes"}, {"y"}, {{"noop_with_empty_axes", 1}})
                .output("y")
                .layer()
                .cost,
            Cost::free);
  EXPECT_THAT(Model(model).node("ReduceSum", {"x", "axes"}, {"y"}).output("y").layer().problems,
              ElementsAre("reducesum/2x3_a0.1"));
}

TEST(Reduce, AxesAsAnInputFromOpset18) {
  const LoweredLayer layer = Model(18)
                                 .input("x", {2, 3, 4})
                                 .integers("axes", {1})
                                 .node("ReduceMean", {"x", "axes"}, {"y"})
                                 .output("y")
                                 .layer();
  EXPECT_THAT(layer.problems, ElementsAre("reducemean/2x3x4_a1")) << layer.reason;
  EXPECT_EQ(layer.outputs[0].shape, (Dims{2, 1, 4}));
}

}  // namespace
}  // namespace benanza::onnx
