#include "suites/verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "suites/tests/verify/reference_primitive.h"

namespace benanza::verify {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

/// Correct except for one element.
class OneWrong : public ReferencePrimitive {
 public:
  OneWrong(const Problem& problem, Precision precision, std::size_t index, float value)
      : ReferencePrimitive(problem, precision), index_(index), value_(value) {}
  void run() override {
    ReferencePrimitive::run();
    result_.at(index_) = value_;
  }

 private:
  std::size_t index_;
  float value_;
};

VerificationResult verify_once(harness::Primitive& primitive, const Problem& problem,
                               Precision precision) {
  VerificationCase cache;
  return verify(primitive, problem, precision, cache);
}

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(Verify, AcceptsARightResultInEveryPrecision) {
  const Problem problem = parse("conv/2x8x9x7_k6x3x3_p1.0.2.1_s2x1_d1x2_g2_bias");
  for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8}) {
    ReferencePrimitive primitive(problem, precision);
    const VerificationResult result = verify_once(primitive, problem, precision);
    EXPECT_TRUE(result.ok) << result.message;
    EXPECT_EQ(result.message, "");
  }
}

/// A right result times a factor.
class Scaled : public ReferencePrimitive {
 public:
  Scaled(const Problem& problem, float factor)
      : ReferencePrimitive(problem, Precision::fp32), factor_(factor) {}
  void run() override {
    ReferencePrimitive::run();
    for (float& value : result_) value *= factor_;
  }

 private:
  float factor_;
};

// Rounded to a significand of 4 bits, results are off by up to 6.25%.
TEST(Verify, OverKeysOf8BitsResultsMayHave8Bits) {
  const auto is_accepted = [](const char* key, float factor) {
    Scaled primitive(parse(key), factor);
    return verify_once(primitive, parse(key), Precision::bf16).ok;
  };
  EXPECT_TRUE(is_accepted("attention/2x4x1x16_k2x33x16_s0.25_packed.fp8", 1.05F));
  EXPECT_FALSE(is_accepted("attention/2x4x1x16_k2x33x16_s0.25_packed.fp8", 1.5F));
  EXPECT_FALSE(is_accepted("attention/2x4x1x16_k2x33x16_s0.25", 1.05F));
}

/// Reads the bytes of its data as signed ones.
class ReadsSigned : public ReferencePrimitive {
 public:
  using ReferencePrimitive::ReferencePrimitive;
  void upload(std::size_t index, std::span<const float> values) override {
    std::vector<float> read(values.begin(), values.end());
    for (float& value : read) {
      if (index == 0 && value > 127) value -= 256;
    }
    ReferencePrimitive::upload(index, read);
  }
};

TEST(Verify, UnsignedDataReadAsSignedAreFound) {
  for (const char* key : {"conv/2x8x9x7_k6x3x3_p1.0.2.1_s2x1_d1x2_g2_u8_bias",
                          "deconv/1x8x5x5_k8x3x3_p0.0.0.0_s2x2_d1x1_g1_u8",
                          "gemm/m7_n9_k13_nt_w_u8_bias_relu", "gemm/m8_n9_k2304_nn_u8_residual"}) {
    const Problem problem = parse(key);
    ReferencePrimitive right(problem, Precision::int8);
    const VerificationResult accepted = verify_once(right, problem, Precision::int8);
    EXPECT_TRUE(accepted.ok) << key << ": " << accepted.message;
    ReadsSigned wrong(problem, Precision::int8);
    EXPECT_FALSE(verify_once(wrong, problem, Precision::int8).ok) << key;
  }
}

TEST(Verify, SaysWhichElementAndByHowMuch) {
  const Problem problem = parse("relu/2x3x4");
  // Element (1,2,3), the last; every element of so small a result is compared.
  OneWrong primitive(problem, Precision::fp32, 23, 100.5F);
  EXPECT_THAT(
      verify_once(primitive, problem, Precision::fp32).message,
      MatchesRegex("element \\(1,2,3\\): 100\\.5, expected [0-9.]+ \\(tolerance [0-9.e-]+\\)"));
}

TEST(Verify, FindsAnElementThatWasNotWrittenAnywhere) {
  // 200 samples out of a million would hardly hit it.
  const Problem problem = parse("relu/1000x1000");
  OneWrong primitive(problem, Precision::fp32, 123456, nan);
  EXPECT_THAT(verify_once(primitive, problem, Precision::fp32).message,
              HasSubstr("element (123,456): not a number, or not written"));
}

