// Problems without a call of their own, by their parts.
#include "generator/fusion/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/fusion/fusion.h"
#include "generator/generate.h"
#include "generator/tests/onnx/model.h"

namespace benanza::fusion {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> keys_of_parts(std::string_view problem) {
  std::vector<std::string> keys;
  for (const Call& part : parts(parse(problem))) keys.push_back(key(part.problem));
  return keys;
}

TEST(Parts, ARootMeanSquareIsAMeanOfSquaresAndAQuotient) {
  EXPECT_THAT(keys_of_parts("rmsnorm/3x256_e1e-06_s"),
              ElementsAre("mul/3x256_3x256", "reducemean/3x256_a1", "linear/3x1_a1_b1e-06",
                          "sqrt/3x1", "div/3x256_3x1", "mul/3x256_1x256_w"));
  EXPECT_THAT(keys_of_parts("layernorm/3x256_e1e-06_s"), IsEmpty()) << "has calls everywhere";
}

TEST(Parts, ARotationIsASwapAndTwoProducts) {
  // Halves of rows of 4 change places.
  EXPECT_THAT(keys_of_parts("rotary/1x2x5x4_t1x1x5x2"),
              ElementsAre("copy/10x2_f4.1_t4.1", "copy/10x2_f4.1_t4.1", "mul/1x2x5x4_1x1x5x4",
                          "mul/1x2x5x4_1x1x5x4", "add/1x2x5x4_1x2x5x4"));
  // Neighbours change places: every second element of all 40.
  EXPECT_THAT(keys_of_parts("rotary/1x2x5x4_t1x1x5x2_interleaved")[0], "copy/20_f2_t2");
}

TEST(Parts, AChoiceIsASumOfProducts) {
  EXPECT_THAT(keys_of_parts("select/1x1x3x4_va2_b1x2x3x4"),
              ElementsAre("linear/1x1x3x4_a-1_b1", "mul/1x1x3x4_1x1x1x1", "mul/1x2x3x4_1x1x3x4",
                          "add/1x2x3x4_1x1x3x4"));
}

TEST(Parts, WhatBecomesZeroIsAProduct) {
  EXPECT_THAT(keys_of_parts("select/1x1x3x4_va0_b1x2x3x4"),
              ElementsAre("linear/1x1x3x4_a-1_b1", "mul/1x2x3x4_1x1x3x4"));
  EXPECT_THAT(keys_of_parts("select/1x1x3x4_a1x2x3x4_vb0"), ElementsAre("mul/1x2x3x4_1x1x3x4"));
}

TEST(Parts, InfinityIsALogarithm) {
  EXPECT_THAT(keys_of_parts("select/1x1x3x4_va-inf_b1x2x3x4"),
              ElementsAre("linear/1x1x3x4_a-1_b1", "log/1x1x3x4", "add/1x2x3x4_1x1x3x4"));
  EXPECT_THAT(keys_of_parts("select/1x1x3x4_a1x2x3x4_vb-inf"),
              ElementsAre("log/1x1x3x4", "add/1x2x3x4_1x1x3x4"));
  EXPECT_THAT(keys_of_parts("select/1x1x3x4_va-inf_vbinf"), IsEmpty());
}

TEST(Parts, AreAnotherWayToDoALayer) {
  onnx::Model model(23);
  model.input("x", {3, 256}).weights("w", {256});
  model.node("RMSNormalization", {"x", "w"}, {"y"}).output("y");
  const auto fusions = find_fusions(model.import().layers);
  ASSERT_EQ(fusions.size(), 1U);
  EXPECT_EQ(fusions[0].pattern, "parts");
  EXPECT_TRUE(fusions[0].whole) << "the bound without fusion takes them";
  EXPECT_THAT(fusions[0].layers, ElementsAre(0U));
  EXPECT_EQ(problems_of(fusions[0]).size(), 6U);
}

TEST(Parts, SayWhatTheyWorkOn) {
  onnx::Model model(23);
  model.input("x", {3, 256}).weights("w", {256});
  model.node("RMSNormalization", {"x", "w"}, {"y"}).output("y");
  const auto graph = make_graph_and_flow(model.import());
  const std::vector<FlowCall>& calls = graph.flow.value().fusions.at(0).calls;
  ASSERT_EQ(calls.size(), 6U);
  using Kind = FlowOperand::Kind;
  const auto operand = [&](std::size_t call, std::size_t index) {
    const FlowOperand& one = calls[call].operands.at(index);
    return one.kind == Kind::tensor ? graph.flow->tensors[one.index].name
                                    : "call " + std::to_string(one.index);
  };
  EXPECT_EQ(operand(0, 0) + ", " + operand(0, 1), "x, x");
  EXPECT_EQ(operand(4, 0) + ", " + operand(4, 1), "x, call 3");
  EXPECT_EQ(operand(5, 0) + ", " + operand(5, 1), "call 4, w");
}

TEST(Parts, OfARotationRepeatTheTablesRows) {
  const std::vector<Call> calls = parts(parse("rotary/1x2x5x4_t1x1x5x2"));
  ASSERT_EQ(calls.size(), 5U);
  // The second half goes before the first.
  EXPECT_EQ(calls[0].from_offset, 2);
  EXPECT_EQ(calls[1].to_offset, 2);
  EXPECT_TRUE(calls[0].writes_part && calls[1].writes_part);
  EXPECT_THAT(calls[2].operands[1].numbers, ElementsAre(1, 1)) << "cosines";
  EXPECT_EQ(calls[3].operands[0], (Source{.kind = Source::Kind::call, .index = 0}));
  EXPECT_THAT(calls[3].operands[1].numbers, ElementsAre(-1, 1)) << "x1 cos - x2 sin";
  EXPECT_THAT(parts(parse("rotary/1x2x5x4_t1x1x5x2_interleaved"))[2].operands, IsEmpty());
}

TEST(Parts, OfAChoiceTakeItsNumber) {
  // c ? 2 : b, by (1 - c), c * 2, b * (1 - c) and their sum.
  const std::vector<Call> calls = parts(parse("select/1x1x3x4_va2_b1x2x3x4"));
  ASSERT_EQ(calls.size(), 4U);
  EXPECT_EQ(calls[1].operands[0], (Source{.kind = Source::Kind::input, .index = 0}));
  EXPECT_THAT(calls[1].operands[1].numbers, ElementsAre(2));
  EXPECT_EQ(calls[2].operands[0], (Source{.kind = Source::Kind::input, .index = 1})) << "b";
  EXPECT_EQ(calls[2].operands[1], (Source{.kind = Source::Kind::call, .index = 0}));
  EXPECT_EQ(calls[3].operands[0], (Source{.kind = Source::Kind::call, .index = 2}));
  EXPECT_EQ(calls[3].operands[1], (Source{.kind = Source::Kind::call, .index = 1}));
}

}  // namespace
}  // namespace benanza::fusion
