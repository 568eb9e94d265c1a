// Compares the backward calls that the generator derives, computed with the references, with finite
// differences of the forward call.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "generator/training/gradient.h"
#include "suites/verify/reference.h"

namespace benanza::training {
namespace {

using Values = std::vector<float>;

Values smooth(std::int64_t count, int seed) {
  Values values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(std::sin(1.7 * static_cast<double>(i) + seed + 0.3)));
  }
  return values;
}

std::vector<Values> smooth_inputs(const Problem& problem) {
  std::vector<Values> values;
  int seed = 0;
  for (const Operand& operand : inputs(problem)) {
    values.push_back(smooth(element_count(operand.dims), seed++));
    for (float& value : values.back()) {
      if (operand.domain == Domain::positive) value = 1.5F + value;
      if (operand.domain == Domain::truth) value = value > 0 ? 1 : 0;
    }
  }
  return values;
}

Values all_of(const Problem& problem, const std::vector<Values>& operands) {
  Values values;
  for (std::int64_t i = 0; i < element_count(output(problem)); ++i) {
    values.push_back(static_cast<float>(verify::reference(problem, operands, i)));
  }
  return values;
}

/// The sum of dy times the forward call's results, for as many elements as dy has.
double weighted_sum(const Problem& forward, const std::vector<Values>& operands, const Values& dy) {
  double sum = 0;
  for (std::size_t i = 0; i < dy.size(); ++i) {
    sum += dy[i] * verify::reference(forward, operands, static_cast<std::int64_t>(i));
  }
  return sum;
}

/// The elements of one of a problem's results.
Values part(const Problem& problem, const Values& all, std::size_t index) {
  const std::vector<Dims> parts = results(problem);
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < index; ++i) begin += element_count(parts[i]);
  const auto first = all.begin() + begin;
  return {first, first + element_count(parts[index])};
}

class CallGradient : public testing::TestWithParam<const char*> {};

