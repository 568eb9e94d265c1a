// Attention however it is written: opsets, factors, causal masks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "generator/tests/fusion/attention_models.h"

namespace benanza::fusion {
namespace {

using onnx::Model;

using testing::ElementsAre;
using testing::IsEmpty;

TEST(AttentionForms, EveryOpsetHasTheSameProblem) {
  for (const int opset : {11, 12, 13, 17}) {
    Model model = scored(opset);
    model.scalar("quarter", 0.25F).node("Mul", {"s", "quarter"}, {"m"});
    EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x5x16_k4x5x16_s0.25"))
        << opset;
  }
}

TEST(AttentionForms, ASoftmaxOverQueriesAndKeysIsNone) {
  Model model = scored(11);
  model.node("Identity", {"s"}, {"m"});
  EXPECT_THAT(problems(attended(model, 2)), IsEmpty());
}

TEST(AttentionForms, AMaskOfZerosIsNone) {
  const auto summed = [](float last) {
    Model model = scored(17, 2, 3);
    model.reals("mask", {1, 1, 2, 3}, {0, 0, 0, 0, 0, last}).node("Add", {"s", "mask"}, {"m"});
    return problems(attended(model));
  };
  EXPECT_THAT(summed(0), ElementsAre("attention/2x4x2x16_k4x3x16_s1"));
  EXPECT_THAT(summed(-9), ElementsAre("attention/2x4x2x16_k4x3x16_s1_m1x1x2x3"));
}

TEST(AttentionForms, ZerosForEachHeadAreABias) {
  Model model = scored(17, 2, 3);
  model.weights("bias", {1, 4, 2, 3}).node("Add", {"s", "bias"}, {"m"});
  EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x2x16_k4x3x16_s1_m1x4x2x3"));
}

TEST(AttentionForms, AChoiceOfAllScoresIsNone) {
  const auto chosen = [](bool last) {
    Model model = scored(17, 2, 3);
    model.truths("mask", {1, 1, 2, 3}, {true, true, true, true, true, last});
    model.scalar("low", -1e9F).node("Where", {"mask", "s", "low"}, {"m"});
    return problems(attended(model));
  };
  EXPECT_THAT(chosen(true), ElementsAre("attention/2x4x2x16_k4x3x16_s1"));
  EXPECT_THAT(chosen(false), ElementsAre("attention/2x4x2x16_k4x3x16_s1_m1x1x2x3"));
}

/// Attention whose queries and keys, or weights and values, come as bytes.
std::vector<std::string> of_bytes(bool scores) {
  Model model(17);
  const int bytes = ::onnx::TensorProto::INT8;
  model.scalar("scale", 0.1F);
  model.input("q8", {2, 4, 5, 16}, bytes).input("k8", {2, 4, 16, 5}, bytes);
  model.input("v8", {2, 4, 5, 16}, bytes);
  for (const std::string name : {"q", "k", "v"}) {
    model.node("DequantizeLinear", {name + "8", "scale"}, {name});
  }
  if (!scores) {
    model.input("qf", {2, 4, 5, 16}).input("kf", {2, 4, 16, 5});
    model.node("MatMul", {"qf", "kf"}, {"s"}).node("Softmax", {"s"}, {"p"}, {{"axis", 3}});
    model.node("QuantizeLinear", {"p", "scale"}, {"p8"});
    model.node("DequantizeLinear", {"p8", "scale"}, {"pd"}).node("MatMul", {"pd", "v"}, {"y"});
  } else {
    model.input("vf", {2, 4, 5, 16});
    model.node("MatMul", {"q", "k"}, {"s"}).node("Softmax", {"s"}, {"p"}, {{"axis", 3}});
    model.node("MatMul", {"p", "vf"}, {"y"});
  }
  return problems(model.output("y"));
}

TEST(AttentionForms, ProductsOfBytesAreNone) {
  EXPECT_THAT(of_bytes(true), IsEmpty());
  EXPECT_THAT(of_bytes(false), IsEmpty());
}

TEST(AttentionForms, OneQueryOfAnOlderOpset) {
  // Over all axes from 2 on, of which the last alone is long.
  Model model = scored(11, 1);
  model.node("Identity", {"s"}, {"m"});
  EXPECT_THAT(problems(attended(model, 2)), ElementsAre("attention/2x4x1x16_k4x5x16_s1"));
}

TEST(AttentionForms, RowsAloneBeforeTheSoftmax) {
  Model model = scored(11);
  model.integers("rows", {40, 5}).integers("all", {2, 4, 5, 5});
  model.node("Reshape", {"s", "rows"}, {"r"}).node("Softmax", {"r"}, {"p"}, {{"axis", 1}});
  model.node("Reshape", {"p", "all"}, {"w"}).node("MatMul", {"w", "v"}, {"y"}).output("y");
  EXPECT_THAT(problems(model), ElementsAre("attention/2x4x5x16_k4x5x16_s1"));
}

TEST(AttentionForms, FactorsInARow) {
  Model model = scored(17);
  model.scalar("half", 0.5F).scalar("four", 4);
  model.node("Mul", {"half", "s"}, {"a"}).node("Div", {"a", "four"}, {"m"});
  EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x5x16_k4x5x16_s0.125"));
}

TEST(AttentionForms, FactorsOfQueriesKeysAndScores) {
  Model model(17);
  model.input("q", {2, 4, 5, 16}).input("k", {2, 4, 5, 16}).input("v", {2, 4, 5, 16});
  model.scalar("two", 2).scalar("half", 0.5F);
  model.node("Mul", {"q", "half"}, {"q1"}).node("Div", {"q1", "two"}, {"q2"});
  model.node("Mul", {"k", "two"}, {"k1"});
  model.node("Transpose", {"k1"}, {"kt"}, {{"perm", Dims{0, 1, 3, 2}}});
  model.node("Mul", {"kt", "half"}, {"k2"}).node("MatMul", {"q2", "k2"}, {"s"});
  model.node("Mul", {"s", "half"}, {"m"});
  EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x5x16_k4x5x16_s0.125"));
}

TEST(AttentionForms, ARoundedFactorIsTheUsualOne) {
  // 16^-1/4 twice in bf16: 0.5 exactly; 1/sqrt(16) as 0.2495 is off by a five hundredth.
  Model model = scored(17);
  model.scalar("rounded", 0.2495F).node("Mul", {"s", "rounded"}, {"m"});
  EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x5x16_k4x5x16_s0.25"));
}

TEST(AttentionForms, AFactorFromTheDataIsNone) {
  Model model = scored(17);
  model.input("c", {1}).node("Mul", {"s", "c"}, {"m"});
  EXPECT_THAT(problems(attended(model)), IsEmpty());
}

TEST(AttentionForms, AFactorBehindAMaskThatChangesIsNone) {
  for (const bool constant : {true, false}) {
    Model model = scored(17);
    model.scalar("half", 0.5F);
    if (constant) {
      std::vector<float> hidden(25);
      hidden[1] = -100;
      model.reals("mask", {5, 5}, hidden);
    } else {
      model.input("mask", {5, 5});
    }
    model.node("Add", {"s", "mask"}, {"a"}).node("Mul", {"a", "half"}, {"m"});
    const auto found = problems(attended(model));
    if (constant) {
      EXPECT_THAT(found, ElementsAre("attention/2x4x5x16_k4x5x16_s0.5_m1x1x5x5"));
    } else {
      EXPECT_THAT(found, IsEmpty());
    }
  }
}

/// Which of keys that are `past` more than queries a query sees.
std::vector<bool> lower(std::int64_t queries, std::int64_t past, std::int64_t window = 0) {
  std::vector<bool> seen;
  for (std::int64_t query = 0; query < queries; ++query) {
    for (std::int64_t key = 0; key < queries + past; ++key) {
      const std::int64_t last = query + past;
      seen.push_back(key <= last && (window == 0 || key > last - window));
    }
  }
  return seen;
}

std::vector<float> added(const std::vector<bool>& seen, float hidden) {
  std::vector<float> values;
  for (const bool one : seen) values.push_back(one ? 0 : hidden);
  return values;
}

TEST(AttentionForms, AConstantThatHidesLaterKeysIsCausal) {
  for (const float hidden : {-INFINITY, -3.4e38F, -65504.0F, -1e4F}) {
    Model model = scored(17);
    model.reals("mask", {1, 1, 5, 5}, added(lower(5, 0), hidden));
    model.node("Add", {"s", "mask"}, {"m"});
    EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x5x16_k4x5x16_s1_causal"));
  }
}

TEST(AttentionForms, SmallNumbersHideNothing) {
  Model model = scored(17);
  model.reals("mask", {5, 5}, added(lower(5, 0), -10)).node("Add", {"s", "mask"}, {"m"});
  EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x5x16_k4x5x16_s1_m1x1x5x5"));
}

TEST(AttentionForms, AFactorBehindMayBringHiddenScoresBack) {
  for (const float factor : {0.5F, 0.001F, -1.0F}) {
    Model model = scored(17);
    model.reals("mask", {5, 5}, added(lower(5, 0), -1e4F)).scalar("c", factor);
    model.node("Add", {"s", "mask"}, {"a"}).node("Mul", {"a", "c"}, {"m"});
    const std::string masked = factor == 0.5F ? "s0.5_causal"
                               : factor > 0   ? "s0.001_m1x1x5x5"
                                              : "s-1_m1x1x5x5";
    EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x5x16_k4x5x16_" + masked));
  }
}

TEST(AttentionForms, AConditionThatSelectsEarlierKeysIsCausal) {
  for (const bool keeps : {true, false}) {
    Model model = scored(17);
    std::vector<bool> condition = lower(5, 0);
    if (!keeps) condition.flip();
    model.truths("condition", {1, 1, 5, 5}, condition).scalar("low", -1e9F);
    model.node("Where",
               keeps ? std::vector<std::string>{"condition", "s", "low"}
                     : std::vector<std::string>{"condition", "low", "s"},
               {"m"});
    EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x5x16_k4x5x16_s1_causal"));
  }
}

TEST(AttentionForms, ATensorOfReplacementsHidesIfAllItsNumbersDo) {
  for (const float last : {-1e9F, 0.0F}) {
    Model model = scored(17);
    std::vector<float> low(25, -1e9F);
    low.back() = last;
    model.truths("seen", {5, 5}, lower(5, 0)).reals("low", {5, 5}, low);
    model.node("Where", {"seen", "s", "low"}, {"m"});
    const auto found = problems(attended(model));
    if (last < 0) {
      EXPECT_THAT(found, ElementsAre("attention/2x4x5x16_k4x5x16_s1_causal"));
    } else {
      EXPECT_THAT(found, IsEmpty());
    }
  }
}

TEST(AttentionForms, AProductAndADifferenceAreCausal) {
  // s b - 1e4 (1 - b), as in GPT-2.
  Model model = scored(11);
  std::vector<float> kept;
  for (const bool seen : lower(5, 0)) kept.push_back(seen ? 1 : 0);
  model.reals("b", {1, 1, 5, 5}, kept).scalar("one", 1).scalar("much", 1e4F);
  model.node("Sub", {"one", "b"}, {"c"}).node("Mul", {"c", "much"}, {"d"});
  model.node("Mul", {"s", "b"}, {"a"}).node("Sub", {"a", "d"}, {"m"});
  EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x5x16_k4x5x16_s1_causal"));
}

TEST(AttentionForms, AProductAloneHidesNothing) {
  Model model = scored(17);
  std::vector<float> kept;
  for (const bool seen : lower(5, 0)) kept.push_back(seen ? 1 : 0);
  model.reals("b", {5, 5}, kept).node("Mul", {"s", "b"}, {"m"});
  EXPECT_THAT(problems(attended(model)), IsEmpty());
}

TEST(AttentionForms, LaterKeysBehindEarlierOnes) {
  // Also as a tensor, for libraries whose causal masks lie elsewhere.
  Model model = scored(17, 3, 7);
  model.truths("seen", {3, 7}, lower(3, 4)).scalar("low", -INFINITY);
  model.node("Where", {"seen", "s", "low"}, {"m"});
  EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x3x16_k4x7x16_s1_causal",
                                                     "attention/2x4x3x16_k4x7x16_s1_m1x1x3x7"));
}

