// Operators that exporters decompose, and lookalikes.
#include "generator/fusion/whole/whole.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/tests/fusion/whole_operators.h"

namespace benanza::fusion {
namespace {

using onnx::Model;

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Nodes after x, 2x7x12, which is the result of a layer.
class Whole : public testing::Test {
 protected:
  Whole() : model_(18) {
    model_.input("image", {2, 7, 12}).weights("s", {12}).weights("b", {12}).weights("rows", {7, 1});
    model_.node("Tanh", {"image"}, {"x"});
  }

  /// Adds a node `op`; inputs that are numbers become constants. Returns the name of its result.
  std::string add(const std::string& op, std::vector<std::string> inputs,
                  onnx::Attributes attributes = {}) {
    for (std::string& input : inputs) {
      if (input.find_first_not_of("-.0123456789e") != std::string::npos) continue;
      const std::string name = "c" + std::to_string(count_++);
      model_.scalar(name, std::stof(input));
      input = name;
    }
    const std::string result = "y" + std::to_string(count_++);
    model_.node(op, inputs, {result}, attributes);
    return result;
  }

  std::string mean(const std::string& of, std::int64_t axis = -1) {
    return add("ReduceMean", {of}, {{"axes", Dims{axis}}});
  }

  std::vector<std::string> found(const std::string& result) {
    return whole_operators(model_.output(result));
  }

