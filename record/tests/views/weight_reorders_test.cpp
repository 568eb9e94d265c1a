#include "record/views/weight_reorders.h"

#include <gmock/gmock.h>

namespace benanza {
namespace {

CallTotal total(const std::string& kind, const std::string& problem, const std::string& memory,
                std::int64_t calls, double seconds) {
  return {.text = {.source = "onednn",
                   .engine = "cpu",
                   .kind = kind,
                   .prop_kind = "forward_inference",
                   .memory = memory,
                   .problem = problem},
          .calls = calls,
          .seconds = seconds,
          .timed_calls = calls};
}

CallTotal convolution(std::int64_t calls) {
  return total("convolution", "mb1_g2ic64oc32_ih8oh8kh3sh1dh0ph1_iw8ow8kw3sw1dw0pw1",
               "src:f32::blocked:aBcd16b::f0 wei:f32::blocked:aBCde16b16c::f0 "
               "dst:f32::blocked:aBcd16b::f0",
               calls, 7e-3);
}

/// 2 groups of 16 filters with 32 channels, 3x3.
CallTotal its_weights(std::int64_t calls, const std::string& format = "aBCde16b16c") {
  return total("reorder", "2x16x32x3x3",
               "src:f32::blocked:abcde::f0 dst:f32::blocked:" + format + "::f0", calls, 2e-3);
}

TEST(WeightReorders, RunAsOftenAsTheirProduct) {
  const WeightReorders found = weight_reorders({its_weights(10), convolution(10)});
  EXPECT_EQ(found.calls, 10);
  EXPECT_EQ(found.kinds, 1U);
  EXPECT_DOUBLE_EQ(found.seconds, 2e-3);
  EXPECT_DOUBLE_EQ(found.all_seconds, 9e-3);
  EXPECT_THAT(found.worst, testing::StartsWith("convolution mb1_g2ic64oc32"));
}

TEST(WeightReorders, OnceAtTheBeginningAreNone) {
  EXPECT_EQ(weight_reorders({its_weights(1), convolution(10)}).calls, 0);
}

TEST(WeightReorders, OfAnotherFormatOrSizeAreNone) {
  EXPECT_EQ(weight_reorders({its_weights(10, "aBcd16b"), convolution(10)}).calls, 0);
  CallTotal image = its_weights(10);
  image.text.problem = "2x16x32x3x9";
  EXPECT_EQ(weight_reorders({image, convolution(10)}).calls, 0);
}

// Of one run nobody knows whether the next one would reorder again.
TEST(WeightReorders, OfTwoStepsNothingIsSaid) {
  EXPECT_EQ(weight_reorders({its_weights(2), convolution(2)}).calls, 0);
}

// Keys and values are second operands, too.
TEST(WeightReorders, OfProductsOfBatchesAreNone) {
  const std::string memory =
      "src:f32::blocked:abc::f0 wei:f32::blocked:acb::f0 dst:f32::blocked:abc::f0";
  const std::string flat =
      "src:f32::blocked:ab::f0 wei:f32::blocked:BA16a16b::f0 dst:f32::blocked:ab::f0";
  const auto reorder = [](const std::string& dims, const std::string& format) {
    return total("reorder", dims, "src:f32::blocked:ab::f0 dst:f32::blocked:" + format + "::f0", 9,
                 1e-3);
  };
  EXPECT_EQ(
      weight_reorders({total("matmul", "8x4x16:8x16x4", memory, 9, 1e-3), reorder("8x16x4", "acb")})
          .calls,
      0);
  EXPECT_EQ(
      weight_reorders({total("matmul", "4x64:64x32", flat, 9, 1e-3), reorder("64x32", "BA16a16b")})
          .calls,
      9);
}

TEST(WeightReorders, WhatCannotBeReadIsLeftOut) {
  EXPECT_EQ(weight_reorders({total("convolution", "?", "wei:f32::blocked:ab::f0", 9, 1e-3)}).calls,
            0);
  EXPECT_EQ(weight_reorders({}).calls, 0);
}

}  // namespace
}  // namespace benanza