TEST(AttentionForms, FromTheFirstKeyOnIsNotCausal) {
  // Query i sees keys up to i although there are 4 more.
  std::vector<bool> seen;
  for (int query = 0; query < 3; ++query) {
    for (int key = 0; key < 7; ++key) seen.push_back(key <= query);
  }
  Model model = scored(17, 3, 7);
  model.truths("seen", {3, 7}, seen).scalar("low", -INFINITY);
  model.node("Where", {"seen", "s", "low"}, {"m"});
  EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x3x16_k4x7x16_s1_m1x1x3x7"));
}

TEST(AttentionForms, AWindowOfKeys) {
  Model model = scored(17);
  model.reals("mask", {5, 5}, added(lower(5, 0, 2), -1e9F)).node("Add", {"s", "mask"}, {"m"});
  EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x5x16_k4x5x16_s1_causal_w2"));
}

TEST(AttentionForms, OneElementMoreIsATensor) {
  for (const std::size_t place : {1U, 4U, 8U, 15U}) {
    std::vector<bool> seen = lower(5, 0);
    seen[place].flip();
    Model model = scored(17);
    model.reals("mask", {5, 5}, added(seen, -1e9F)).node("Add", {"s", "mask"}, {"m"});
    EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x5x16_k4x5x16_s1_m1x1x5x5"))
        << place;
  }
}