TEST(Verify, LooksAtEveryElementOfACollective) {
  // 2 * 500000 elements; 200 samples would hardly hit the wrong one.
  const Problem problem = parse("all_reduce/500000_r2");
  ReferencePrimitive right(problem, Precision::bf16);
  EXPECT_EQ(verify_once(right, problem, Precision::bf16).message, "");
  OneWrong wrong(problem, Precision::bf16, 623456, 100);
  EXPECT_THAT(verify_once(wrong, problem, Precision::bf16).message,
              HasSubstr("element (1,123456): 100, expected "));
}

TEST(Verify, KnowsEveryElementOfEveryCollective) {
  // Longer than one comparison run, with parts that are not whole runs.
  for (const char* const key :
       {"all_reduce/270001_r2", "all_gather/540002_r2", "reduce_scatter/540002_r2",
        "broadcast/270001_r2", "all_to_all/540002_r2"}) {
    SCOPED_TRACE(key);
    const Problem problem = parse(key);
    ReferencePrimitive right(problem, Precision::fp32);
    EXPECT_EQ(verify_once(right, problem, Precision::fp32).message, "");
    const auto& shape = std::get<Collective>(problem.shape);
    const auto middle = static_cast<std::size_t>(shape.received_elements() * 3 / 2 + 1);
    OneWrong wrong(problem, Precision::fp32, middle, 100);
    EXPECT_THAT(verify_once(wrong, problem, Precision::fp32).message, HasSubstr(": 100, expected"));
  }
}

TEST(Verify, FindsAnIntegerElementThatWasNotWritten) {
  const Problem problem = parse("relu/1000x1000");
  OneWrong primitive(problem, Precision::int8, 123456, -128);
  EXPECT_THAT(verify_once(primitive, problem, Precision::int8).message,
              HasSubstr("element (123,456): -128, expected "));
}

TEST(Verify, SaturationIsNotPoison) {
  // -8 * 1000 is correctly stored as -128.
  const Problem problem = parse("linear/40_a1000_b0");
  ReferencePrimitive primitive(problem, Precision::int8);
  const VerificationResult result = verify_once(primitive, problem, Precision::int8);
  EXPECT_TRUE(result.ok) << result.message;
}

TEST(Verify, IntegersMustBeTheNearest) {
  const Problem problem = parse("conv/1x16x4x4_k4x3x3_p1.1.1.1_s1x1_d1x1_g1_bias");
  ReferencePrimitive right(problem, Precision::int8);
  ASSERT_TRUE(verify_once(right, problem, Precision::int8).ok);
  const std::vector<float> result = right.download();
  // An element well inside the range, off by one or two: rejected, except off by one on one side if
  // it is a tie.
  std::size_t index = 0;
  while (std::abs(result[index]) > 100) ++index;
  int accepted = 0;
  for (const float error : {-2.0F, -1.0F, 1.0F, 2.0F}) {
    OneWrong wrong(problem, Precision::int8, index, result[index] + error);
    accepted += verify_once(wrong, problem, Precision::int8).ok ? 1 : 0;
  }
  EXPECT_LE(accepted, 1);
}

// A value beyond a precision's range becomes infinite or the largest number of the range.
TEST(Verify, AnInfiniteElementIsRightAsItselfAlone) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const char* key : {"select/4x10_a4x10_vb-inf", "select/4x10_a4x10_vb-3.4028235e+38"}) {
    const Problem problem = parse(key);
    for (const Precision precision : {Precision::fp32, Precision::fp16, Precision::bf16}) {
      ReferencePrimitive right(problem, precision);
      EXPECT_TRUE(verify_once(right, problem, precision).ok) << key;
      const std::vector<float> result = right.download();
      std::size_t hidden = 0;
      while (result.at(hidden) > -1e38F) ++hidden;
      const auto accepts = [&](float value) {
        OneWrong other(problem, precision, hidden, value);
        return verify_once(other, problem, precision).ok;
      };
      EXPECT_TRUE(accepts(-infinity)) << key;
      EXPECT_TRUE(accepts(std::numeric_limits<float>::lowest())) << key;
      EXPECT_FALSE(accepts(infinity)) << key;
      EXPECT_FALSE(accepts(-6e4F)) << key;
      EXPECT_FALSE(accepts(nan)) << key;
    }
  }
}