TEST_P(CallGradient, IsTheSlope) {
  const Problem forward = parse(GetParam());
  const std::vector<Values> operands = smooth_inputs(forward);
  // Further results are statistics, except for recurrent layers.
  const bool all = std::holds_alternative<Recurrent>(forward.shape);
  const Values dy = smooth(element_count(all ? output(forward) : results(forward)[0]), 5);
  const Values y = all_of(forward, operands);
  std::vector<bool> wanted;
  for (const Operand& operand : inputs(forward)) {
    wanted.push_back(operand.domain != Domain::truth);
  }
  const Gradient backward = gradient({.problem = forward, .operands = {}}, wanted);
  ASSERT_EQ(backward.unsupported, "");

  std::map<int, Values> found;
  std::vector<Values> made;
  for (const GradientCall& call : backward.calls) {
    std::vector<Values> own;
    for (const GradientSource& source : call.operands) {
      const auto index = static_cast<std::size_t>(source.index);
      using enum GradientSource::Kind;
      own.push_back(source.kind == GradientSource::Kind::output_gradient ? part(forward, dy, index)
                    : source.kind == operand                             ? operands[index]
                    : source.kind == result                              ? part(forward, y, index)
                                                                         : made[index]);
    }
    ASSERT_EQ(own.size(), inputs(call.problem).size()) << key(call.problem);
    if (std::holds_alternative<Copy>(call.problem.shape)) {
      const auto begin = own[0].begin() + call.from_offset;
      own[0] = {begin, begin + element_count(inputs(call.problem)[0].dims)};
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      ASSERT_EQ(static_cast<std::int64_t>(own[i].size()),
                element_count(inputs(call.problem)[i].dims))
          << key(call.problem) << " operand " << i;
    }
    made.push_back(all_of(call.problem, own));
    for (std::size_t i = 0; i < call.of.size(); ++i) {
      if (call.of[i] >= 0) found[call.of[i]] = part(call.problem, made.back(), i);
    }
  }
  for (const int index : backward.passed) found[index] = dy;

  for (std::size_t operand = 0; operand < operands.size(); ++operand) {
    if (!wanted[operand]) continue;
    ASSERT_TRUE(found.contains(static_cast<int>(operand))) << operand;
    const Values& gradient = found[static_cast<int>(operand)];
    ASSERT_EQ(gradient.size(), operands[operand].size()) << operand;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      constexpr float step = 0x1p-7F;
      std::vector<Values> moved = operands;
      moved[operand][i] = operands[operand][i] + step;
      const double above = weighted_sum(forward, moved, dy);
      moved[operand][i] = operands[operand][i] - step;
      const double slope = (above - weighted_sum(forward, moved, dy)) / (2 * 0x1p-7);
      EXPECT_NEAR(gradient[i], slope, 2e-3 * (1 + std::abs(slope)))
          << "operand " << operand << " element " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Calls, CallGradient,
    testing::Values(
        "conv/2x4x5x4_k6x3x2_p1.0.2.1_s2x1_d1x2_g2", "conv/1x3x8x7_k2x3x3_p1.1.1.1_s2x2_d1x1_g1",
        "conv/1x2x6x6_k2x1x1_p0.0.0.0_s2x2_d1x1_g1", "conv/2x2x9_k3x3_p1.1_s3_d1_g1",
        "deconv/1x4x3x3_k2x4x4_p1.1.1.1_s2x2_d1x1_g1", "gemm/m3_n4_k5_nn", "gemm/m3_n4_k5_nt_w",
        "gemm/m3_n4_k5_tn", "gemm/m3_n4_k5_tt", "gemm/m3_n4_k5_nt_a2x3_b2x3",
        "gemm/m3_n4_k5_tn_a2x3_b2x3", "gemm/m3_n2_k4_nt_a2x3_b1x1_w", "gemm/m3_n2_k4_nn_a2x3_b1x1",
        "gemm/m3_n2_k4_tn_a2x3_b1x1", "gemm/m2_n3_k2_nn_a2x1_b1x3", "relu/2x5", "gelu/2x5",
        "linear/2x5_a-0.5_b3", "linear/2x5_a1_b2", "sigmoid/2x5", "sqrt/2x5", "softmax/2x5_a1",
        "logsoftmax/2x5_a0", "maxpool/1x2x5x4_k3x2_p1.1.0.1_s2x1_d1x1",
        "avgpool/1x2x5x4_k3x2_p1.1.0.1_s2x1_d1x1_include", "batchnorm_training/2x3x2x2_e0.1",
        "add/2x3x4_2x3x4", "add/2x3x4_1x3x1_w", "sub/2x3x4_2x1x4", "mul/2x3x4_2x3x1",
        "mul/1x3x1_2x3x4", "mul/2x3_2x3", "div/2x3_2x3", "reducesum/2x3x4_a1", "copy/3x4_f1.3_t4.1",
        "copy/2x3_f0.1_t3.1", "concat/2x3_2x1_a1", "select/2x3_a2x3_b2x3", "select/2x3_a1x3_vb-5"));

// A single call for all gradients must give the same as separate calls.
TEST(WholeGradients, AreThoseOfTheirParts) {
  const Problem forward = parse("gru/t3_n2_i2_h3_l1_forward_lbr_bias_initial_training");
  const std::vector<bool> wanted(inputs(forward).size(), true);
  const Gradient backward = gradient({.problem = forward, .operands = {}}, wanted);
  ASSERT_TRUE(backward.whole);
  const std::vector<Values> operands = smooth_inputs(*backward.whole);
  Values parts;
  for (const GradientCall& call : backward.calls) {
    const Values own = all_of(call.problem, operands);
    parts.insert(parts.end(), own.begin(), own.end());
  }
  EXPECT_EQ(all_of(*backward.whole, operands), parts);
  EXPECT_EQ(key(*backward.whole), "gru_bwd/t3_n2_i2_h3_l1_forward_lbr_bias_initial");
}

/// Twice the forward call's FLOP, or the same if no data gradient is wanted.
TEST(GradientFlops, OfProductsAreTwiceTheForwards) {
  for (const char* key : {"conv/2x4x5x4_k6x3x2_p1.0.2.1_s2x1_d1x2_g2", "gemm/m3_n4_k5_nt_w",
                          "gemm/m3_n2_k4_nn_a2x3_b1x1_w"}) {
    const Problem forward = parse(key);
    const auto flops = [&](const std::vector<bool>& wanted) {
      double total = 0;
      for (const GradientCall& call :
           gradient({.problem = forward, .operands = {}}, wanted).calls) {
        total += work(call.problem, Precision::fp32).flops;
      }
      return total / work(forward, Precision::fp32).flops;
    };
    EXPECT_DOUBLE_EQ(flops({true, true}), 2) << key;
    EXPECT_DOUBLE_EQ(flops({false, true}), 1) << key;
  }
}

}  // namespace
}  // namespace benanza::training
