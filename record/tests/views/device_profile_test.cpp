#include "record/views/device_profile.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace benanza {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = DeviceRecording::Work::Kind;

constexpr double nano = 1e-9;

/// Builds a recording: times in nanoseconds, a launch number for each work.
struct DeviceMade {
  DeviceRecording recording{.processes = {1}};

  std::uint32_t name(const std::string& text) {
    for (std::size_t at = 0; at < recording.names.size(); ++at) {
      if (recording.names[at] == text) return static_cast<std::uint32_t>(at);
    }
    recording.names.push_back(text);
    return static_cast<std::uint32_t>(recording.names.size() - 1);
  }
  DeviceMade& work(Kind kind, const std::string& text, std::int64_t start, std::int64_t end,
                   std::uint32_t correlation, std::int64_t bytes = 0) {
    recording.work.push_back({.kind = kind,
                              .name = name(text),
                              .process = 1,
                              .start = start,
                              .end = end,
                              .correlation = correlation,
                              .bytes = bytes});
    return *this;
  }
  DeviceMade& kernel(const std::string& text, std::int64_t start, std::int64_t end,
                     std::uint32_t correlation) {
    return work(Kind::kernel, text, start, end, correlation);
  }
  DeviceMade& call(const std::string& text, std::int64_t start, std::int64_t end,
                   std::uint32_t correlation, std::int64_t thread = 10) {
    recording.api.push_back({.name = name(text),
                             .correlation = correlation,
                             .process = 1,
                             .thread = thread,
                             .start = start,
                             .end = end});
    return *this;
  }
  DeviceMade& range(const std::string& text, std::int64_t start, std::optional<std::int64_t> end,
                    std::int64_t thread = 10) {
    recording.ranges.push_back(
        {.name = name(text), .process = 1, .thread = thread, .start = start, .end = end});
    return *this;
  }
  DeviceProfile profile(const std::vector<GpuCall>& calls = {}) const {
    return device_profile(recording, calls);
  }
};

GpuCall device_profile_convolution(std::optional<std::int64_t> start,
                                   std::optional<std::int64_t> thread = 10) {
  return {.text = {.source = "cudnn",
                   .engine = "gpu",
                   .kind = "cudnnConvolutionForward",
                   .memory = "fp32 nchw",
                   .problem = "conv/1x1x3x3_k1x1x1_p0.0.0.0_s1x1_d1x1_g1"},
          .process = 1,
          .thread = thread,
          .start = start};
}

TEST(DeviceProfile, KernelsAndCopiesByName) {
  const auto profile = DeviceMade()
                           .kernel("a", 0, 10, 1)
                           .kernel("b", 10, 40, 2)
                           .kernel("a", 40, 45, 3)
                           .work(Kind::copy, "host to device", 50, 60, 4, 300)
                           .work(Kind::copy, "host to device", 60, 90, 5, 100)
                           .work(Kind::graph, "graph 7", 90, 100, 6)
                           .profile();
  ASSERT_THAT(profile.kernels, SizeIs(3));
  EXPECT_EQ(profile.kernels[0].name, "b");
  EXPECT_EQ(profile.kernels[1].name, "a");
  EXPECT_EQ(profile.kernels[1].calls, 2);
  EXPECT_DOUBLE_EQ(profile.kernels[1].exclusive_seconds, 15 * nano);
  EXPECT_EQ(profile.kernels[2].name, "graph 7");
  ASSERT_THAT(profile.copies, SizeIs(1));
  EXPECT_EQ(profile.copies[0].calls, 2);
  EXPECT_EQ(profile.copies[0].bytes, 400);
  EXPECT_DOUBLE_EQ(profile.copies[0].exclusive_seconds, 40 * nano);
  EXPECT_DOUBLE_EQ(profile.kernel_seconds, 55 * nano);
  EXPECT_EQ(profile.kernel_count, 4);
}