TEST(Verify, IgnoresTheGapsOfACopyAndNothingElse) {
  // Two rows of three with strides 8 and 2: 0 2 4 and 8 10 12 are written; 1, 3, 5, ... are not.
  const Problem problem = parse("copy/2x3_f3.1_t8.2");
  ReferencePrimitive right(problem, Precision::fp32);
  const VerificationResult result = verify_once(right, problem, Precision::fp32);
  EXPECT_TRUE(result.ok) << result.message;
  OneWrong wrong(problem, Precision::fp32, 10, nan);
  EXPECT_THAT(verify_once(wrong, problem, Precision::fp32).message, HasSubstr("element (1,1): "));
  OneWrong gap(problem, Precision::fp32, 9, 5);
  EXPECT_TRUE(verify_once(gap, problem, Precision::fp32).ok);
}

TEST(Verify, ResultOfAnotherSizeIsWrong) {
  ReferencePrimitive primitive(parse("relu/8"), Precision::fp32);
  EXPECT_EQ(verify_once(primitive, parse("relu/8x1x1"), Precision::fp32).message, "");
  class Short : public ReferencePrimitive {
   public:
    using ReferencePrimitive::ReferencePrimitive;
    std::vector<float> download() override { return {1, 2, 3}; }
  };
  Short shorter(parse("relu/8"), Precision::fp32);
  EXPECT_EQ(verify_once(shorter, parse("relu/8"), Precision::fp32).message,
            "the result has 3 elements, expected 8");
}

TEST(VerificationCase, LooksAtFirstLastAndEdges) {
  VerificationCase cache;
  cache.prepare(parse("maxpool/4x32x56x56_k3x3_p1.1.1.1_s2x2_d1x1"), Precision::fp32);
  const auto& samples = cache.samples();
  EXPECT_GE(samples.size(), 150U);
  EXPECT_LE(samples.size(), 200U);
  EXPECT_EQ(samples[0].at, (Dims{0, 0, 0, 0}));
  EXPECT_EQ(samples[1].at, (Dims{3, 31, 27, 27}));
  std::int64_t on_edge = 0;
  for (const auto& sample : samples) {
    for (const std::size_t axis : {2, 3}) {
      if (sample.at[axis] == 0 || sample.at[axis] == 27) {
        ++on_edge;
        break;
      }
    }
  }
  EXPECT_GT(on_edge, static_cast<std::int64_t>(samples.size()) / 4);
  EXPECT_LT(on_edge, static_cast<std::int64_t>(samples.size()) * 3 / 4);
}

TEST(VerificationCase, LongSumsTakeFewerSamples) {
  VerificationCase cache;
  cache.prepare(parse("gemm/m64_n64_k250000_nn"), Precision::fp32);
  EXPECT_LE(cache.samples().size(), 20U);  // 5 million products
  EXPECT_GE(cache.samples().size(), 15U);
}

/// Drops every `period`-th element, and doubles all others, as for a ratio of 0.5.
class DropsEvery : public ReferencePrimitive {
 public:
  DropsEvery(const Problem& problem, std::size_t period)
      : ReferencePrimitive(problem, Precision::fp32), period_(period) {}
  void upload(std::size_t, std::span<const float> values) override {
    result_.assign(values.begin(), values.end());
    for (std::size_t i = 0; i < result_.size(); ++i) result_[i] *= i % period_ == 0 ? 0 : 2;
  }
  void poison_output() override {}
  void run() override {}

 private:
  std::size_t period_;
};

TEST(Verify, TheShareOfDroppedElementsIsTested) {
  const Problem problem = parse("dropout/10000_r0.5");
  const auto drops = [&](std::size_t period) {
    VerificationCase cache;
    DropsEvery primitive(problem, period);
    return verify(primitive, problem, Precision::fp32, cache);
  };
  EXPECT_TRUE(drops(2).ok);
  // 5000 +- 6 * 50 are accepted.
  EXPECT_EQ(drops(3).message, "3334 of 10000 elements are dropped, expected a share of 0.5");
  EXPECT_FALSE(drops(1).ok) << "all of them";
}

TEST(VerificationCase, IsMadeOnceForAProblemAndAPrecision) {
  VerificationCase cache;
  cache.prepare(parse("relu/1000"), Precision::fp32);
  const float* first = cache.operands()[0].data();
  cache.prepare(parse("relu/1000"), Precision::fp32);
  EXPECT_EQ(cache.operands()[0].data(), first);
  const std::vector<float> floating = cache.operands()[0];
  cache.prepare(parse("relu/1000"), Precision::int8);
  EXPECT_NE(cache.operands()[0], floating);
  cache.prepare(parse("tanh/10"), Precision::int8);
  EXPECT_EQ(cache.operands()[0].size(), 10U);
}

}  // namespace
}  // namespace benanza::verify
