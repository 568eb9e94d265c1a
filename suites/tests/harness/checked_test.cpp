#include "suites/harness/run/checked.h"

#include <gmock/gmock.h>

#include "suites/harness/conditions/data_kind.h"
#include "suites/tests/harness/fake/fake_backend.h"
#include "suites/verify/inputs.h"
#include "suites/verify/verification_cases.h"

namespace benanza::harness {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Variant relu(const std::string& algorithm) {
  return {parse("relu/2x8"), Precision::fp32, Layout::plain, algorithm};
}

Outcome outcome_of(const std::string& algorithm) {
  FakeBackend backend{"1"};
  return run_variant(backend, relu(algorithm), verify::verifier(), {});
}

TEST(CheckAfterTiming, ACallThatBreaksAfterManyRunsIsIncorrect) {
  const Outcome outcome = outcome_of("wears-out");
  EXPECT_EQ(outcome.status, Status::incorrect);
  EXPECT_THAT(outcome.reason, StartsWith("after timing: element ("));
  EXPECT_TRUE(outcome.samples.empty());
}

TEST(CheckAfterTiming, ACallThatOverwritesItsOperandIsIncorrect) {
  const Outcome outcome = outcome_of("overwrites");
  EXPECT_EQ(outcome.status, Status::incorrect);
  EXPECT_THAT(outcome.reason, StartsWith("after timing: "));
}

// A gradient may overwrite what its forward call left for it.
TEST(CheckAfterTiming, WhatACallUsesUpIsMadeAgain) {
  EXPECT_EQ(outcome_of("uses-up").status, Status::ok);
}

TEST(CheckAfterTiming, ACallThatStaysRightIsOk) {
  EXPECT_EQ(outcome_of("direct").status, Status::ok);
}

/// Declares that it rounds more than a plain sum.
struct Amplifying : FakePrimitive {
  Amplifying() : FakePrimitive(16) {}
  double rounding_amplification() const override { return 16; }
};

/// A verifier that accepts from this amplification on, or if the algorithm's name shows a
/// transform.
Verifier needing(double amplification, bool transform) {
  return [=](Primitive& primitive, const Variant& variant) -> std::optional<std::string> {
    primitive.upload(0, std::vector<float>(16));
    if (transform && transforms(variant.algorithm)) return std::nullopt;
    if (primitive.rounding_amplification() >= amplification) return std::nullopt;
    return "off";
  };
}

TEST(CheckBeforeTiming, SaysNothingWhereAPlainSumsToleranceIsEnough) {
  Amplifying primitive;
  const Checked checked = check_before_timing(primitive, relu("winograd"), needing(1, false));
  EXPECT_EQ(checked.mismatch, std::nullopt);
  EXPECT_THAT(checked.facts, IsEmpty());
}

TEST(CheckBeforeTiming, SaysThatTheAmplificationWasNeeded) {
  Amplifying primitive;
  const Checked checked = check_before_timing(primitive, relu("direct"), needing(16, false));
  EXPECT_EQ(checked.mismatch, std::nullopt);
  EXPECT_EQ(std::get<std::string>(checked.facts.at("tolerance")), "sum");
  EXPECT_EQ(std::get<double>(checked.facts.at("rounding_amplification")), 16);
}

/// Accumulates in the type of its result.
struct Adding : FakePrimitive {
  Adding() : FakePrimitive(16) {}
  double partial_sums() const override { return 32; }
};

TEST(CheckBeforeTiming, SaysThatPartialSumsWereRounded) {
  Adding primitive;
  const Verifier verifier = [](Primitive& asked, const Variant&) -> std::optional<std::string> {
    if (asked.partial_sums() == 32) return std::nullopt;
    return "off";
  };
  const Checked checked = check_before_timing(primitive, relu("direct"), verifier);
  EXPECT_EQ(checked.mismatch, std::nullopt);
  EXPECT_EQ(std::get<std::string>(checked.facts.at("tolerance")), "sum");
  EXPECT_EQ(std::get<double>(checked.facts.at("partial_sums")), 32);
  EXPECT_FALSE(checked.facts.contains("rounding_amplification"));
  EXPECT_EQ(check_after_timing(primitive, relu("direct"), verifier), std::nullopt);
}

TEST(CheckBeforeTiming, SaysThatTheToleranceOfTransformsWasNeeded) {
  FakePrimitive primitive(16);
  const Checked checked = check_before_timing(primitive, relu("winograd"), needing(2, true));
  EXPECT_EQ(checked.mismatch, std::nullopt);
  EXPECT_EQ(std::get<std::string>(checked.facts.at("tolerance")), "transform");
  EXPECT_FALSE(checked.facts.contains("rounding_amplification"));
}

TEST(CheckBeforeTiming, WhatNoToleranceAllowsIsAMismatch) {
  Amplifying primitive;
  EXPECT_EQ(check_before_timing(primitive, relu("direct"), needing(17, true)).mismatch, "off");
}

TEST(CheckBeforeTiming, UploadsOnceAndVerifiesOnceWhereNothingElseCanHelp) {
  FakePrimitive primitive(16);
  int calls = 0;
  const auto mismatch =
      check_before_timing(primitive, relu("direct"), [&](Primitive&, const Variant&) {
        ++calls;
        return std::optional<std::string>("off");
      }).mismatch;
  EXPECT_EQ(mismatch, "off");
  EXPECT_EQ(calls, 1);
}

/// The largest number of significant bits of a value.
int bits_of(const std::vector<float>& values) {
  int most = 0;
  for (const float value : values) {
    int exponent = 0;
    float rest = std::abs(std::frexp(value, &exponent));
    int bits = 0;
    for (; rest > 0; ++bits) {
      rest *= 2;
      rest -= std::floor(rest);
    }
    most = std::max(most, bits);
  }
  return most;
}

TEST(DataKind, IsWhatTheInputsHave) {
  for (const auto& [key, precision] : {std::pair{"gemm/m64_n64_k64_nn", Precision::fp32},
                                       {"gemm/m64_n64_k64_nn", Precision::fp16},
                                       {"relu/1x4096", Precision::fp32},
                                       {"layernorm/128x768_e1e-05_sb", Precision::fp32},
                                       {"layernorm/128x768_e1e-05_sb", Precision::tf32},
                                       {"layernorm/128x768_e1e-05_sb", Precision::fp16},
                                       {"attention_bwd/1x2x8x64_k2x8x64_s1", Precision::fp32},
                                       {"attention_bwd/1x2x8x64_k2x8x64_s1", Precision::tf32},
                                       {"gemm/m64_n64_k64_nn", Precision::int8}}) {
    const Problem problem = parse(key);
    const int bits = bits_of(verify::inputs_for(problem, precision, 1).front());
    EXPECT_EQ(data_kind(problem, precision),
              "random, " + std::to_string(bits <= 4 ? 4 : 24) + " bits")
        << key << ' ' << bits;
    EXPECT_TRUE(bits <= 4 || bits == 24) << bits;
  }
}

}  // namespace
}  // namespace benanza::harness