TEST(DeviceProfile, IdleTimeHasItsCause) {
  // a runs 0-100. Gap until 130, since b was launched at 20. b runs 130-200, then only a copy,
  // 200-260. Idle until 400: the thread waited until 290 and at 350 launched c, which starts at
  // 400: 30 of waiting, 110 of the host. c runs 400-500. Idle until 520: d's launch is unknown.
  const auto profile = DeviceMade()
                           .call("cudaLaunchKernel", -50, -40, 1)
                           .kernel("a", 0, 100, 1)
                           .call("cudaLaunchKernel", 20, 30, 2)
                           .kernel("b", 130, 200, 2)
                           .call("cudaMemcpyAsync", 35, 40, 3)
                           .work(Kind::copy, "device to host", 200, 260, 3)
                           .call("cudaStreamSynchronize", 150, 290, 9)
                           .call("cuStreamSynchronize", 160, 280, 9)
                           .call("cudaDeviceSynchronize", 150, 350, 10, 11)
                           .call("cudaStreamWaitEvent", 290, 350, 12)
                           .call("cudaLaunchKernel", 350, 360, 4)
                           .kernel("c", 400, 500, 4)
                           .kernel("d", 520, 530, 77)
                           .profile();
  ASSERT_THAT(profile.devices, SizeIs(1));
  const DeviceTime& time = profile.devices[0];
  EXPECT_DOUBLE_EQ(time.seconds, 530 * nano);
  EXPECT_DOUBLE_EQ(time.busy_seconds, (100 + 70 + 100 + 10) * nano);
  EXPECT_DOUBLE_EQ(time.copy_seconds, 60 * nano);
  EXPECT_DOUBLE_EQ(time.gap_seconds, 30 * nano);
  EXPECT_DOUBLE_EQ(time.synchronization_seconds, 30 * nano);
  EXPECT_DOUBLE_EQ(time.host_seconds, 110 * nano);
  EXPECT_DOUBLE_EQ(time.unknown_seconds, 20 * nano);
  EXPECT_THAT(time.busy_seconds + time.copy_seconds + time.gap_seconds +
                  time.synchronization_seconds + time.host_seconds + time.unknown_seconds,
              DoubleNear(time.seconds, 1e-15));
}

TEST(DeviceProfile, KernelsBesideEachOtherAreOneBusyTime) {
  const auto profile = DeviceMade()
                           .kernel("a", 0, 100, 1)
                           .work(Kind::copy, "set", 50, 120, 2)
                           .kernel("b", 80, 110, 3)
                           .profile();
  EXPECT_DOUBLE_EQ(profile.devices[0].busy_seconds, 110 * nano);
  EXPECT_DOUBLE_EQ(profile.devices[0].copy_seconds, 10 * nano);
  EXPECT_DOUBLE_EQ(profile.kernel_seconds, 130 * nano);
}

TEST(DeviceProfile, CallsInsideOfCallsAreNotCountedTwice) {
  // The runtime and the driver both record one launch, with one number.
  const auto profile = DeviceMade()
                           .call("cudaLaunchKernel", 0, 100, 1)
                           .call("cuLaunchKernel", 20, 80, 1)
                           .call("cudaLaunchKernel", 100, 150, 2)
                           .call("cudaFree", 0, 30, 3, 11)
                           .kernel("a", 200, 210, 1)
                           .profile();
  ASSERT_THAT(profile.api, SizeIs(3));
  EXPECT_EQ(profile.api[0].name, "cudaLaunchKernel");
  EXPECT_EQ(profile.api[0].calls, 2);
  EXPECT_DOUBLE_EQ(profile.api[0].inclusive_seconds, 150 * nano);
  EXPECT_DOUBLE_EQ(profile.api[0].exclusive_seconds, 90 * nano);
  EXPECT_DOUBLE_EQ(profile.api[1].exclusive_seconds, 60 * nano);
  ASSERT_THAT(profile.threads, SizeIs(2));
  EXPECT_EQ(profile.threads[0].name, "process 1 thread 10");
  EXPECT_DOUBLE_EQ(profile.threads[0].exclusive_seconds, 150 * nano);
  EXPECT_DOUBLE_EQ(profile.threads[0].device_seconds, 10 * nano);
  EXPECT_EQ(profile.threads[1].calls, 1);
}

