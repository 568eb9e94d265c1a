#include <gmock/gmock.h>

#include "analysis/model/floor.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::five;
using test::measured;
using test::us;
using testing::DoubleEq;
using testing::Optional;

TEST(DeviceRates, OfALayerAreTheFastestItMayRunAt) {
  const DeviceRates of_two{.flops_per_second = 2, .flops_per_second_at = {{Precision::int8, 1}}};
  EXPECT_THAT(rates_of_layer(of_two, Precision::int8, Precision::fp32).flops_per_second,
              Optional(2));
  EXPECT_THAT(rates_of_layer(of_two, Precision::fp32, Precision::fp32).flops_per_second,
              Optional(2));
  EXPECT_EQ(rates_of_layer(of_two, Precision::bf16, Precision::fp32).flops_per_second,
            std::nullopt);
}

TEST(DeviceRates, AreThoseOfTheBackendsThatAreAsked) {
  Results results;
  results.peaks = {
      {"cublas", {{"peak_fp16_flops_per_second", 7e14}, {"peak_bytes_per_second", 3e12}}},
      {"cudnn", {{"peak_fp16_flops_per_second", 6e14}, {"peak_bytes_per_second", 4e12}}}};
  results.systems = {{"cublas", {{"l2_bytes", "50000000"}}}, {"cudnn", {{"l2_bytes", "many"}}}};
  const DeviceRates both = device_rates(results, {.precision = Precision::fp16});
  EXPECT_THAT(both.flops_per_second, Optional(7e14));
  EXPECT_THAT(both.bytes_per_second, Optional(4e12));
  EXPECT_THAT(both.cache_bytes, Optional(5e7));
  EXPECT_THAT(both.most_kept_bytes, Optional(4.5e7));
  const DeviceRates one =
      device_rates(results, {.precision = Precision::fp16, .backends = {"cudnn"}});
  EXPECT_THAT(one.flops_per_second, Optional(6e14));
  EXPECT_EQ(one.cache_bytes, std::nullopt);
  EXPECT_EQ(device_rates(results, {.precision = Precision::bf16}).flops_per_second, std::nullopt);
}

TEST(DeviceRates, AreRaisedByAFasterProductUnlessItIsTooFastToBeTrue) {
  Results results;
  results.peaks = {{"cublas", {{"peak_fp16_flops_per_second", 1e12}}}};
  const auto peak = [&](const std::string& name, double seconds) {
    Results with = results;
    // 2 x 100 x 200 x 50 = 2e6 FLOP: 2 us at 1e12 FLOP/s.
    with.measurements.add(measured(name, five(seconds)));
    return device_rates(with, {.precision = Precision::fp16}).flops_per_second;
  };
  const std::string name = "gemm/m100_n200_k50_nn_w/fp16/plain/cublas/x";
  EXPECT_THAT(peak(name, 1.9 * us), Optional(DoubleEq(2e6 / (1.9 * us))));
  EXPECT_THAT(peak(name, 3 * us), Optional(1e12));
  EXPECT_THAT(peak(name, 1.7 * us), Optional(1e12));
  EXPECT_THAT(peak("gemm/m100_n200_k50_nn_w/fp32/plain/cublas/x", 1.9 * us), Optional(1e12));
  EXPECT_THAT(peak("relu/1000000/fp16/plain/cudnn/x", 1.9 * us), Optional(1e12));
  // Weights from memory may take less time by chance.
  Results with = results;
  with.measurements.add(measured(name, five(2.1 * us)));
  Measurement rotated = measured("gemm/m100_n200_k50_nt_w/fp16/plain/cublas/x", five(2.1 * us));
  rotated.rotating_seconds = 1.95 * us;
  with.measurements.add(std::move(rotated));
  EXPECT_THAT(device_rates(with, {.precision = Precision::fp16}).flops_per_second,
              Optional(DoubleEq(2e6 / (1.95 * us))));
  // A product of zeros, which needs less power, was done at 1.25e12 FLOP/s: 1.6 us for this one.
  results.peaks["cublas"]["possible_fp16_flops_per_second"] = 1.25e12;
  EXPECT_THAT(peak(name, 1.7 * us), Optional(DoubleEq(2e6 / (1.7 * us))));
  EXPECT_THAT(peak(name, 1.58 * us), Optional(DoubleEq(2e6 / (1.58 * us)))) << "noise";
  EXPECT_THAT(peak(name, 1.5 * us), Optional(1e12));
}

}  // namespace
}  // namespace benanza::analysis
