#include "suites/verify/verification_cases.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace benanza::verify
