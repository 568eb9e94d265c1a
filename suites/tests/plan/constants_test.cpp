#include "suites/plan/constants.h"

#include <gmock/gmock.h>

#include <limits>

#include "core/tests/folder.h"

namespace benanza::plan {
namespace {

using benanza::test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

/// Tensors 0, 1, ... of a call.
struct Given {
  FlowCall call;
  std::vector<std::vector<float>> tensors;
  std::vector<float> values(std::size_t index) const {
    const Problem problem = parse(call.problem);
    const Constants constants(call, problem, [&](std::size_t tensor) -> std::span<const float> {
      return tensors.at(tensor);
    });
    std::vector<float> values = constants.values(index);
    if (const auto unchanged = constants.unchanged(index)) {
      EXPECT_THAT(*unchanged, testing::ElementsAreArray(values));
    }
    return values;
  }
};

/// Two filters of one weight, 2 and 3, and what the folds make of their bias.
Given folded_convolution(std::vector<Fold> folds, std::vector<std::vector<float>> more) {
  Given given{.call = {.problem = "conv/1x1x2x2_k2x1x1_p0.0.0.0_s1x1_d1x1_g1_bias",
                       .operands = {{.index = 0}, {.index = 1}, {.kind = FlowOperand::Kind::bias}},
                       .folds = std::move(folds)},
              .tensors = {{}, {2, 3}}};
  for (auto& one : more) given.tensors.push_back(std::move(one));
  return given;
}

TEST(Constants, ABiasIsAddedAndAFactorMultipliesBoth) {
  // (w x + [10, 20]) * 2
  const Given given = folded_convolution(
      {{.kind = Fold::Kind::add, .tensor = 2}, {.kind = Fold::Kind::mul, .tensor = 3}},
      {{10, 20}, {2}});
  EXPECT_THAT(given.values(1), ElementsAre(4, 6));
  EXPECT_THAT(given.values(2), ElementsAre(20, 40));
}

TEST(Constants, ASubtrahendTurnsTheSign) {
  // 5 - (w x + 1)
  const Given given = folded_convolution(
      {{.kind = Fold::Kind::add, .tensor = 2}, {.kind = Fold::Kind::rsub, .tensor = 3}},
      {{1}, {5}});
  EXPECT_THAT(given.values(1), ElementsAre(-2, -3));
  EXPECT_THAT(given.values(2), ElementsAre(4, 4));
  const Given minus = folded_convolution({{.kind = Fold::Kind::sub, .tensor = 2}}, {{1, 2}});
  EXPECT_THAT(minus.values(2), ElementsAre(-1, -2));
  const Given over = folded_convolution({{.kind = Fold::Kind::div, .tensor = 2}}, {{4}});
  EXPECT_THAT(over.values(1), ElementsAre(0.5, 0.75));
  const Given linear =
      folded_convolution({{.kind = Fold::Kind::linear, .alpha = 10, .beta = 1}}, {});
  EXPECT_THAT(linear.values(1), ElementsAre(20, 30));
  EXPECT_THAT(linear.values(2), ElementsAre(1, 1));
}

TEST(Constants, ABatchNormalizationIsFolded) {
  // scale 6 and 1, shift 1 and 0, mean 2 and 0, variance 9 and 4 - 0: factors 2 and 1/2.
  const Given given = folded_convolution(
      {{.kind = Fold::Kind::batch_normalization, .statistics = Statistics{2, 3, 4, 5, 0}}},
      {{6, 1}, {1, 0}, {2, 0}, {9, 4}});
  EXPECT_THAT(given.values(1), ElementsAre(4, 1.5));
  EXPECT_THAT(given.values(2), ElementsAre(1 - 2 * 2, 0));
}

TEST(Constants, ColumnsOfAProductFollowItsOrder) {
  Given given{.call = {.problem = "gemm/m1_n2_k2_nn_w_bias",
                       .operands = {{.index = 0}, {.index = 1}, {.kind = FlowOperand::Kind::bias}},
                       .folds = {{.kind = Fold::Kind::mul, .tensor = 2}}},
              .tensors = {{}, {1, 2, 3, 4}, {10, 100}}};
  EXPECT_THAT(given.values(1), ElementsAre(10, 200, 30, 400));
  given.call.problem = "gemm/m1_n2_k2_nt_w_bias";
  EXPECT_THAT(given.values(1), ElementsAre(10, 20, 300, 400));
}

TEST(Constants, OneValueOrOneImageIsRepeated) {
  Given given{.call = {.problem = "add/2x2_2x2", .operands = {{.index = 0}, {.index = 1}}},
              .tensors = {{}, {7}}};
  EXPECT_THAT(given.values(1), ElementsAre(7, 7, 7, 7));
  given.tensors[1] = {1, 2};
  EXPECT_THAT(given.values(1), ElementsAre(1, 2, 1, 2));
  given.tensors[1] = {1, 2, 3};
  EXPECT_THAT(error_of([&] { given.values(1); }), HasSubstr("a constant of 3 elements for 4"));
}

TEST(Constants, OfAttributesAreStated) {
  const Given given{
      .call = {.problem = "add/1x2x1x2_1x2x1x1_w",
               .operands = {{.index = 0},
                            {.kind = FlowOperand::Kind::numbers, .numbers = {-104, -117}}}},
      .tensors = {{}}};
  EXPECT_THAT(given.values(1), ElementsAre(-104, -117));
}

TEST(Constants, RowsAreRepeatedWithSigns) {
  const Given given{.call = {.problem = "mul/2x4_2x4",
                             .operands = {{.index = 0}, {.index = 1, .numbers = {-1, 1}}}},
                    .tensors = {{}, {1, 2, 3, 4}}};
  EXPECT_THAT(given.values(1), ElementsAre(-1, -2, 1, 2, -3, -4, 3, 4));
}

// The row of a table that belongs to the second position.
TEST(Constants, MayBeginInsideOfATensor) {
  Given given{.call = {.problem = "mul/1x4_1x4",
                       .operands = {{.index = 0}, {.index = 1, .numbers = {-1, 1}, .first = 2}}},
              .tensors = {{}, {1, 2, 3, 4}}};
  EXPECT_THAT(given.values(1), ElementsAre(-3, -4, 3, 4));
  given.call.operands[1].first = 4;
  EXPECT_THAT(error_of([&] { given.values(1); }), HasSubstr("a constant of 0 elements for 4"));
}

TEST(Constants, TheLastQuerySeesTheLastKey) {
  constexpr float none = -std::numeric_limits<float>::infinity();
  Given given{.call = {.problem = "add/1x1x2x4_1x1x2x4_w",
                       .operands = {{.index = 0}, {.kind = FlowOperand::Kind::causal}}},
              .tensors = {{}}};
  EXPECT_THAT(given.values(1), ElementsAre(0, 0, 0, none, 0, 0, 0, 0));
  given.call.operands[1].window = 2;
  EXPECT_THAT(given.values(1), ElementsAre(none, 0, 0, none, none, none, 0, 0));
}

TEST(Constants, WithoutWeightsNothingIsFolded) {
  const Given given{.call = {.problem = "relu/4",
                             .operands = {{.index = 0}},
                             .folds = {{.kind = Fold::Kind::mul, .tensor = 1}}},
                    .tensors = {{}, {2}}};
  EXPECT_THAT(error_of([&] { given.values(0); }), HasSubstr("no weights"));
}

}  // namespace
}  // namespace benanza::plan
