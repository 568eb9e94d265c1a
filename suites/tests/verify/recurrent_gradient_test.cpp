// Compares the references of recurrent gradients with finite differences of the forward reference.

#include <gtest/gtest.h>

#include <cmath>

#include "suites/verify/inputs.h"
#include "suites/verify/operators.h"

namespace benanza::verify {
namespace {

using Values = std::vector<std::vector<float>>;

std::vector<double> all_of(const Problem& problem, const Values& operands) {
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < element_count(output(problem)); ++i) places.push_back(i);
  std::vector<double> values;
  for (const Element& element : reference_elements(problem, operands, places)) {
    values.push_back(element.value);
  }
  return values;
}

/// The sum of all results times their gradients.
double weighted_sum(const Problem& forward, const Values& operands) {
  const std::vector<double> results = all_of(forward, operands);
  double sum = 0;
  std::size_t next = 0;
  for (std::size_t operand = inputs(forward).size(); operand < operands.size(); ++operand) {
    for (const float gradient : operands[operand]) sum += gradient * results[next++];
  }
  EXPECT_EQ(next, results.size());
  return sum;
}

class RecurrentGradientOf : public testing::TestWithParam<const char*> {};

TEST_P(RecurrentGradientOf, BothIsTheSlopes) {
  const Problem forward = parse(GetParam());
  const Problem gradient{.shape = RecurrentGradient{std::get<Recurrent>(forward.shape)},
                         .epilogue = {}};
  const std::vector<Operand> operands = inputs(forward);
  Values values;
  for (const Operand& operand : inputs(gradient)) {
    std::vector<float>& own = values.emplace_back();
    for (std::int64_t i = 0; i < element_count(operand.dims); ++i) {
      own.push_back(static_cast<float>(
          std::sin(1.7 * static_cast<double>(i) + static_cast<double>(values.size()))));
    }
  }
  const std::vector<double> found = all_of(gradient, values);
  std::size_t next = 0;
  for (const Role role : {Role::data, Role::weights}) {
    for (std::size_t operand = 0; operand < operands.size(); ++operand) {
      if (operands[operand].role != role) continue;
      for (float& value : values[operand]) {
        constexpr float step = 0x1p-10F;
        const float middle = value;
        value = middle + step;
        const double above = weighted_sum(forward, values);
        value = middle - step;
        const double slope = (above - weighted_sum(forward, values)) / (2 * 0x1p-10);
        value = middle;
        EXPECT_NEAR(found.at(next), slope, 1e-4 * (1 + std::abs(slope)))
            << operands[operand].name << ' ' << next;
        ++next;
      }
    }
  }
  EXPECT_EQ(next, found.size());
}

INSTANTIATE_TEST_SUITE_P(Networks, RecurrentGradientOf,
                         testing::Values("rnntanh/t3_n2_i2_h3_l1_forward",
                                         "rnntanh/t3_n3_i2_h3_l1_reverse_bias",
                                         "rnnrelu/t3_n2_i2_h3_l1_forward_bias_initial_final",
                                         "lstm/t3_n2_i2_h3_l1_forward_bias_initial_final",
                                         "lstm/t3_n2_i2_h3_l2_bidirectional_bias_initial_final",
                                         "lstm/t3_n2_i4_h2_l2_bidirectional_batchfirst",
                                         "gru/t3_n2_i2_h3_l1_forward_bias_initial_final",
                                         "gru/t3_n3_i2_h3_l1_bidirectional_lbr_bias_initial_final",
                                         "gru/t3_n2_i3_h3_l2_reverse_lbr_batchfirst"));

// Data gradients come first, and each is what a call for it alone computes.
TEST(RecurrentGradient, OfBothIsOfDataThenOfWeights) {
  const Problem both = parse("gru/t3_n2_i2_h3_l1_forward_lbr_bias_initial");
  const Recurrent& shape = std::get<Recurrent>(both.shape);
  const Values values = inputs_for({RecurrentGradient{shape}, {}}, Precision::fp32, 1);
  std::vector<double> expected =
      all_of({RecurrentGradient{shape, RecurrentGradients::of_data}, {}}, values);
  for (const double value :
       all_of({RecurrentGradient{shape, RecurrentGradients::of_weights}, {}}, values)) {
    expected.push_back(value);
  }
  EXPECT_EQ(all_of({RecurrentGradient{shape}, {}}, values), expected);
}

// A batch of multiples of two sequences, computed from these two, must give what computing each
// gives.
TEST(RecurrentGradient, OfMultiplesIsThatOfEachOfThem) {
  const Problem gradient = parse("lstm_bwd/t4_n9_i2_h3_l1_bidirectional_bias_initial_final");
  Values values = inputs_for(gradient, Precision::fp32, 1);
  const std::vector<double> found = all_of(gradient, values);
  // A slightly different input, for which all sequences are computed.
  std::vector<float>& last = values[0];
  for (std::size_t entry = 2; entry < 9; ++entry) last[entry * 2] *= 1 + 0x1p-22F;
  const std::vector<double> alone = all_of(gradient, values);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], alone[i], 1e-5 * (1 + std::abs(found[i]))) << i;
  }
}

// With relu, a sum near 0 may have either sign, so its gradient is uncertain.
TEST(RecurrentGradient, OfReluIsUncertainNearZero) {
  const Problem gradient = parse("rnnrelu_bwd_data/t1_n1_i2_h1_l1_forward");
  const auto element = [&](float a, float b) {
    return reference_element(gradient, Values{{a, b}, {1, 1}, {1}, {1}}, 0);
  };
  EXPECT_EQ(element(1, 0.5F).value, 1);
  EXPECT_LT(element(1, 0.5F).magnitude, 8);
  EXPECT_EQ(element(-1, 1 - 0x1p-20F).value, 0);
  EXPECT_GT(element(-1, 1 - 0x1p-20F).magnitude, 0x1p20);
}

TEST(LrnGradient, IsTheSlope) {
  const Problem forward = parse("lrn/1x6x2_n4_a0.5_b0.75_k1");
  const auto& shape = std::get<Lrn>(forward.shape);
  Values values(2);
  for (int i = 0; i < 12; ++i) {
    values[0].push_back(static_cast<float>(std::sin(1.7 * i + 5)));
    values[1].push_back(static_cast<float>(std::sin(1.7 * i + 0.3)));
  }
  const std::vector<double> found = all_of({LrnGradient{shape}, {}}, values);
  const auto weighted = [&] {
    const std::vector<double> y = all_of(forward, {values[1]});
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += values[0][i] * y[i];
    return sum;
  };
  for (std::size_t i = 0; i < 12; ++i) {
    constexpr float step = 0x1p-9F;
    const float middle = values[1][i];
    values[1][i] = middle + step;
    const double above = weighted();
    values[1][i] = middle - step;
    EXPECT_NEAR(found[i], (above - weighted()) / (2 * 0x1p-9), 1e-4) << i;
    values[1][i] = middle;
  }
}

}  // namespace
}  // namespace benanza::verify
