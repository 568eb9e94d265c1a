#include "suites/onednn/peaks/measure_peaks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/tests/folder.h"
#include "suites/onednn/backend.h"
#include "suites/onednn/ways/planned_call.h"
#include "suites/tests/asked.h"
#include "suites/tests/onednn/support.h"

namespace benanza::onednn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct CommandLine {
  CpuOptions options;
  std::vector<std::string> left;
};

CommandLine taken(std::vector<std::string> words, const char* in_environment = nullptr) {
  words.insert(words.begin(), "bench");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  const CpuOptions options = take_cpu_options(count, arguments.data(), [&](const char* name) {
    return name == std::string("BENANZA_PEAKS") ? in_environment : nullptr;
  });
  return {options, {arguments.begin() + 1, arguments.begin() + count}};
}

TEST(CpuOptions, SayWhereThePeaksComeFrom) {
  EXPECT_EQ(taken({}).options.peaks, "measure");
  const CommandLine file = taken({"--fresh", "--peaks=old.json", "--smoke"}, "none");
  EXPECT_EQ(file.options.peaks, "old.json");
  EXPECT_THAT(file.left, ElementsAre("--fresh", "--smoke"));
  EXPECT_EQ(taken({}, "none").options.peaks, "none");
  EXPECT_EQ(test::error_of([] { taken({"--peaks="}); }),
            "--peaks=: expected measure, none or a results file");
}

TEST(LeastWork, LeavesOutWhatACallMayLeaveOut) {
  // Only the middle one of 3 x 3 taps is on a single pixel; transforms may save products.
  const Problem pixel = parse("conv/1x8x1x1_k16x3x3_p1.1.1.1_s1x1_d1x1_g1");
  EXPECT_DOUBLE_EQ(least_work(pixel, Precision::fp32, {}).work.flops, 2.0 * 8 * 16);
  EXPECT_EQ(least_work(pixel, Precision::fp32, {}).arithmetic_saving, 1);
  EXPECT_EQ(least_work(pixel, Precision::fp32, {.transforms = true}).arithmetic_saving, 4);
  const Problem skips = parse("conv/1x8x56x56_k16x1x1_p0.0.0.0_s2x2_d1x1_g1");
  EXPECT_EQ(least_work(skips, Precision::fp32, {}).work.bytes_read, 4 * (8 * 28 * 28 + 16 * 8));
}

TEST(PeaksOfThisMachine, AreBeatenByNoRow) {
  const auto backend = make_backend();
  const std::int64_t cache_bytes = harness::CacheFlush::of_this_machine().cache_bytes;
  const harness::Peaks peaks = measure_peaks(*backend, cache_bytes);
  EXPECT_EQ(peaks.cache_bytes, cache_bytes);
  EXPECT_GT(peaks.reported.bytes, 1e7);
  ASSERT_TRUE(peaks.reported.flops.contains(Precision::fp32));
  EXPECT_FALSE(peaks.reported.flops.contains(Precision::tf32));
  for (const auto& [precision, flops] : peaks.reported.flops) {
    EXPECT_GT(flops, 1e8) << to_string(precision);
    EXPECT_GE(peaks.possible.flops.at(precision), flops) << to_string(precision);
  }
  GuardedStopwatch stopwatch({}, [&] { return measure_peaks(*backend, cache_bytes); });
  stopwatch.set_peaks(peaks);
  for (const char* const key : {"gemm/m384_n384_k384_nn_w",
                                "conv/1x64x28x28_k64x3x3_p1.1.1.1_s1x1_d1x1_g1", "relu/64x65536"}) {
    for (const auto& variant :
         variants(*backend, key, Precision::fp32, harness::AlgorithmSet::all)) {
      EXPECT_NO_THROW(stopwatch.time(*harness::made(*backend, variant), 3)) << name_of(variant);
    }
  }
}

TEST(PeaksOfThisMachine, OfUnknownCachesLackTheBandwidth) {
  const harness::Peaks peaks = measure_peaks(*make_backend(), 0);
  EXPECT_EQ(peaks.reported.bytes, 0);
  EXPECT_TRUE(peaks.reported.flops.contains(Precision::fp32));
}

class GuardedStopwatchTest : public testing::Test {
 protected:
  static harness::Peaks peaks_of(double flops) {
    const harness::Rates rates{.flops = {{Precision::fp32, flops}}};
    return {.reported = rates, .possible = rates};
  }
  double time() { return stopwatch_.time(*product_, 1); }
  double reported() const { return stopwatch_.peaks()->reported.flops.at(Precision::fp32); }

