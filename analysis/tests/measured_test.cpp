#include "analysis/questions/profile/measured.h"

#include <gmock/gmock.h>

namespace benanza::analysis {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

const std::string problem = "conv/32x64x56x56_k64x3x3_p1.1.1.1_s1x1_d1x1_g1";

Measurement measured_call(const std::string& algorithm, double seconds,
                          Layout layout = Layout::nhwc, Precision precision = Precision::fp16,
                          bool cold = false) {
  return {.variant = {.key = problem,
                      .precision = precision,
                      .layout = layout,
                      .backend = "cudnn",
                      .algorithm = algorithm,
                      .cold = cold},
          .repetition_seconds = {seconds}};
}

LibraryCallTime call(const std::string& memory, const std::string& algorithm, std::int64_t calls,
                     double seconds) {
  return {.text = {.source = "cudnn",
                   .engine = "gpu",
                   .kind = "cudnnBackendExecute",
                   .implementation = algorithm,
                   .memory = memory,
                   .problem = problem},
          .calls = calls,
          .seconds = seconds};
}

TEST(MeasuredCalls, StandBesideTheRecordedAlgorithmAndTheFastest) {
  MeasurementSet set;
  set.add(measured_call("engine62.k13=1", 22e-6));
  set.add(measured_call("engine5", 15e-6));
  // Other layouts, other precisions and refused rows do not count; cold ones do by themselves.
  set.add(measured_call("engine62.k13=1", 1e-6, Layout::nchw));
  set.add(measured_call("engine62.k13=1", 2e-6, Layout::nhwc, Precision::bf16));
  set.add(measured_call("engine62.k13=1", 25e-6, Layout::nhwc, Precision::fp16, true));
  set.add(measured_call("engine5", 3e-6, Layout::nhwc, Precision::fp16, true));
  Measurement refused = measured_call("engine6", 4e-6);
  refused.status = Status::incorrect;
  set.add(std::move(refused));
  const auto calls = measured_calls(
      {call("fp16 nhwc", "engine 62 TILEK=1", 10, 200e-6), call("fp16 nhwc", "engine 9", 1, 10e-6),
       call("", "engine 62 TILEK=1", 1, 1e-6)},
      set);
  ASSERT_THAT(calls, SizeIs(2));
  ASSERT_NE(calls[0].same, nullptr);
  EXPECT_DOUBLE_EQ(calls[0].same->seconds(), 22e-6);
  EXPECT_DOUBLE_EQ(calls[0].fastest->seconds(), 15e-6);
  EXPECT_NEAR(calls[0].saved_seconds(), 50e-6, 1e-12);
  EXPECT_EQ(calls[1].same, nullptr);
  // The recorded call is faster than anything measured.
  EXPECT_EQ(calls[1].saved_seconds(), 0);
  // 200 of 210 us; 22 us measured for a recorded call of 20 us.
  EXPECT_THAT(measured_text(calls), HasSubstr("100.0% were measured, 95.2% with the recorded "
                                              "algorithm, which takes 1.100 of the recorded "
                                              "time in the median, 1.100 in sum; with cold "
                                              "caches 1.250 and 1.250; the fastest"));
  EXPECT_THAT(measured_text(calls), HasSubstr("would save 0.050 ms"));
  EXPECT_THAT(measured_sheet(calls, "gpu_measured").rows, SizeIs(2));
  EXPECT_DOUBLE_EQ(measured_facts(calls)["median_ratio"].get<double>(), 1.1);
}

TEST(MeasuredCalls, OfFp32DataThatIsRoundedAreTf32) {
  MeasurementSet set;
  set.add(measured_call("engine1", 10e-6, Layout::nhwc, Precision::fp32));
  set.add(measured_call("engine1", 5e-6, Layout::nhwc, Precision::tf32));
  LibraryCallTime rounded = call("fp32 nhwc", "engine 1", 1, 6e-6);
  rounded.products = Precision::tf32;
  const auto calls = measured_calls({rounded, call("fp32 nhwc", "engine 1", 1, 6e-6)}, set);
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_DOUBLE_EQ(calls[0].same->seconds(), 5e-6);
  EXPECT_DOUBLE_EQ(calls[1].same->seconds(), 10e-6);
}

TEST(MeasuredCalls, HaveASumThatLongCallsDecide) {
  MeasurementSet set;
  set.add(measured_call("engine1", 9e-6));
  set.add(measured_call("engine2", 10e-6));
  set.add(measured_call("engine3", 12e-6));
  const auto calls = measured_calls(
      {call("fp16 nhwc", "engine 1", 100, 1000e-6), call("fp16 nhwc", "engine 2", 2, 20e-6),
       call("fp16 nhwc", "engine 3", 2, 20e-6)},
      set);
  // (900 + 20 + 24) / 1040
  EXPECT_THAT(measured_text(calls), HasSubstr("takes 1.000 of the recorded time in the median, "
                                              "0.908 in sum; the fastest"));
  EXPECT_TRUE(measured_facts(calls)["cold_median_ratio"].is_null());
  EXPECT_NEAR(measured_facts(calls)["sum_ratio"].get<double>(), 944. / 1040, 1e-12);
}

TEST(MeasuredCalls, OfCublasLtAreRecognisedByTheirKernels) {
  MeasurementSet set;
  Measurement one = measured_call("lt.a66.t20", 9e-6);
  one.kernels = {"nvjet_1", "splitK"};
  set.add(one);
  one = measured_call("lt.a66.t30", 7e-6);
  one.kernels = {"nvjet_2"};
  set.add(one);
  set.add(measured_call("gemm_ex", 8e-6));
  LibraryCallTime recorded = call("fp16 nhwc", "algorithm 66", 1, 10e-6);
  recorded.kernels = {"nvjet_1", "splitK"};
  LibraryCallTime default_one = call("fp16 nhwc", "", 1, 10e-6);
  default_one.text.source = "cublas";
  LibraryCallTime other = recorded;
  other.kernels = {"nvjet_3"};
  const auto calls = measured_calls({recorded, default_one, other}, set);
  ASSERT_NE(calls[0].same, nullptr);
  EXPECT_EQ(calls[0].same->variant.algorithm, "lt.a66.t20");
  ASSERT_NE(calls[1].same, nullptr);
  EXPECT_EQ(calls[1].same->variant.algorithm, "gemm_ex");
  EXPECT_EQ(calls[2].same, nullptr);
  EXPECT_EQ(measured_sheet(calls, "gpu_measured").rows[0][8].value,
            "cudnn/algorithm 66 nvjet_1 splitK");
}

TEST(MeasuredCalls, WithoutAMeasurementAreSaidToBeNone) {
  const auto calls = measured_calls({call("fp16 nhwc", "engine 1", 1, 6e-6)}, {});
  EXPECT_EQ(measured_text(calls), "none of the recorded calls was measured");
  EXPECT_TRUE(measured_facts(calls)["median_ratio"].is_null());
  EXPECT_TRUE(measured_sheet(calls, "gpu_measured").rows[0][0].value.is_null());
}

/// A convolution of oneDNN, as its log says it, its operands in the format `tag`.
CallTotal logged(const std::string& tag, const std::string& implementation, double seconds) {
  return {.text = {.source = "onednn",
                   .engine = "cpu",
                   .kind = "convolution",
                   .implementation = implementation,
                   .prop_kind = "forward_inference",
                   .memory = "src_f32::blocked:" + tag +
                             ":f0 wei_f32::blocked:Acdb8a:f0 "
                             "bia_undef::undef::f0 dst_f32::blocked:" +
                             tag + ":f0",
                   .auxiliary = "alg:convolution_direct",
                   .problem = "mb1_ic64oc32_ih14oh14kh3sh1dh0ph1_iw14ow14kw3sw1dw0pw1"},
          .calls = 3,
          .seconds = seconds,
          .timed_calls = 2};
}

TEST(HostCalls, AreTheSuitesProblemsInTheRecordedLayout) {
  CallTotal unknown = logged("acdb", "jit:avx2", 9e-6);
  unknown.text.kind = "shuffle";
  CallTotal untimed = logged("acdb", "jit:avx2", 0);
  untimed.timed_calls = 0;
  const auto calls = host_calls(
      {logged("acdb", "jit:avx2", 40e-6), unknown, untimed, logged("aBcd8b", "jit:avx2", 60e-6)});
  ASSERT_THAT(calls, SizeIs(2));
  const std::string key = "conv/1x64x14x14_k32x3x3_p1.1.1.1_s1x1_d1x1_g1";
  EXPECT_EQ(calls[0].text.problem, key);
  EXPECT_EQ(calls[0].text.memory, "fp32 any");
  EXPECT_EQ(calls[1].text.memory, "fp32 nhwc");
  EXPECT_EQ(calls[1].calls, 2) << "of the others no time is known";
  // Beside what was measured: the same implementation, and a faster one in this layout.
  MeasurementSet set;
  const auto add = [&](Layout layout, const std::string& algorithm, double seconds) {
    Measurement one = measured_call(algorithm, seconds, layout, Precision::fp32);
    one.variant.key = key;
    one.variant.backend = "onednn";
    set.add(std::move(one));
  };
  add(Layout::nhwc, "jit:avx2", 18e-6);
  add(Layout::nhwc, "x64:gemm:jit", 15e-6);
  add(Layout::any, "jit:avx2", 10e-6);
  const auto compared = measured_calls(calls, set);
  ASSERT_THAT(compared, SizeIs(2));
  EXPECT_DOUBLE_EQ(compared[0].fastest->seconds(), 10e-6);
  EXPECT_DOUBLE_EQ(compared[1].same->seconds(), 18e-6);
  EXPECT_NEAR(compared[1].saved_seconds(), 40e-6 - 2 * 15e-6, 1e-12);
}

TEST(HostCalls, OfAnotherVersionThanMeasuredSaySo) {
  const auto said = [](const std::string& library) {
    Results results;
    results.systems["onednn"] = {{"onednn_version", "2.6.3"}};
    return other_version({library, "something else"}, results);
  };
  EXPECT_EQ(said("oneDNN v3.2.1 (commit abc)"), "recorded with oneDNN 3.2.1, measured with 2.6.3");
  EXPECT_EQ(said("oneDNN v2.6.3 (commit abc)"), "");
  EXPECT_EQ(said("cuDNN v9"), "");
}

}  // namespace
}  // namespace benanza::analysis
