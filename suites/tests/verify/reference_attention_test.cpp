// Single elements, with numbers that can be checked by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "suites/tests/verify/expect.h"
#include "suites/verify/comparison.h"
#include "suites/verify/verify.h"

namespace benanza::verify {
namespace {

TEST(ReferenceAttention, WeighsTheValues) {
  constexpr float ln3 = 1.0986123F;
  // Scores 0 and ln 3: weights 1/4 and 3/4.
  expect("attention/1x1x1x1_k1x2x1_s1", {{1}, {0, ln3}, {4, 8}}, {7});
  expect("attention/1x1x1x1_k1x2x1_s0.5", {{2}, {0, ln3}, {4, 8}}, {7});
  expect("attention/1x1x1x1_k1x2x1_s1_m1x1x1x2", {{0}, {5, 9}, {4, 8}, {0, ln3}}, {7});
  // The first query sees the first key only.
  expect("attention/1x1x2x1_k1x2x1_s1_causal", {{1, 1}, {0, ln3}, {4, 8}}, {4, 7});
  // A single query with one earlier key sees both.
  expect("attention/1x1x1x1_k1x2x1_s1_causal", {{1}, {0, ln3}, {4, 8}}, {7});
}

TEST(ReferenceAttention, AWindowHidesEarlierKeys) {
  constexpr float ln3 = 1.0986123F;
  // The last query sees the last two keys only; the first has no earlier ones.
  expect("attention/1x1x3x1_k1x3x1_s1_causal_w2", {{1, 1, 1}, {5, 0, ln3}, {100, 4, 8}},
         {100, (100 * std::exp(5.0) + 4) / (std::exp(5.0) + 1), 7});
  expect("attention/1x1x3x1_k1x3x1_s1_causal_w1", {{1, 1, 1}, {5, 0, ln3}, {100, 4, 8}},
         {100, 4, 8});
}

TEST(ReferenceAttention, ACapBendsScores) {
  // Scores 0 and 2 become 0 and 4 tanh(1/2), to which the mask is added.
  const double weight = 1 / (1 + std::exp(-4 * std::tanh(0.5)));
  expect("attention/1x1x1x1_k1x2x1_s1_cap4", {{1}, {0, 2}, {4, 8}}, {4 + 4 * weight});
  const double moved = 1 / (1 + std::exp(3 - 4 * std::tanh(0.5)));
  expect("attention/1x1x1x1_k1x2x1_s1_m1x1x1x2_cap4", {{1}, {0, 2}, {4, 8}, {3, 0}},
         {4 + 4 * moved});
}

TEST(ReferenceAttention, ASinkTakesItsShare) {
  constexpr float ln3 = 1.0986123F;
  constexpr float ln4 = 1.3862944F;
  // Weights 1/8 and 3/8 of the first head; the second one's sink is as good as none.
  expect("attention/1x2x1x1_k1x2x1_s1_sink", {{1, 1}, {0, ln3}, {4, 8}, {ln4, -90}}, {3.5, 7});
  // A sink far above all scores leaves nothing.
  expect("attention/1x1x1x1_k1x2x1_s1_sink", {{1}, {0, ln3}, {4, 8}, {99}}, {0});
}

TEST(ReferenceAttention, HeadsShareKeysAndValues) {
  constexpr float ln3 = 1.0986123F;
  // Heads 0 and 1 read the first key and values, heads 2 and 3 the second; values of two.
  expect("attention/1x4x1x1_k2x2x2_s1",
         {{1, 0, 1, 0}, {0, ln3, ln3, 0}, {4, 40, 8, 80, 0, 1, 4, 5}}, {7, 70, 6, 60, 1, 2, 2, 3});
}

// Weights 1/4 and 3/4 of the values 4 and 8, each with its own error: hypot(1, 6).
TEST(ReferenceAttention, WeightsAreStoredBeforeTheSecondProduct) {
  constexpr float ln3 = 1.0986123F;
  const Element element =
      reference_element(parse("attention/1x1x1x1_k1x2x1_s1"),
                        std::vector<std::vector<float>>{{1}, {0, ln3}, {4, 8}}, 0);
  EXPECT_NEAR(element.carried, std::hypot(1, 6), 1e-6);
}

float bf16(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return std::bit_cast<float>((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000U);
}

// A library that rounds the weights to 16 bits: cuDNN 9.14 computes -0.007537842 with both of its
// engines for this element, whose exact value is -0.006693643.
TEST(ReferenceAttention, RoundedWeightsAreNoError) {
  const Problem problem = parse("attention/32x12x128x64_k12x128x64_s0.125_m1x1x128x128");
  VerificationCase cache;
  cache.prepare(problem, Precision::bf16);
  const auto& operands = cache.operands();
  const VerificationCase::Sample sample = cache.sample({9, 11, 72, 28});
  const std::size_t head = 9 * 12 + 11;
  std::vector<double> scores;
  for (std::size_t key = 0; key < 128; ++key) {
    double product = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      product += static_cast<double>(operands[0][(head * 128 + 72) * 64 + i]) *
                 static_cast<double>(operands[1][(head * 128 + key) * 64 + i]);
    }
    scores.push_back(product * 0.125 + static_cast<double>(operands[3][72 * 128 + key]));
  }
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  double value = 0;
  for (std::size_t key = 0; key < 128; ++key) {
    const double weight = std::exp(scores[key] - largest);
    sum += weight;
    value += static_cast<double>(bf16(weight) * operands[2][(head * 128 + key) * 64 + 28]);
  }
  EXPECT_EQ(bf16(value / sum), -0.007537842F);
  EXPECT_NEAR(value / sum, sample.expected.value,
              tolerance(Precision::bf16, sample.expected, reduction_length(problem)));
}

}  // namespace
}  // namespace benanza::verify
