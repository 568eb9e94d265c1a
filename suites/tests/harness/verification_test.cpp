#include "suites/harness/run/runner.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <map>

#include "suites/harness/conditions/data_kind.h"
#include "suites/harness/deadline.h"
#include "suites/harness/measure/measure.h"
#include "suites/tests/harness/fake/fake_backend.h"
#include "suites/verify/inputs.h"
#include "suites/verify/verification_cases.h"

namespace benanza::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

Variant verification_relu(const std::string& algorithm) {
  return {parse("relu/2x8"), Precision::fp32, Layout::plain, algorithm};
}

Outcome outcome_of(const std::string& algorithm) {
  FakeBackend backend{"1"};
  return run_variant(backend, verification_relu(algorithm), verify::verifier(), {});
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

constexpr Traits amplifying{.rounding_amplification = 16};

/// A verifier that accepts from this amplification on, or a transform.
Verifier needing(double amplification, bool transform) {
  return [=](Primitive& primitive, const Variant&,
             const Traits& traits) -> std::optional<std::string> {
    primitive.upload(0, std::vector<float>(16));
    if (transform && traits.transforms) return std::nullopt;
    if (traits.rounding_amplification >= amplification) return std::nullopt;
    return "off";
  };
}

TEST(CheckBeforeTiming, SaysNothingWhereAPlainSumsToleranceIsEnough) {
  FakePrimitive primitive(16);
  const Traits both{.transforms = true, .rounding_amplification = 16};
  const Verification found =
      verify_before_timing(primitive, verification_relu("direct"), both, needing(1, false));
  EXPECT_EQ(found.mismatch, std::nullopt);
  EXPECT_THAT(found.facts, IsEmpty());
}

TEST(CheckBeforeTiming, SaysThatAnOperandIsOverwritten) {
  FakePrimitive primitive(16);
  const Verification found = verify_before_timing(primitive, verification_relu("direct"),
                                                  {.in_place = true}, needing(1, false));
  EXPECT_EQ(found.mismatch, std::nullopt);
  EXPECT_TRUE(std::get<bool>(found.facts.at("in_place")));
}

TEST(CheckBeforeTiming, SaysThatItIsReferenceCode) {
  FakePrimitive primitive(16);
  const Verification found = verify_before_timing(primitive, verification_relu("direct"),
                                                  {.reference = true}, needing(1, false));
  EXPECT_TRUE(std::get<bool>(found.facts.at("reference")));
}

TEST(CheckBeforeTiming, SaysThatTheAmplificationWasNeeded) {
  FakePrimitive primitive(16);
  const Verification found =
      verify_before_timing(primitive, verification_relu("direct"), amplifying, needing(16, false));
  EXPECT_EQ(found.mismatch, std::nullopt);
  EXPECT_EQ(std::get<std::string>(found.facts.at("tolerance")), "sum");
  EXPECT_EQ(std::get<double>(found.facts.at("rounding_amplification")), 16);
}

TEST(CheckBeforeTiming, SaysThatPartialSumsWereRounded) {
  FakePrimitive primitive(16);
  const Traits adding{.partial_sums = 32};
  const Verifier verifier = [](Primitive&, const Variant&,
                               const Traits& traits) -> std::optional<std::string> {
    if (traits.partial_sums == 32) return std::nullopt;
    return "off";
  };
  const Verification found =
      verify_before_timing(primitive, verification_relu("direct"), adding, verifier);
  EXPECT_EQ(found.mismatch, std::nullopt);
  EXPECT_EQ(std::get<std::string>(found.facts.at("tolerance")), "sum");
  EXPECT_EQ(std::get<double>(found.facts.at("partial_sums")), 32);
  EXPECT_FALSE(found.facts.contains("rounding_amplification"));
  EXPECT_EQ(verify_after_timing(primitive, verification_relu("direct"), adding, verifier),
            std::nullopt);
}

TEST(CheckBeforeTiming, SaysThatTheToleranceOfTransformsWasNeeded) {
  FakePrimitive primitive(16);
  const Verification found = verify_before_timing(primitive, verification_relu("direct"),
                                                  {.transforms = true}, needing(2, true));
  EXPECT_EQ(found.mismatch, std::nullopt);
  EXPECT_EQ(std::get<std::string>(found.facts.at("tolerance")), "transform");
  EXPECT_FALSE(found.facts.contains("rounding_amplification"));
}

TEST(CheckBeforeTiming, WhatNoToleranceAllowsIsAMismatch) {
  FakePrimitive primitive(16);
  EXPECT_EQ(
      verify_before_timing(primitive, verification_relu("direct"), amplifying, needing(17, true))
          .mismatch,
      "off");
}

/// Notes how many seconds its calls still have.
class Hurried : public FakePrimitive {
 public:
  using FakePrimitive::FakePrimitive;
  void upload(std::size_t index, std::span<const float> values) override {
    note("upload");
    FakePrimitive::upload(index, values);
  }
  void restore() override {
    note("restore");
    FakePrimitive::restore();
  }
  void run() override {
    note("run");
    FakePrimitive::run();
  }
  /// By the member function; the least.
  std::map<std::string, unsigned> seconds;

 private:
  void note(const std::string& name) {
    const unsigned left = ::alarm(0);
    ::alarm(left);
    const auto [found, is_new] = seconds.emplace(name, left);
    if (!is_new) found->second = std::min(found->second, left);
  }
};

::testing::Matcher<unsigned> within(unsigned minutes) {
  return ::testing::AllOf(::testing::Gt(0U), ::testing::Le(60 * minutes));
}

TEST(Deadlines, AllThatVerificationRunsHasOneAndNothingAfterIt) {
  Hurried primitive(16);
  const Verifier verifier = verify::verifier();
  const Variant relu = verification_relu("direct");
  EXPECT_EQ(verify_before_timing(primitive, relu, {}, verifier).mismatch, std::nullopt);
  EXPECT_THAT(primitive.seconds, ElementsAre(Pair("restore", within(1)), Pair("run", within(1)),
                                             Pair("upload", within(5))));
  primitive.seconds.clear();
  EXPECT_EQ(verify_after_timing(primitive, relu, {}, verifier), std::nullopt);
  EXPECT_THAT(primitive.seconds, ElementsAre(Pair("restore", within(1)), Pair("run", within(1))));
  EXPECT_EQ(::alarm(0), 0U);
}

TEST(Deadlines, TimedCallsHaveOne) {
  for (const bool cold : {false, true}) {
    Hurried primitive(16);
    FakeStopwatch stopwatch{Hold()};
    measure(primitive, stopwatch, {.budget_seconds = 0.01, .cold = cold});
    EXPECT_THAT(primitive.seconds, ElementsAre(Pair("run", within(1))));
    EXPECT_EQ(::alarm(0), 0U);
  }
}

TEST(Deadlines, AnOuterOneStandsStillInAnInnerOne) {
  {
    const Deadline outer(100);
    {
      const Deadline inner(20);
      const unsigned left = ::alarm(20);
      EXPECT_LE(left, 20U);
    }
    const unsigned left = ::alarm(100);
    EXPECT_GT(left, 90U);
  }
  EXPECT_EQ(::alarm(0), 0U);
}

TEST(CheckBeforeTiming, UploadsOnceAndVerifiesOnceWhereNothingElseCanHelp) {
  FakePrimitive primitive(16);
  int calls = 0;
  const auto mismatch = verify_before_timing(primitive, verification_relu("direct"), {},
                                             [&](Primitive&, const Variant&, const Traits&) {
                                               ++calls;
                                               return std::optional<std::string>("off");
                                             })
                            .mismatch;
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