TEST(DeviceProfile, RangesOwnWhatTheyLaunch) {
  const auto profile = DeviceMade()
                           .range("step", 0, 100)
                           .range("layer", 10, 30)
                           .range("layer", 40, 60)
                           .range("step", 50, 55)  // nested in itself: counted once
                           .range("other thread", 0, 100, 11)
                           .range("cut", 0, std::nullopt)
                           .call("cudaLaunchKernel", 5, 6, 1)
                           .call("cudaLaunchKernel", 20, 21, 2)
                           .call("cudaLaunchKernel", 52, 53, 3)
                           .call("cudaLaunchKernel", 70, 71, 4)
                           .kernel("a", 200, 201, 1)
                           .kernel("a", 201, 211, 2)
                           .kernel("a", 211, 311, 3)
                           .kernel("a", 311, 1311, 4)
                           .profile();
  ASSERT_THAT(profile.ranges, SizeIs(3));
  EXPECT_EQ(profile.ranges[0].name, "step");
  EXPECT_DOUBLE_EQ(profile.ranges[0].device_seconds, 1111 * nano);
  EXPECT_EQ(profile.ranges[0].calls, 2);
  EXPECT_DOUBLE_EQ(profile.ranges[0].inclusive_seconds, 100 * nano);
  EXPECT_DOUBLE_EQ(profile.ranges[0].exclusive_seconds, (100 - 40 + 5) * nano);
  EXPECT_EQ(profile.ranges[1].name, "layer");
  EXPECT_DOUBLE_EQ(profile.ranges[1].device_seconds, 110 * nano);
  EXPECT_DOUBLE_EQ(profile.ranges[1].exclusive_seconds, 35 * nano);
  EXPECT_EQ(profile.ranges[2].name, "other thread");
  EXPECT_EQ(profile.ranges[2].device_seconds, 0);
}

// a 0-100 holds b 10-90, which holds a 20-60: a is 100 in all, not 140. The same on another thread
// counts again. c 200-250 and c 240-300 overlap: 100, not 110.
TEST(DeviceProfile, InclusiveTimeCountsANameOnceHoweverDeep) {
  const auto profile = DeviceMade()
                           .range("a", 0, 100)
                           .range("b", 10, 90)
                           .range("a", 20, 60)
                           .range("a", 30, 40)
                           .range("c", 200, 250)
                           .range("c", 240, 300)
                           .range("a", 0, 7, 11)
                           .call("cudaMalloc", 0, 100, 1)
                           .call("cudaMalloc", 20, 50, 2)
                           .profile();
  const auto row = [](const std::vector<DeviceRow>& rows, const std::string& name) {
    return *std::ranges::find(rows, name, &DeviceRow::name);
  };
  EXPECT_DOUBLE_EQ(row(profile.ranges, "a").inclusive_seconds, 107 * nano);
  EXPECT_DOUBLE_EQ(row(profile.ranges, "a").exclusive_seconds, (20 + 30 + 10 + 7) * nano);
  EXPECT_DOUBLE_EQ(row(profile.ranges, "b").inclusive_seconds, 80 * nano);
  EXPECT_DOUBLE_EQ(row(profile.ranges, "c").inclusive_seconds, 100 * nano);
  EXPECT_EQ(row(profile.ranges, "a").calls, 4);
  EXPECT_DOUBLE_EQ(row(profile.api, "cudaMalloc").inclusive_seconds, 100 * nano);
}

TEST(DeviceProfile, TensorCoresByTheirNames) {
  const auto profile = DeviceMade()
                           .kernel("nvjet_hsh_128x128", 0, 60, 1)
                           .kernel("ampere_sgemm_128x64_nn", 60, 80, 2)
                           .kernel("my_kernel", 80, 90, 3)
                           .kernel("splitKreduce_kernel", 90, 100, 4)
                           .profile();
  EXPECT_DOUBLE_EQ(profile.tensor_core_seconds, 60 * nano);
  EXPECT_DOUBLE_EQ(profile.plain_seconds, 30 * nano);
  EXPECT_DOUBLE_EQ(profile.unknown_tensor_core_seconds, 10 * nano);
}

TEST(DeviceProfile, ALoggedCallOwnsWhatItsThreadLaunches) {
  const DeviceMade made = DeviceMade()
                              .call("cudaLaunchKernel", 10, 11, 1)
                              .call("cudaLaunchKernel", 110, 111, 2)
                              .call("cudaLaunchKernel", 120, 121, 3)
                              .call("cudaLaunchKernel", 130, 131, 4)
                              .call("cudaLaunchKernel", 140, 141, 5)
                              .call("cudaLaunchKernel", 115, 116, 6, 11)
                              .kernel("sm80_before", 1000, 1001, 1)
                              .kernel("nchwToNhwcKernel", 1001, 1003, 2)
                              .kernel("sm90_xmma_fprop", 1003, 1021, 3)
                              .kernel("void at::native::relu", 1021, 1022, 4)
                              .kernel("sm90_behind_the_frameworks", 1022, 1023, 5)
                              .kernel("sm90_of_another_thread", 1023, 1024, 6);
  const auto profile =
      made.profile({device_profile_convolution(100), device_profile_convolution(5'000'000)});
  ASSERT_THAT(profile.library_calls, SizeIs(1));
  EXPECT_EQ(profile.library_calls[0].name,
            "cudnnConvolutionForward conv/1x1x3x3_k1x1x1_p0.0.0.0_s1x1_d1x1_g1 fp32 nchw");
  EXPECT_EQ(profile.library_calls[0].calls, 2);
  EXPECT_DOUBLE_EQ(profile.library_calls[0].exclusive_seconds, 20 * nano);
  // 9 multiply-adds: 18 operations in 20 ns.
  ASSERT_THAT(profile.throughput, SizeIs(1));
  EXPECT_NEAR(profile.throughput[0].flops_per_second, 18 / (20 * nano), 1);
  EXPECT_DOUBLE_EQ(profile.known_arithmetic_seconds, 20 * nano);
}

