// A product's epilogue: the reference, and errors that are not another problem's correct result.
#include <gtest/gtest.h>

#include <cmath>

#include "suites/harness/int8_scale.h"
#include "suites/tests/verify/reference_primitive.h"
#include "suites/verify/inputs.h"
#include "suites/verify/verify.h"

namespace benanza::verify {
namespace {

using Elements = std::vector<double>;

Elements solve_all(const char* key, const std::vector<std::vector<float>>& operands) {
  const Problem problem = parse(key);
  Elements result;
  for (std::int64_t i = 0; i < element_count(output(problem)); ++i) {
    result.push_back(reference(problem, operands, i));
  }
  return result;
}

TEST(ReferenceEpilogue, ActivationComesLast) {
  // One pixel, two filters: 3 * 1 = 3 and 3 * -2 = -6; bias 1 2; residual -5 7.
  const std::vector<std::vector<float>> all{{3}, {1, -2}, {1, 2}, {-5, 7}};
  EXPECT_EQ(solve_all("conv/1x1x1_k2x1_p0.0_s1_d1_g1_bias_residual", all), (Elements{-1, 3}));
  EXPECT_EQ(solve_all("conv/1x1x1_k2x1_p0.0_s1_d1_g1_bias_residual_relu", all), (Elements{0, 3}));
  EXPECT_EQ(solve_all("conv/1x1x1_k2x1_p0.0_s1_d1_g1_bias_residual_clip_a0_b2", all),
            (Elements{0, 2}));
  EXPECT_EQ(solve_all("conv/1x1x1_k2x1_p0.0_s1_d1_g1_bias_leakyrelu_a0.5", {{3}, {1, -2}, {1, 2}}),
            (Elements{4, -2}));
  EXPECT_EQ(solve_all("conv/1x1x1_k2x1_p0.0_s1_d1_g1_residual", {{3}, {1, -2}, {-5, 7}}),
            (Elements{-2, 1}));
}

TEST(ReferenceEpilogue, ResidualLiesAsTheResult) {
  // 1 / 2 times 3 4: 3 4 / 6 8.
  EXPECT_EQ(solve_all("gemm/m2_n2_k1_nn_residual", {{1, 2}, {3, 4}, {10, 20, 30, 40}}),
            (Elements{13, 24, 36, 48}));
}

// Batch normalization of a convolution is the convolution with other weights and a bias:
// w' = w f, b' = (b - mean) f + shift, f = scale / sqrt(variance + epsilon).
TEST(ReferenceEpilogue, NormalizationFoldsIntoWeightsAndBias) {
  // Two filters over two channels of two pixels; deviations 2 and 3 with epsilon 0.01.
  const std::vector<float> x{1, 2, 3, 4};
  const std::vector<float> w{1, -1, 2, 0.5F};
  const std::vector<float> b{0.5F, -1};
  const std::vector<float> scale{4, -3};
  const std::vector<float> shift{10, 20};
  const std::vector<float> mean{1, 2};
  const std::vector<float> variance{3.99F, 8.99F};
  const Elements convolved = solve_all("conv/1x2x2_k2x1_p0.0_s1_d1_g1_bias", {x, w, b});
  EXPECT_EQ(convolved, (Elements{-1.5, -1.5, 2.5, 5}));
  const std::vector<float> between(convolved.begin(), convolved.end());
  const Elements expected =
      solve_all("batchnorm/1x2x2_e0.01", {between, scale, shift, mean, variance});

  const float f[] = {4.0F / 2, -3.0F / 3};
  std::vector<float> folded_w;
  for (std::size_t i = 0; i < w.size(); ++i) folded_w.push_back(w[i] * f[i / 2]);
  std::vector<float> folded_b;
  for (std::size_t i = 0; i < 2; ++i) folded_b.push_back((b[i] - mean[i]) * f[i] + shift[i]);
  const Elements folded = solve_all("conv/1x2x2_k2x1_p0.0_s1_d1_g1_bias", {x, folded_w, folded_b});
  ASSERT_EQ(folded.size(), expected.size());
  for (std::size_t i = 0; i < folded.size(); ++i) EXPECT_NEAR(folded[i], expected[i], 1e-5);
}

TEST(ReferenceSteps, FollowInTheirOrder) {
  // 1 2 / 3 4; (x - 2) y: y = 10 for row 0 and 100 for row 1; plus 1 2 for the columns.
  const Elements expected{-10 + 1, 0 + 2, 100 + 1, 200 + 2};
  EXPECT_EQ(solve_all("linear/2x2_a1_b-2_mul_y2x1_add_y1x2_w", {{1, 2, 3, 4}, {10, 100}, {1, 2}}),
            expected);
  EXPECT_EQ(solve_all("relu/1x2_sub_y1x2", {{3, -1}, {1, 2}}), (Elements{2, -2}));
  EXPECT_EQ(solve_all("relu/1x2_rsub_y1x2", {{3, -1}, {1, 2}}), (Elements{-2, 2}));
  EXPECT_EQ(solve_all("relu/1x2_div_y1x1", {{3, 8}, {2}}), (Elements{1.5, 4}));
  EXPECT_EQ(solve_all("relu/1x2_rdiv_y1x1", {{4, 8}, {2}}), (Elements{0.5, 0.25}));
  EXPECT_EQ(solve_all("relu/1x2_max_y1x2", {{3, 1}, {1, 2}}), (Elements{3, 2}));
  EXPECT_EQ(solve_all("relu/1x2_min_y1x2", {{3, 1}, {1, 2}}), (Elements{1, 1}));
}

TEST(ReferenceSteps, FollowAProductsOwnEpilogue) {
  // One pixel, two filters: 3 and -6; bias 1 2; relu: 4 0; times 2 3; plus 1.
  EXPECT_EQ(solve_all("conv/1x1x1_k2x1_p0.0_s1_d1_g1_bias_relu_mul_y1x2x1_linear_a1_b1",
                      {{3}, {1, -2}, {1, 2}, {2, 3}}),
            (Elements{9, 1}));
}

// Steps amplify the rounding error of x, and the magnitude with it.
TEST(ReferenceSteps, CarryTheMagnitudeOfWhatTheyGet) {
  const auto magnitude = [](const char* key, const std::vector<std::vector<float>>& operands) {
    return reference_element(parse(key), operands, 0).magnitude;
  };
  // 3 - 3 = 0, with terms of 6 in total.
  EXPECT_EQ(magnitude("sub/1_1", {{3}, {3}}), 6);
  EXPECT_EQ(magnitude("sub/1_1_mul_y1", {{3}, {3}, {-5}}), 30);
  EXPECT_EQ(magnitude("sub/1_1_div_y1", {{3}, {3}, {4}}), 1.5);
  EXPECT_EQ(magnitude("sub/1_1_add_y1", {{3}, {3}, {-5}}), 11);
  EXPECT_EQ(magnitude("sub/1_1_max_y1", {{3}, {3}, {1}}), 6);
  EXPECT_EQ(magnitude("sub/1_1_linear_a-2_b1", {{3}, {3}}), 13);
  // y / x: 8 / 2 of an x of 4 - 2: 6 y / x^2.
  EXPECT_EQ(magnitude("sub/1_1_rdiv_y1", {{4}, {2}, {8}}), 12);
  // 3 x^2 = 12 at 2.
  EXPECT_NEAR(magnitude("sub/1_1_pow_a3", {{4}, {2}}), 72, 1e-3);
}

TEST(InputsOfSteps, ArePositiveWhereAStepIsDefinedForPositiveOnly) {
  for (const char* key : {"gemm/m4_n4_k8_nn_sqrt", "add/4_4_log", "add/4_4_rdiv_y4"}) {
    for (const auto& values : inputs_for(parse(key), Precision::fp16, 1)) {
      for (const float value : values) EXPECT_GT(value, 0) << key;
    }
  }
}

/// Applies the activation before the residual: relu(product + bias) + residual.
class TooEarly : public ReferencePrimitive {
 public:
  TooEarly(const Problem& early, Precision precision)
      : ReferencePrimitive(early, precision), early_(early), precision_(precision) {}
  void upload(std::size_t index, std::span<const float> values) override {
    if (index < inputs(early_).size()) return ReferencePrimitive::upload(index, values);
    residual_.assign(values.begin(), values.end());
  }
  void run() override {
    ReferencePrimitive::run();
    const float scale = precision_ == Precision::int8 ? harness::int8_scale(early_) : 1;
    for (std::size_t i = 0; i < result_.size(); ++i) result_[i] += scale * residual_[i];
  }

