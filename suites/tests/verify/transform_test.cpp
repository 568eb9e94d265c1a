// The errors that are allowed for algorithms that transform their operands.
#include <gtest/gtest.h>

#include <algorithm>

#include "suites/tests/verify/planted_errors.h"
#include "suites/tests/verify/reference_primitive.h"
#include "suites/verify/comparison.h"
#include "suites/verify/verify.h"

namespace benanza::verify {
namespace {

constexpr double fp16_unit = 0x1p-10;
constexpr harness::Traits sums;
constexpr harness::Traits transforms{.transforms = true};
constexpr const char* depthwise = "conv/1x8x9x9_k8x5x5_p2.2.2.2_s1x1_d1x1_g8";

TEST(Transforms, TheirToleranceIsOfTheLargestSum) {
  // 16 units of 2^-10 of 64.
  EXPECT_EQ(transform_tolerance(Precision::fp16, parse(depthwise), 64), 1);
  // With 4 channels a single one has a quarter of it.
  EXPECT_EQ(
      transform_tolerance(Precision::fp16, parse("conv/1x4x9x9_k8x5x5_p2.2.2.2_s1x1_d1x1_g1"), 64),
      0.25);
  EXPECT_EQ(transform_tolerance(Precision::fp32, parse(depthwise), 0x1p+19), 1);
  // TF32 products have ten bits, too.
  EXPECT_EQ(transform_tolerance(Precision::tf32, parse(depthwise), 64), 1);
}

/// A depthwise convolution in fp16 with an error of `error`, up and down, in every `period`-th
/// element.
class OffByUnits : public ReferencePrimitive {
 public:
  OffByUnits(const Problem& problem, double error, std::size_t period)
      : ReferencePrimitive(problem, Precision::fp16), error_(error), period_(period) {}
  void run() override {
    ReferencePrimitive::run();
    for (std::size_t i = 0; i < result_.size(); i += period_) {
      result_[i] += static_cast<float>(i % 2 == 0 ? error_ : -error_);
    }
  }

 private:
  double error_;
  std::size_t period_;
};

VerificationResult off_by(double units, std::size_t period, const harness::Traits& traits) {
  const Problem problem = parse(depthwise);
  VerificationCase cache;
  cache.prepare(problem, Precision::fp16);
  double largest = 0;
  for (const auto& sample : cache.samples()) {
    largest = std::max(largest, sample.expected.magnitude);
  }
  OffByUnits primitive(problem, units * fp16_unit * largest, period);
  return verify(primitive, problem, Precision::fp16, cache, traits);
}

TEST(Transforms, MayBeOffBySixteenUnitsOfTheLargestSum) {
  // One of 9 elements: the root mean square is a third of each error.
  EXPECT_TRUE(off_by(14, 9, transforms).ok);
  EXPECT_FALSE(off_by(20, 9, transforms).ok);
  EXPECT_FALSE(off_by(14, 9, sums).ok);
}

TEST(Transforms, MayBeOffByEightUnitsOnAverage) {
  EXPECT_TRUE(off_by(6, 1, transforms).ok);
  EXPECT_FALSE(off_by(11, 1, transforms).ok);
  EXPECT_FALSE(off_by(6, 1, sums).ok);
}

TEST(Transforms, PlantedErrorsOfConvolutionsAreFound) {
  int count = 0;
  for (const PlantedError& error : planted_errors()) {
    const Problem wanted = parse(error.wanted);
    const bool convolves = std::holds_alternative<Convolution>(wanted.shape) ||
                           std::holds_alternative<Deconvolution>(wanted.shape);
    if (!convolves) continue;
    for (const Precision precision : {Precision::fp32, Precision::fp16}) {
      SCOPED_TRACE(std::string(error.what) + ": " + error.wanted);
      VerificationCase cache;
      Mistaken wrong(error, std::make_unique<ReferencePrimitive>(parse(error.mistaken), precision));
      EXPECT_FALSE(verify(wrong, wanted, precision, cache, transforms).ok);
      ++count;
    }
  }
  EXPECT_GT(count, 30);
}

/// Leaves out tap `tap` of every filter.
class DroppedTap : public ReferencePrimitive {
 public:
  DroppedTap(const Problem& problem, Precision precision, std::size_t tap)
      : ReferencePrimitive(problem, precision),
        taps_(static_cast<std::size_t>(
            element_count(std::get<Convolution>(problem.shape).window.kernel))),
        tap_(tap) {}
  void upload(std::size_t index, std::span<const float> values) override {
    std::vector<float> rest(values.begin(), values.end());
    for (std::size_t i = tap_; index == 1 && i < rest.size(); i += taps_) rest[i] = 0;
    ReferencePrimitive::upload(index, rest);
  }

 private:
  std::size_t taps_;
  std::size_t tap_;
};

/// Adds to every element the residual of the next one.
class WrongResidual : public ReferencePrimitive {
 public:
  using ReferencePrimitive::ReferencePrimitive;
  void upload(std::size_t index, std::span<const float> values) override {
    std::vector<float> moved(values.begin(), values.end());
    if (index == 2) std::rotate(moved.begin(), moved.begin() + 1, moved.end());
    ReferencePrimitive::upload(index, moved);
  }
};

TEST(Transforms, ADroppedTapAndAWrongResidualAreFound) {
  VerificationCase cache;
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    for (const char* key :
         {"conv/1x8x9x9_k8x5x5_p2.2.2.2_s1x1_d1x1_g8", "conv/1x64x9x9_k8x5x5_p2.2.2.2_s1x1_d1x1_g1",
          "conv/1x512x9x9_k8x3x3_p1.1.1.1_s1x1_d1x1_g1"}) {
      const Problem problem = parse(key);
      ReferencePrimitive right(problem, precision);
      EXPECT_TRUE(verify(right, problem, precision, cache, transforms).ok) << key;
      for (const std::size_t tap : {0, 4, 8}) {
        DroppedTap wrong(problem, precision, tap);
        EXPECT_FALSE(verify(wrong, problem, precision, cache, transforms).ok) << key;
      }
      const Problem added = parse(std::string(key) + "_residual");
      WrongResidual wrong(added, precision);
      EXPECT_FALSE(verify(wrong, added, precision, cache, transforms).ok) << key << "_residual";
    }
  }
}

}  // namespace
}  // namespace benanza::verify