TEST(AttentionForms, ACausalMaskBesideOthers) {
  Model model = scored(17);
  model.input("padding", {2, 1, 1, 5});
  model.reals("mask", {5, 5}, added(lower(5, 0), -1e9F));
  model.node("Add", {"s", "mask"}, {"a"}).node("Add", {"a", "padding"}, {"m"});
  EXPECT_THAT(problems(attended(model)),
              ElementsAre("attention/2x4x5x16_k4x5x16_s1_m2x1x1x5_causal"));
}

/// Values of this size are not kept, but looked at.
constexpr std::int64_t many = 320;

TEST(AttentionForms, ALargeMaskThatIsComputed) {
  Model model = scored(17, many, many);
  model.integers("square", {many, many}).integers("none", {0}).integers("one", {1});
  model.integers("zero", {0}).integers("end", {many});
  for (const char* name : {"start", "stop", "step"}) {
    auto& number = *model.graph().add_initializer();
    number.set_name(name);
    number.set_data_type(::onnx::TensorProto::INT64);
    number.add_int64_data(name == std::string("stop") ? many : name == std::string("step") ? 1 : 0);
  }
  model.node("Range", {"start", "stop", "step"}, {"r"});
  model.node("Unsqueeze", {"r", "one"}, {"rows"}).node("Unsqueeze", {"r", "zero"}, {"columns"});
  model.node("Greater", {"columns", "rows"}, {"later"}).scalar("low", -INFINITY);
  model.node("Where", {"later", "low", "s"}, {"m"});
  EXPECT_THAT(problems(attended(model)), ElementsAre("attention/2x4x320x16_k4x320x16_s1_causal"));
}