  Model model_;
  int count_ = 0;
};

TEST_F(Whole, GeluAsTorchWritesIt) {
  const auto e = add("Erf", {add("Div", {"x", "1.4142135381698608"})});
  const auto y = add("Mul", {add("Mul", {"x", add("Add", {e, "1"})}), "0.5"});
  EXPECT_THAT(found(y), ElementsAre("gelu 1 2 3 4 5: gelu/2x7x12"));
}

TEST_F(Whole, GeluWithItsFactorsElsewhere) {
  const auto e = add("Erf", {add("Mul", {"x", "0.70703125"})});  // as fp16 holds it
  const auto y = add("Mul", {add("Mul", {"x", "0.5"}), add("Add", {"1", e})});
  EXPECT_THAT(found(y), ElementsAre("gelu 1 2 3 4 5: gelu/2x7x12"));
}

TEST_F(Whole, GeluWithItsHalfInside) {
  const auto e = add("Erf", {add("Div", {"x", "1.41421356"})});
  const auto y = add("Mul", {add("Add", {add("Mul", {"0.5", e}), "0.5"}), "x"});
  EXPECT_THAT(found(y), ElementsAre("gelu 1 2 3 4 5: gelu/2x7x12"));
}

TEST_F(Whole, GeluWithAnotherConstantIsNone) {
  const auto e = add("Erf", {add("Div", {"x", "1.5"})});
  const auto y = add("Mul", {add("Mul", {"x", add("Add", {e, "1"})}), "0.5"});
  EXPECT_THAT(found(y), IsEmpty());
}

TEST_F(Whole, GeluWhoseInnerResultIsReadElsewhereIsNone) {
  const auto e = add("Erf", {add("Div", {"x", "1.41421356"})});
  const auto y = add("Mul", {add("Mul", {"x", add("Add", {e, "1"})}), "0.5"});
  model_.output(e);
  EXPECT_THAT(found(y), IsEmpty());
}

TEST_F(Whole, GeluByTanhWithAPower) {
  const auto cube = add("Mul", {add("Pow", {"x", "3"}), "0.044715"});
  const auto inner = add("Mul", {add("Add", {"x", cube}), "0.7978845834732056"});
  const auto t = add("Add", {add("Tanh", {inner}), "1"});
  const auto y = add("Mul", {add("Mul", {"x", t}), "0.5"});
  EXPECT_THAT(found(y), ElementsAre("cube 1: mul/2x7x12_2x7x12_mul_y2x7x12",
                                    "gelutanh 1 2 3 4 5 6 7 8: gelutanh/2x7x12"));
}

TEST_F(Whole, GeluByTanhWithProducts) {
  const auto cube = add("Mul", {"x", add("Mul", {"x", "x"})});
  const auto inner = add("Add", {"x", add("Mul", {"0.044715", cube})});
  const auto t = add("Tanh", {add("Mul", {"0.79788456", inner})});
  const auto y = add("Mul", {add("Mul", {"0.5", "x"}), add("Add", {"1", t})});
  EXPECT_THAT(found(y), ElementsAre("gelutanh 1 2 3 4 5 6 7 8 9: gelutanh/2x7x12"));
}

TEST_F(Whole, SwishOfAnyFactor) {
  EXPECT_THAT(found(add("Mul", {"x", add("Sigmoid", {"x"})})),
              ElementsAre("swish 1 2: swish/2x7x12_a1"));
}

TEST_F(Whole, QuickGelu) {
  EXPECT_THAT(found(add("Mul", {add("Sigmoid", {add("Mul", {"x", "1.702"})}), "x"})),
              ElementsAre("swish 1 2 3: swish/2x7x12_a1.702"));
}

TEST_F(Whole, TheOtherHalfOfAGateIsNoSwish) {
  // silu(a) b of the halves of x: the sigmoid of one half times the other is not a swish.
  model_.node("Split", {"x"}, {"a", "c"}, {{"axis", -1}, {"num_outputs", 2}});
  EXPECT_THAT(found(add("Mul", {"c", add("Sigmoid", {"a"})})), IsEmpty());
}

TEST_F(Whole, SwiGluOfTheHalvesOfATensor) {
  model_.node("Split", {"x"}, {"a", "c"}, {{"axis", -1}, {"num_outputs", 2}});
  const auto y = add("Mul", {add("Mul", {"a", add("Sigmoid", {"a"})}), "c"});
  std::vector<std::string> problems;
  for (const Fusion& fusion : find_fusions(model_.output(y).import().layers)) {
    problems.push_back(fusion.problem);
  }
  EXPECT_THAT(problems, ElementsAre("swish/2x7x6_a1", "swish/2x7x6_a1_mul_y2x7x6"));
}

TEST_F(Whole, HardSwish) {
  EXPECT_THAT(found(add("Mul", {"x", add("HardSigmoid", {"x"}, {{"alpha", 1.0F / 6}})})),
              ElementsAre("hardswish 1 2: hardswish/2x7x12"));
}

TEST_F(Whole, HardSwishByAClip) {
  const auto clipped = add("Clip", {add("Add", {"x", "3"}), "0", "6"});
  EXPECT_THAT(found(add("Div", {add("Mul", {"x", clipped}), "6"})),
              ElementsAre("hardswish 1 2 3 4: hardswish/2x7x12"));
}

TEST_F(Whole, HardSigmoidWithItsOwnSlopeIsNoHardSwish) {
  EXPECT_THAT(found(add("Mul", {"x", add("HardSigmoid", {"x"})})), IsEmpty());
}

TEST_F(Whole, MishAndSoftplus) {
  const auto softplus = add("Log", {add("Add", {add("Exp", {"x"}), "1"})});
  EXPECT_THAT(found(add("Mul", {"x", add("Tanh", {softplus})})),
              ElementsAre("softplus 1 2 3: softplus/2x7x12", "mish 1 2 3 4 5: mish/2x7x12"));
}

TEST_F(Whole, LayerNormalizationAsTorchWritesIt) {
  const auto d = add("Sub", {"x", mean("x")});
  const auto variance = mean(add("Pow", {d, "2"}));
  const auto n = add("Div", {d, add("Sqrt", {add("Add", {variance, "1e-5"})})});
  const auto y = add("Add", {add("Mul", {n, "s"}), "b"});
  EXPECT_THAT(found(y), ElementsAre("square 3: mul/2x7x12_2x7x12",
                                    "layernorm 1 2 3 4 5 6 7: layernorm/14x12_e1e-05",
                                    "layernorm 1 2 3 4 5 6 7 8: layernorm/14x12_e1e-05_s",
                                    "layernorm 1 2 3 4 5 6 7 8 9: layernorm/14x12_e1e-05_sb"));
}

TEST_F(Whole, LayerNormalizationWithTwoDifferencesAndCasts) {
  const auto m = mean("x");
  const auto d = add("Sub", {"x", m});
  const auto half = add("Cast", {d}, {{"to", 10}});
  const auto cast = add("Cast", {half}, {{"to", 1}});
  const auto variance = mean(add("Mul", {cast, cast}));
  const auto root = add("Sqrt", {add("Add", {"1e-12", variance})});
  const auto y = add("Add", {"b", add("Mul", {"s", add("Div", {add("Sub", {"x", m}), root})})});
  EXPECT_THAT(found(y), Contains(testing::EndsWith(": layernorm/14x12_e1e-12_sb")));
}

TEST_F(Whole, LayerNormalizationAsTensorFlowWritesIt) {
  // x (r s) + (b - mean (r s)) with r = 1 / sqrt(variance + epsilon).
  const auto m = mean("x");
  const auto d = add("Sub", {"x", m});
  const auto variance = mean(add("Mul", {d, d}));
  const auto r = add("Reciprocal", {add("Sqrt", {add("Add", {variance, "1e-6"})})});
  const auto factor = add("Mul", {r, "s"});
  const auto shift = add("Sub", {"b", add("Mul", {m, factor})});
  EXPECT_THAT(found(add("Add", {add("Mul", {"x", factor}), shift})),
              ElementsAre("layernorm 1 2 3 4 5 6 7 8 9 10 11 12: layernorm/14x12_e1e-06_sb"));
}

TEST_F(Whole, WhatIsRoundedToIntegersIsAnotherTensor) {
  const auto whole = add("Cast", {add("Cast", {"x"}, {{"to", 7}})}, {{"to", 1}});
  EXPECT_THAT(found(add("Mul", {"x", add("Sigmoid", {whole})})), IsEmpty());
}

TEST_F(Whole, ANormalizationOverAnotherAxisIsNone) {
  const auto d = add("Sub", {"x", mean("x", 1)});
  const auto variance = mean(add("Mul", {d, d}), 1);
  const auto n = add("Div", {d, add("Sqrt", {add("Add", {variance, "1e-5"})})});
  EXPECT_THAT(found(add("Add", {add("Mul", {n, "s"}), "b"})), IsEmpty());
}

TEST_F(Whole, AScaleOfAnotherAxisIsNone) {
  const auto d = add("Sub", {"x", mean("x")});
  const auto variance = mean(add("Mul", {d, d}));
  const auto n = add("Div", {d, add("Sqrt", {add("Add", {variance, "1e-5"})})});
  EXPECT_THAT(found(add("Mul", {n, "rows"})),
              ElementsAre("layernorm 1 2 3 4 5 6 7: layernorm/14x12_e1e-05"));
}

TEST_F(Whole, ANormalizationWithoutItsRootIsNone) {
  const auto d = add("Sub", {"x", mean("x")});
  const auto variance = mean(add("Mul", {d, d}));
  EXPECT_THAT(found(add("Div", {d, add("Add", {variance, "1e-5"})})), IsEmpty());
}

TEST_F(Whole, RootMeanSquareWithAReciprocal) {
  const auto square = mean(add("Pow", {"x", "2"}));
  const auto root = add("Reciprocal", {add("Sqrt", {add("Add", {square, "1e-6"})})});
  const auto y = add("Mul", {"s", add("Mul", {"x", root})});
  EXPECT_THAT(found(y), ElementsAre("square 1: mul/2x7x12_2x7x12",
                                    "rmsnorm 1 2 3 4 5 6: rmsnorm/14x12_e1e-06",
                                    "rmsnorm 1 2 3 4 5 6 7: rmsnorm/14x12_e1e-06_s"));
}

TEST_F(Whole, RootMeanSquareWithAQuotientAndNoScale) {
  const auto square = mean(add("Mul", {"x", "x"}));
  const auto y = add("Div", {"x", add("Sqrt", {add("Add", {square, "1e-6"})})});
  EXPECT_THAT(found(y), ElementsAre("rmsnorm 1 2 3 4 5: rmsnorm/14x12_e1e-06"));
}

TEST_F(Whole, UnitLength) {
  const auto y = add("Div", {"x", add("ReduceL2", {"x"}, {{"axes", Dims{-1}}})});
  // 1 / sqrt(12)
  EXPECT_THAT(found(y), ElementsAre("l2norm 1 2: rmsnorm/14x12_e0_linear_a0.28867513_b0"));
}

TEST_F(Whole, UnitLengthAsTorchWritesIt) {
  const auto length = add("ReduceL2", {"x"}, {{"axes", Dims{-1}}});
  model_.integers("extents", {2, 7, 12});
  const auto bounded = add("Clip", {length, "1e-12"});
  EXPECT_THAT(found(add("Div", {"x", add("Expand", {bounded, "extents"})})),
              ElementsAre("l2norm 1 2 3 4: rmsnorm/14x12_e0_linear_a0.28867513_b0"));
}

TEST_F(Whole, UnitLengthWithABoundThatShowsIsNone) {
  const auto length = add("ReduceL2", {"x"}, {{"axes", Dims{-1}}});
  EXPECT_THAT(found(add("Div", {"x", add("Clip", {length, "0.01"})})), IsEmpty());
}

TEST_F(Whole, LogSoftmax) {
  EXPECT_THAT(found(add("Log", {add("Softmax", {"x"}, {{"axis", -1}})})),
              ElementsAre("logsoftmax 1 2: logsoftmax/2x7x12_a2"));
}

TEST_F(Whole, SoftmaxTakenApart) {
  const auto greatest = add("ReduceMax", {"x"}, {{"axes", Dims{-1}}});
  const auto e = add("Exp", {add("Sub", {"x", greatest})});
  const auto sum = add("ReduceSum", {e, "axes"});
  model_.integers("axes", {-1});
  EXPECT_THAT(found(add("Div", {e, sum})), ElementsAre("softmax 1 2 3 4 5: softmax/2x7x12_a2"));
}

TEST_F(Whole, SoftmaxWhoseMaskedRowsBecomeZeros) {
  const auto s = add("Softmax", {"x"}, {{"axis", -1}});
  EXPECT_THAT(found(add("Where", {add("IsNaN", {s}), "0", s})),
              ElementsAre("softmax 1 2 3: softmax/2x7x12_a2"));
}

TEST_F(Whole, SoftmaxOfOtherNumbersWhereTheyAreLargeIsNone) {
  const auto bounded = add("Where", {add("Less", {"x", "10"}), "x", "10"});
  EXPECT_THAT(found(add("Softmax", {bounded}, {{"axis", -1}})), IsEmpty());
}

TEST_F(Whole, AFunctionByAChoice) {
  const auto y = add("Where", {add("Greater", {"x", "0"}), "x", add("Mul", {"x", "0.1"})});
  EXPECT_THAT(found(y), ElementsAre("leakyrelu 1 2 3: leakyrelu/2x7x12_a0.1"));
}

TEST_F(Whole, AFunctionThatEndsSomewhereIsAnother) {
  const auto y =
      add("Where", {add("Less", {"x", "10"}), add("Mul", {"x", add("Sigmoid", {"x"})}), "0"});
  EXPECT_THAT(found(y), Not(Contains(HasSubstr(" 1 2 3 4"))));
}

TEST_F(Whole, AChoiceByOtherDataIsNone) {
  model_.input("mask", {2, 7, 12}, ::onnx::TensorProto::BOOL);
  const auto s = add("Softmax", {"x"}, {{"axis", -1}});
  EXPECT_THAT(found(add("Where", {"mask", "0", s})), IsEmpty());
}

TEST_F(Whole, IsOneStepOfARegion) {
  model_.weights("w", {12, 24}).weights("wb", {24});
  model_.node("MatMul", {"x", "w"}, {"m"}).node("Add", {"m", "wb"}, {"h"});
  const auto e = add("Erf", {add("Div", {"h", "1.41421356"})});
  const auto y = add("Mul", {add("Mul", {"h", add("Add", {e, "1"})}), "0.5"});
  std::vector<std::string> lines;
  for (const Fusion& fusion : find_fusions(model_.output(y).import().layers)) {
    std::string line = fusion.pattern;
    for (const std::size_t layer : fusion.layers) line += ' ' + std::to_string(layer);
    lines.push_back(line + ": " + fusion.problem + (fusion.whole ? " whole" : ""));
  }
  EXPECT_THAT(lines, ElementsAre("gemm_bias 1 2: gemm/m14_n24_k12_nn_w_bias whole",
                                 "gelu 3 4 5 6 7: gelu/2x7x24 whole",
                                 "gemm_bias_gelu 1 2 3 4 5 6 7: gemm/m14_n24_k12_nn_w_bias_gelu"));
}

TEST_F(Whole, BeginsARegion) {
  model_.input("z", {2, 7, 12});
  const auto d = add("Sub", {"x", mean("x")});
  const auto variance = mean(add("Mul", {d, d}));
  const auto n = add("Div", {d, add("Sqrt", {add("Add", {variance, "1e-5"})})});
  const auto y = add("Add", {add("Add", {add("Mul", {n, "s"}), "b"}), "z"});
  std::vector<std::string> problems;
  for (const Fusion& fusion : find_fusions(model_.output(y).import().layers)) {
    problems.push_back(fusion.problem);
  }
  EXPECT_THAT(problems, Contains("layernorm/14x12_e1e-05_sb_add_y14x12"));
}

}  // namespace
}  // namespace benanza::fusion
