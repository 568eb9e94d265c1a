#include "suites/verify/verification_cases.h"

#include <gtest/gtest.h>

#include "suites/tests/verify/reference_primitive.h"

namespace benanza::verify {
namespace {

/// Two inputs of `n` floats each.
Problem sum_of(std::int64_t n) {
  return parse("add/" + std::to_string(n) + "_" + std::to_string(n));
}

TEST(VerificationCases, KeepsACaseForTheNextRepetition) {
  VerificationCases cases;
  const float* const first = cases.at(sum_of(8), Precision::fp32).operands()[0].data();
  cases.at(sum_of(16), Precision::fp32);
  EXPECT_EQ(cases.at(sum_of(8), Precision::fp32).operands()[0].data(), first);
  EXPECT_EQ(cases.size(), 2U);
}

TEST(VerificationCases, PrecisionsAreCasesOfTheirOwn) {
  VerificationCases cases;
  cases.at(sum_of(8), Precision::fp32);
  cases.at(sum_of(8), Precision::int8);
  EXPECT_EQ(cases.size(), 2U);
}

TEST(VerificationCases, ForgetsTheOneUsedLongestAgo) {
  // 8 floats twice are 64 bytes, 16 floats twice 128 bytes.
  VerificationCases cases(192);
  const float* const first = cases.at(sum_of(8), Precision::fp32).operands()[0].data();
  cases.at(sum_of(16), Precision::fp32);
  EXPECT_EQ(cases.at(sum_of(8), Precision::fp32).operands()[0].data(), first);
  cases.at(sum_of(4), Precision::fp32);  // 32 bytes more: the 16s have to go, the 8s stay.
  EXPECT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases.at(sum_of(8), Precision::fp32).operands()[0].data(), first);
}

TEST(VerificationCases, TheOneAskedForIsKeptHoweverLarge) {
  VerificationCases cases(1);
  EXPECT_EQ(cases.at(sum_of(8), Precision::fp32).operands().size(), 2U);
  EXPECT_EQ(cases.at(sum_of(16), Precision::fp32).operands()[0].size(), 16U);
  EXPECT_EQ(cases.size(), 1U);
}

void expect_equal(const std::vector<VerificationCase::Sample>& found,
                  const std::vector<VerificationCase::Sample>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].at, expected[i].at);
    EXPECT_EQ(found[i].flat_index, expected[i].flat_index);
    EXPECT_EQ(found[i].expected.value, expected[i].expected.value);
    EXPECT_EQ(found[i].expected.magnitude, expected[i].expected.magnitude);
    EXPECT_EQ(found[i].expected.carried, expected[i].expected.carried);
  }
}

TEST(VerificationCases, SamplesOutliveTheInputs) {
  VerificationCases cases(1);
  const std::vector<VerificationCase::Sample> first =
      cases.at(sum_of(8), Precision::fp32).samples();
  cases.at(sum_of(16), Precision::fp32);
  const VerificationCase& again = cases.at(sum_of(8), Precision::fp32);
  EXPECT_EQ(again.operands()[0].size(), 8U);
  expect_equal(again.samples(), first);
}

TEST(VerificationCases, LargeOperandsAreUsedAgain) {
  // Weights of 4 MB, with other rows.
  const auto product = [](int m) {
    return parse("gemm/m" + std::to_string(m) + "_n1024_k1024_nn");
  };
  VerificationCases cases(1);
  const auto weights = [&](int m, Precision precision) {
    return cases.at(product(m), precision).operands()[1].data();
  };
  const float* const first = weights(2, Precision::fp32);
  const std::vector<float> values(first, first + 1024 * 1024);
  EXPECT_EQ(weights(3, Precision::fp32), first);
  const VerificationCase& again = cases.at(product(4), Precision::fp32);
  EXPECT_EQ(again.operands()[1], values);
  VerificationCase fresh;
  fresh.prepare(product(4), Precision::fp32);
  EXPECT_EQ(again.operands(), fresh.operands());
  expect_equal(again.samples(), fresh.samples());
  // Other values must not be shared.
  EXPECT_NE(cases.at(product(4), Precision::fp16).operands()[1], values);
}

TEST(OperandPool, ForgetsWhatWasPutInLongestAgo) {
  constexpr std::int64_t elements = 1 << 18;
  const auto recipe = [](std::uint64_t seed) {
    return Recipe{.count = elements, .seed = seed, .palette = {1}};
  };
  OperandPool pool(2 * elements * static_cast<std::int64_t>(sizeof(float)));
  for (const std::uint64_t seed : {1, 2, 3}) {
    pool.put(recipe(seed), std::vector<float>(elements, static_cast<float>(seed)));
  }
  EXPECT_FALSE(pool.take(recipe(1)));
  ASSERT_TRUE(pool.take(recipe(3)));
  EXPECT_FALSE(pool.take(recipe(3)));
  pool.put(recipe(4), std::vector<float>(elements, 4));
  const auto second = pool.take(recipe(2));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->front(), 2);
  Recipe other = recipe(4);
  other.palette = {2};
  EXPECT_FALSE(pool.take(other));
  pool.put(recipe(5), std::vector<float>(8));
  EXPECT_FALSE(pool.take(recipe(5)));
}

// The forward and backward passes are computed once for the gradients of data and of weights.
TEST(VerificationCases, GradientsOfARecurrentNetworkComeTogether) {
  const Problem data = parse("gru_bwd_data/t3_n2_i20_h30_l1_forward_lbr_bias_initial");
  const Problem weights = parse("gru_bwd_weights/t3_n2_i20_h30_l1_forward_lbr_bias_initial");
  for (const auto& [first, second] : {std::pair(data, weights), std::pair(weights, data)}) {
    VerificationCases cases;
    const VerificationCase& one = cases.at(first, Precision::fp32);
    ASSERT_TRUE(one.companion());
    EXPECT_EQ(one.companion()->problem, second);
    const VerificationCase& other = cases.at(second, Precision::fp32);
    EXPECT_FALSE(other.companion());
    // Each must equal its own reference.
    for (const auto& [problem, found] : {std::pair(first, &one), std::pair(second, &other)}) {
      std::vector<std::int64_t> places = found->places();
      ASSERT_GT(places.size(), 50U);
      const auto expected = reference_elements(problem, found->operands(), places);
      for (std::size_t i = 0; i < places.size(); ++i) {
        EXPECT_EQ(found->samples()[i].expected.value, expected[i].value);
        EXPECT_EQ(found->samples()[i].expected.magnitude, expected[i].magnitude);
        EXPECT_EQ(found->samples()[i].expected.carried, expected[i].carried);
      }
    }
  }
}

TEST(Verifier, CallsOfSignedDataAreVerifiedWithThem) {
  const harness::Variant variant{parse("gemm/m3_n4_k5_nt_w_u8"), Precision::int8, Layout::plain,
                                 "any"};
  ReferencePrimitive primitive(parse("gemm/m3_n4_k5_nt_w"), Precision::int8);
  const harness::Verifier verify_call = verifier();
  EXPECT_EQ(verify_call(primitive, variant, {.signed_data = true}), std::nullopt);
  EXPECT_NE(verify_call(primitive, variant, {}), std::nullopt);
}

}  // namespace
}  // namespace benanza::verify
