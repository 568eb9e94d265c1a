// One element at a time, from numbers that a person can check.
#include <gtest/gtest.h>

#include "harness/reference/reference.h"

namespace benanza {
namespace {

void expect(const char* key, const std::vector<std::vector<float>>& operands,
            const std::vector<double>& expected) {
  const Problem problem = parse(key);
  ASSERT_EQ(element_count(output(problem)), static_cast<std::int64_t>(expected.size())) << key;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(reference(problem, operands, static_cast<std::int64_t>(i)), expected[i], 1e-6)
        << key << ' ' << i;
  }
}

TEST(ReferenceAttention, WeighsTheValues) {
  constexpr float ln3 = 1.0986123F;
  // Scores 0 and ln 3: weights 1/4 and 3/4.
  expect("attention/1x1x1x1_k1x2x1_s1", {{1}, {0, ln3}, {4, 8}}, {7});
  expect("attention/1x1x1x1_k1x2x1_s0.5", {{2}, {0, ln3}, {4, 8}}, {7});
  expect("attention/1x1x1x1_k1x2x1_s1_m1x1x1x2", {{0}, {5, 9}, {4, 8}, {0, ln3}}, {7});
  // The first query sees the first key alone.
  expect("attention/1x1x2x1_k1x2x1_s1_causal", {{1, 1}, {0, ln3}, {4, 8}}, {4, 7});
  // One query after one earlier key sees both.
  expect("attention/1x1x1x1_k1x2x1_s1_causal", {{1}, {0, ln3}, {4, 8}}, {7});
}

TEST(ReferenceAttention, HeadsShareKeysAndValues) {
  constexpr float ln3 = 1.0986123F;
  // Heads 0 and 1 read the first key and values, heads 2 and 3 the second; values of two.
  expect("attention/1x4x1x1_k2x2x2_s1",
         {{1, 0, 1, 0}, {0, ln3, ln3, 0}, {4, 40, 8, 80, 0, 1, 4, 5}}, {7, 70, 6, 60, 1, 2, 2, 3});
}

}  // namespace
}  // namespace benanza
