#include "suites/nvidia/run/peaks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace benanza::nvidia {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::Pair;

const Peaks device{.flops_per_second = {{Precision::fp32, 50e12}, {Precision::fp16, 700e12}},
                   .bytes_per_second = 3e12,
                   .l2_bytes = 50'000'000};

TEST(LeastSeconds, ArithmeticAtThePeakOfThePrecision) {
  const Work work{.flops = 57.5e9, .bytes_read = 1000, .bytes_written = 1000};
  // 57.5e9 / (50e12 * 1.15) = 1 ms
  EXPECT_THAT(least_seconds(device, work, Precision::fp32), DoubleEq(1e-3));
  EXPECT_LT(least_seconds(device, work, Precision::fp16), 0.1e-3);
}

TEST(LeastSeconds, SavingsOfTheAlgorithmCount) {
  const Work work{.flops = 57.5e9, .bytes_read = 0, .bytes_written = 0};
  EXPECT_THAT(least_seconds(device, work, Precision::fp32, 4), DoubleEq(0.25e-3));
  EXPECT_EQ(least_seconds(device, work, Precision::fp32, std::numeric_limits<double>::infinity()),
            0);
}

TEST(LeastSeconds, BytesBeyondTheCacheAtThePeakBandwidth) {
  // 345e6 / (3e12 * 1.15) = 0.1 ms
  const Work large{.flops = 0, .bytes_read = 300'000'000, .bytes_written = 95'000'000};
  EXPECT_THAT(least_seconds(device, large, Precision::fp32), DoubleEq(1e-4));
  const Work cached{.flops = 0, .bytes_read = 25'000'000, .bytes_written = 25'000'000};
  EXPECT_EQ(least_seconds(device, cached, Precision::fp32), 0);
}

TEST(LeastSeconds, NothingIsKnownWithoutPeaks) {
  const Work work{.flops = 1e12, .bytes_read = 1 << 30, .bytes_written = 0};
  EXPECT_EQ(least_seconds({}, work, Precision::fp32), 0);
  EXPECT_EQ(least_seconds({.flops_per_second = {{Precision::fp16, 1e12}}}, work, Precision::fp32),
            0);
}

TEST(ContextEntries, NameTheirUnit) {
  EXPECT_THAT(context_entries(device), ElementsAre(Pair("peak_fp32_flops_per_second", "5e+13"),
                                                   Pair("peak_fp16_flops_per_second", "7e+14"),
                                                   Pair("peak_bytes_per_second", "3e+12")));
  EXPECT_TRUE(context_entries({}).empty());
}

}  // namespace
}  // namespace benanza::nvidia