  std::unique_ptr<harness::Backend> backend_ = make_backend();
  std::shared_ptr<harness::Primitive> product_ = harness::made(
      *backend_,
      variants(*backend_, "gemm/m64_n64_k64_nn_w", Precision::fp32, harness::AlgorithmSet::best)
          .front());
  harness::Peaks again_ = peaks_of(1);
  int measured_again_ = 0;
  GuardedStopwatch stopwatch_{{}, [this] {
                                ++measured_again_;
                                return again_;
                              }};
};

TEST_F(GuardedStopwatchTest, WithoutPeaksHoldsNothingAgainstATime) {
  EXPECT_NO_THROW(time());
  EXPECT_EQ(measured_again_, 0);
}

TEST_F(GuardedStopwatchTest, WhatIsFasterThanTheMachineIsAnError) {
  stopwatch_.set_peaks(peaks_of(1));
  EXPECT_THAT([&] { time(); }, testing::ThrowsMessage<std::runtime_error>(
                                   HasSubstr("faster than the machine's peak")));
  EXPECT_EQ(measured_again_, 1);
}

// As products of bf16 they are faster than those of fp32 can be.
TEST(LeastWork, OfDataThatMayBeRoundedIsNotJudgedByThePeakOfFp32) {
  const auto seconds = [](const char* key) {
    const LeastWork least = least_work(parse(key), Precision::fp32, {});
    const harness::Rates rates{.flops = {{Precision::fp32, 1e6}}, .bytes = 1e12};
    return harness::least_seconds({.reported = rates, .possible = rates, .cache_bytes = 0},
                                  least.work, least.precision, least.arithmetic_saving);
  };
  EXPECT_GT(seconds("gemm/m64_n64_k64_nt_w_packed.int4.b32"), 0.1);
  EXPECT_LT(seconds("gemm/m64_n64_k64_nt_w_packed.int4.b32.a8"), 1e-6);
}

// Other programs may have had half of the bandwidth while the peaks were measured.
TEST_F(GuardedStopwatchTest, UpToTwiceTheBandwidthRaisesThePeaks) {
  constexpr double bytes = 3 * 64 * 64 * 4;
  double least = time();
  for (int i = 0; i < 100; ++i) least = std::min(least, time());
  harness::Peaks peaks = peaks_of(1e15);
  peaks.possible.bytes = peaks.reported.bytes = again_.possible.bytes = bytes / least / 1.6;
  stopwatch_.set_peaks(peaks);
  EXPECT_NO_THROW(time());
  peaks.possible.bytes = peaks.reported.bytes = again_.possible.bytes = 1;
  stopwatch_.set_peaks(peaks);
  EXPECT_THAT([&] { time(); }, testing::ThrowsMessage<std::runtime_error>(
                                   HasSubstr("faster than the machine's peak")));
}

TEST_F(GuardedStopwatchTest, PeaksThatWereDisturbedAreMeasuredAgain) {
  stopwatch_.set_peaks(peaks_of(1));
  again_ = peaks_of(1e15);
  EXPECT_NO_THROW(time());
  EXPECT_NO_THROW(time());
  EXPECT_EQ(measured_again_, 1);
  EXPECT_EQ(reported(), 1e15);
}

// A call faster than the reported peaks but within the possible ones raises the former.
TEST_F(GuardedStopwatchTest, ATimeRaisesThePeaks) {
  const double flops = 2.0 * 64 * 64 * 64;
  harness::Peaks peaks = peaks_of(1);
  peaks.possible.flops[Precision::fp32] = 1e15;
  stopwatch_.set_peaks(peaks);
  const double seconds = time();
  EXPECT_EQ(measured_again_, 0);
  EXPECT_DOUBLE_EQ(reported(), flops / seconds);
  EXPECT_EQ(stopwatch_.peaks()->possible.flops.at(Precision::fp32), 1e15);
}

TEST(Traffic, GoesEveryWay) {
  Traffic traffic(std::size_t{1} << 20);
  for (const Traffic::Kind kind : Traffic::all_kinds) {
    traffic.rate(kind);
    EXPECT_GT(traffic.rate(kind), 1e6);
  }
}

}  // namespace
}  // namespace benanza::onednn