TEST(AttentionForms, APartOfALargeMask) {
  // Buffers for the longest text are cut to the queries and keys.
  Model model = scored(17, 3, 7);
  model.truths("all", {1, 1, many, many}, lower(many, 0)).scalar("low", -1e4F);
  model.integers("from", {4, 0}).integers("to", {7, 7}).integers("axes", {2, 3});
  model.node("Slice", {"all", "from", "to", "axes"}, {"seen"});
  model.node("Where", {"seen", "s", "low"}, {"m"});
  EXPECT_THAT(problems(attended(model)).front(), "attention/2x4x3x16_k4x7x16_s1_causal");
}

TEST(AttentionForms, HeadsThatShareKeysByBroadcasting) {
  Model model(17);
  model.input("q", {2, 3, 4, 5, 8}).input("kt", {2, 3, 1, 8, 5}).input("v", {2, 3, 1, 5, 8});
  model.node("MatMul", {"q", "kt"}, {"m"});
  EXPECT_THAT(problems(attended(model, 4)), ElementsAre("attention/6x4x5x8_k1x5x8_s1"));
}

TEST(AttentionForms, AConstantMaskOfTheOperator) {
  Model model(23);
  model.input("q", {2, 4, 5, 8}).input("k", {2, 4, 5, 8}).input("v", {2, 4, 5, 8});
  model.truths("seen", {5, 5}, lower(5, 0)).node("Attention", {"q", "k", "v", "seen"}, {"y"});
  EXPECT_THAT(problems(model.output("y")),
              ElementsAre("attention/2x4x5x8_k4x5x8_s0.35355338_causal"));
}

}  // namespace
}  // namespace benanza::fusion