TEST(DeviceProfile, ACapturedCallRunsAsOftenAsItsGraph) {
  DeviceMade made;
  made.call("cudaStreamBeginCapture", 100, 101, 1)
      .call("cudaLaunchKernel", 120, 121, 2)
      .call("cudaStreamEndCapture", 200, 201, 3)
      .call("cudaGraphLaunch", 300, 301, 4)
      .call("cudaGraphLaunch", 400, 401, 5)
      .kernel("sm90_xmma_fprop", 1000, 1030, 4)
      .kernel("sm90_xmma_fprop", 1100, 1130, 5)
      .kernel("sm90_xmma_of_nobody", 1130, 1170, 6);
  for (std::size_t at = 0; at < 2; ++at) {
    made.recording.work[at].graph = 2;
    made.recording.work[at].node = 7;
  }
  const auto profile = made.profile({device_profile_convolution(110)});
  ASSERT_THAT(profile.library_calls, SizeIs(1));
  EXPECT_EQ(profile.library_calls[0].calls, 2);
  EXPECT_DOUBLE_EQ(profile.library_calls[0].exclusive_seconds, 60 * nano);
  // 18 operations in 30 ns.
  ASSERT_THAT(profile.throughput, SizeIs(1));
  EXPECT_NEAR(profile.throughput[0].flops_per_second, 18 / (30 * nano), 1);
  EXPECT_DOUBLE_EQ(profile.library_kernel_seconds, 100 * nano);
  EXPECT_DOUBLE_EQ(profile.known_library_kernel_seconds, 60 * nano);
}

TEST(DeviceProfile, ACallWithoutAProblemIsNamedAndNotKnown) {
  GpuCall attention = device_profile_convolution(100);
  attention.text.kind = "cudnnBackendExecute";
  attention.text.problem = "";
  attention.text.auxiliary = "MATMUL POINTWISE";
  const auto profile = DeviceMade()
                           .call("cudaLaunchKernel", 110, 111, 1)
                           .kernel("cudnn_generated_fort_native_sdpa_sm90", 1000, 1030, 1)
                           .profile({attention});
  ASSERT_THAT(profile.library_calls, SizeIs(1));
  EXPECT_EQ(profile.library_calls[0].name, "cudnnBackendExecute MATMUL POINTWISE fp32 nchw");
  EXPECT_DOUBLE_EQ(profile.library_calls[0].exclusive_seconds, 30 * nano);
  EXPECT_DOUBLE_EQ(profile.library_kernel_seconds, 30 * nano);
  EXPECT_EQ(profile.known_library_kernel_seconds, 0);
}

// Names as PyTorch 2.11 has them, without their arguments. A conversion lies within the
// normalization, a library's kernel within the gated function.
TEST(DeviceProfile, AFrameworksKernelsAreWhatTheyComputeTogether) {
  const std::string elementwise = "void at::native::vectorized_elementwise_kernel<4, at::native::";
  const std::string mul = elementwise + "BinaryFunctor<float, float, float, MulFunctor<float>>>";
  const std::vector<std::string> kernels{
      elementwise + "pow_tensor_scalar_kernel_impl<float, float>(...)>",
      "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, MeanOps<float>>>",
      elementwise + "CUDAFunctorOnSelf_add<float>>",
      elementwise + "rsqrt_kernel_cuda(at::TensorIteratorBase&)>",
      mul,
      "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(...)>",
      mul,
      "nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT",
      elementwise + "silu_kernel(at::TensorIteratorBase&)>",
      "nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT",
      mul,
      "triton_poi_fused_add_mul_3",
      "triton_poi_fused_add_mul_4",
      mul};
  DeviceMade made;
  for (std::size_t at = 0; at < kernels.size(); ++at) {
    const auto start = static_cast<std::int64_t>(at) * 100;
    made.kernel(kernels[at], start, start + 10, static_cast<std::uint32_t>(at + 1));
  }
  std::vector<std::string> rows;
  for (const DeviceRow& row : made.profile().framework) {
    rows.push_back(row.name.substr(0, row.name.find(':')) + ' ' + std::to_string(row.calls) +
                   " x " + std::to_string(std::lround(row.exclusive_seconds / nano)));
  }
  EXPECT_THAT(rows, ElementsAre("RMS normalization (pow mean add rsqrt mul mul) 1 x 60",
                                "gated function (silu mul) 1 x 20", "add mul 2 x 20", "mul 1 x 10",
                                "copy 1 x 10"));
}