 private:
  Problem early_;
  Precision precision_;
  std::vector<float> residual_;
};

TEST(VerifyEpilogue, FindsAnActivationBeforeTheResidual) {
  for (const char* product :
       {"conv/1x16x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1", "gemm/m5_n9_k64_nt_w"}) {
    for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8}) {
      const Problem wanted = parse(product + std::string("_bias_residual_relu"));
      VerificationCase cache;
      ReferencePrimitive right(wanted, precision);
      const VerificationResult accepted = verify(right, wanted, precision, cache);
      EXPECT_TRUE(accepted.ok) << accepted.message;
      TooEarly wrong(parse(product + std::string("_bias_relu")), precision);
      EXPECT_FALSE(verify(wrong, wanted, precision, cache).ok) << key(wanted);
    }
  }
}

/// Stores the product as if the factor behind it were 1, at the scale of the whole problem.
class WithoutFactor : public ReferencePrimitive {
 public:
  explicit WithoutFactor(const Problem& whole)
      : ReferencePrimitive(whole, Precision::int8), factor_(inputs(whole).size() - 1) {}
  void upload(std::size_t index, std::span<const float> values) override {
    const std::vector<float> ones(values.size(), 1);
    ReferencePrimitive::upload(index, index == factor_ ? ones : values);
  }

