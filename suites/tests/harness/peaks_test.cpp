#include "suites/harness/peaks/peaks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/tests/folder.h"

namespace benanza::harness {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::Pair;

const Peaks device{
    .reported = {.flops = {{Precision::fp32, 45e12}, {Precision::fp16, 600e12}}, .bytes = 2.5e12},
    .possible = {.flops = {{Precision::fp32, 50e12}, {Precision::fp16, 700e12}}, .bytes = 3e12},
    .cache_bytes = 50'000'000};

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
  const Peaks other{.possible = {.flops = {{Precision::fp16, 1e12}}}};
  EXPECT_EQ(least_seconds(other, work, Precision::fp32), 0);
}

TEST(ContextEntries, NameTheirUnit) {
  EXPECT_THAT(context_entries(device), ElementsAre(Pair("peak_fp32_flops_per_second", "4.5e+13"),
                                                   Pair("peak_fp16_flops_per_second", "6e+14"),
                                                   Pair("peak_bytes_per_second", "2.5e+12"),
                                                   Pair("possible_fp32_flops_per_second", "5e+13"),
                                                   Pair("possible_fp16_flops_per_second", "7e+14"),
                                                   Pair("possible_bytes_per_second", "3e+12")));
  EXPECT_TRUE(context_entries({}).empty());
}

// A row at 48 TFLOP/s exceeds the peak on random values, 45, but not the one on zeros.
TEST(LeastSeconds, IsOfWhatIsPossibleNotOfWhatIsReported) {
  const Work work{.flops = 48e9, .bytes_read = 0, .bytes_written = 0};
  EXPECT_LT(least_seconds(device, work, Precision::fp32), 1e-3);
  Peaks fast_on_zeros = device;
  fast_on_zeros.possible.flops[Precision::fp32] *= 2;
  EXPECT_DOUBLE_EQ(least_seconds(fast_on_zeros, work, Precision::fp32),
                   least_seconds(device, work, Precision::fp32) / 2);
}

// A Winograd convolution by F(2x2,3x3) needs 2.25 times fewer products, F(4x4,3x3) 4 times fewer:
// with a peak of 50 TFLOP/s, 100 and 180 as Work counts them are possible, but not without the
// saving.
TEST(LeastSeconds, TransformsMayBeatThePeakByWhatTheySave) {
  const auto possible = [](double teraflops, double saving) {
    const Work work{.flops = teraflops * 1e9, .bytes_read = 0, .bytes_written = 0};
    return least_seconds(device, work, Precision::fp32, saving) <= 1e-3;
  };
  EXPECT_FALSE(possible(100, 1));
  EXPECT_TRUE(possible(100, 2.25));
  EXPECT_FALSE(possible(180, 2.25));
  EXPECT_TRUE(possible(180, 4));
  EXPECT_FALSE(possible(231, 4));  // 50 * 4 * 1.15 = 230
}

PeakValues values_of(const Peaks& peaks) {
  PeakValues values;
  for (const auto& [name, text] : context_entries(peaks)) values[name] = std::stod(text);
  return values;
}

TEST(PeaksOf, AreWhatTheContextSays) {
  EXPECT_EQ(peaks_of(values_of(device), device.cache_bytes), device);
  EXPECT_EQ(peaks_of({}, 1), (Peaks{.cache_bytes = 1}));
}

TEST(PeaksOf, AnOlderFilesAreOfZeros) {
  const Peaks peaks = peaks_of({{"peak_bytes_per_second", 3e12}}, 1);
  EXPECT_EQ(peaks.reported.bytes, 3e12);
  EXPECT_EQ(peaks.possible.bytes, 3e12);
}

TEST(PeaksIn, MustBeOfThisDevice) {
  const Origin file{.system = {{"device", "NVIDIA H200"}}, .peaks = values_of(device), .file = "r"};
  EXPECT_EQ(peaks_in(file, {{"device", "NVIDIA H200"}}, {"device"}, device.cache_bytes), device);
  EXPECT_EQ(test::error_of([&] {
              peaks_in(file, {{"device", "NVIDIA H100"}}, {"device"}, 1);
            }),
            "--peaks=r: of NVIDIA H200, this is NVIDIA H100");
  EXPECT_EQ(test::error_of([&] { peaks_in({.file = "r"}, {}, {}, 1); }),
            "--peaks=r: says no peaks; measure them");
  const System here{{"cpu_model", "EPYC"}, {"threads", "2"}};
  const Origin elsewhere{.system = {{"cpu_model", "EPYC"}, {"threads", "64"}},
                         .peaks = values_of(device),
                         .file = "r"};
  EXPECT_EQ(peaks_in(elsewhere, here, {"cpu_model"}, device.cache_bytes), device);
  EXPECT_EQ(test::error_of([&] {
              peaks_in(elsewhere, here, {"cpu_model", "threads"}, 1);
            }),
            "--peaks=r: of 64 threads, this is 2 threads");
}

}  // namespace
}  // namespace benanza::harness