TEST(DeviceProfile, ASearchForAnAlgorithmHasALineOfItsOwn) {
  DeviceMade made;
  std::vector<GpuCall> calls;
  for (int at = 0; at < 4; ++at) {
    const int time = 100 * (at + 1);
    made.call("cudaLaunchKernel", time + 10, time + 11, at + 1)
        .kernel("sm90_xmma_fprop", 1000 * (at + 1), 1000 * (at + 1) + 30, at + 1);
    calls.push_back(device_profile_convolution(time));
    calls.back().text.implementation = "engine " + std::to_string(at);
  }
  // The fourth is the step's.
  calls.back().text.problem = "conv/1x3x8x8_k8x3x3_p0.0.0.0_s1x1_d1x1_g1";
  const auto profile = made.profile(calls);
  EXPECT_EQ(profile.searching_calls, 3);
  EXPECT_DOUBLE_EQ(profile.searching_seconds, 90 * nano);
  ASSERT_THAT(profile.library_call_times, SizeIs(1));
  EXPECT_EQ(profile.library_call_times[0].text.problem, calls.back().text.problem);
  ASSERT_THAT(profile.library_calls, SizeIs(2));
  EXPECT_EQ(profile.library_calls[0].name, "search for algorithms");
  EXPECT_DOUBLE_EQ(profile.known_library_kernel_seconds, 120 * nano);
}

TEST(DeviceProfile, TheSlowestTimeComesFirstInTheDistribution) {
  const auto profile =
      DeviceMade()
          .call("cudaLaunchKernel", 110, 111, 1)
          .call("cudaLaunchKernel", 210, 211, 2)
          .kernel("sm90_xmma_fprop", 1000, 1030, 1)
          .kernel("sm90_xmma_fprop", 1030, 1040, 2)
          .profile({device_profile_convolution(100), device_profile_convolution(200)});
  ASSERT_THAT(profile.throughput, SizeIs(2));
  EXPECT_NEAR(profile.throughput[0].flops_per_second, 18 / (30 * nano), 1);
  EXPECT_DOUBLE_EQ(profile.throughput[0].part, 0.75);
  EXPECT_DOUBLE_EQ(profile.throughput[1].part, 1);
}

TEST(DeviceProfile, CallsWithoutATimeAreMatchedInOrderOrNotAtAll) {
  GpuCall product{.text = {.source = "cublas",
                           .engine = "gpu",
                           .kind = "cublasSgemm_v2",
                           .problem = "gemm/m2_n3_k4"},
                  .process = 1};
  GpuCall other = product;
  other.text.problem = "gemm/m2_n3_k5";
  const DeviceMade made = DeviceMade()
                              .kernel("ampere_sgemm_128x64_nn", 0, 10, 1)
                              .kernel("void at::native::add", 10, 20, 2)
                              .kernel("ampere_sgemm_64x64_nn", 20, 50, 3);
  const auto matched = made.profile({product, other});
  ASSERT_THAT(matched.library_calls, SizeIs(2));
  EXPECT_EQ(matched.library_calls[0].name, "cublasSgemm_v2 gemm/m2_n3_k5");
  EXPECT_DOUBLE_EQ(matched.library_calls[0].exclusive_seconds, 30 * nano);
  EXPECT_DOUBLE_EQ(matched.library_calls[1].exclusive_seconds, 10 * nano);
  const auto unmatched = made.profile({product});
  EXPECT_EQ(unmatched.library_calls[0].exclusive_seconds, 0);
  EXPECT_THAT(unmatched.throughput, IsEmpty());
}

}  // namespace
}  // namespace benanza