 private:
  std::size_t factor_;
};

TEST(VerifyEpilogue, FindsAFactorLeftOutAtInt8) {
  for (const char* key : {"gemm/m5_n9_k64_nn_a3_b3_mul_y3x1x1", "gemm/m5_n9_k64_nt_w_bias_mul_y5x1",
                          "gemm/m5_n9_k64_nt_w_bias_residual_relu_mul_y5x9"}) {
    const Problem whole = parse(key);
    VerificationCase cache;
    ReferencePrimitive right(whole, Precision::int8);
    const VerificationResult accepted = verify(right, whole, Precision::int8, cache);
    EXPECT_TRUE(accepted.ok) << accepted.message;
    WithoutFactor wrong(whole);
    EXPECT_FALSE(verify(wrong, whole, Precision::int8, cache).ok) << key;
  }
}

/// The share of a sum's results that the epilogue's bounds clip.
double share_outside(const std::string& product, double low, double high) {
  const Problem fused = parse(product + "_clip_a" + number(static_cast<float>(low)) + "_b" +
                              number(static_cast<float>(high)));
  const auto operands = inputs_for(fused, Precision::fp32, 1);
  const Problem sums = parse(product);
  int outside = 0;
  constexpr int looked_at = 200;
  for (int i = 0; i < looked_at; ++i) {
    const double value = reference(sums, operands, i);
    outside += value < low || value > high ? 1 : 0;
  }
  return static_cast<double>(outside) / looked_at;
}

TEST(InputsOfAnEpilogue, ReachItsBoundsAndStayInsideWhateverTheLengthOfTheSum) {
  for (const char* product :
       {"conv/1x8x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g8", "conv/1x512x7x7_k8x3x3_p1.1.1.1_s1x1_d1x1_g1",
        "conv/1x16x8x8_k8x1x1_p0.0.0.0_s1x1_d1x1_g1", "gemm/m25_n8_k9216_nn"}) {
    const double share = share_outside(product, -6, 6);
    EXPECT_GT(share, 0.04) << product;
    EXPECT_LT(share, 0.9) << product;
  }
}

TEST(InputsOfAnEpilogue, Int8ResidualsAreWholeNumbersWhenScaled) {
  const Problem problem = parse("conv/1x64x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1_bias_residual_relu");
  const auto operands = inputs_for(problem, Precision::int8, 1);
  const float scale = harness::int8_scale(problem);
  ASSERT_LT(scale, 1);
  for (const float value : operands.at(3)) {
    const float stored = value * scale;
    EXPECT_EQ(stored, std::round(stored));
    EXPECT_LE(std::abs(stored), 32);
    EXPECT_GE(std::abs(stored), 4);
  }
}

}  // namespace
}  // namespace benanza::verify
