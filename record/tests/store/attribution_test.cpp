#include "record/store/attribution.h"

#include <gmock/gmock.h>

namespace benanza {
namespace {

using testing::ElementsAre;
using Kind = DeviceRecording::Work::Kind;
constexpr auto none = std::nullopt;

/// Builds a recording.
struct Made {
  DeviceRecording recording{.processes = {1}};

  std::uint32_t name(const std::string& text) {
    for (std::size_t at = 0; at < recording.names.size(); ++at) {
      if (recording.names[at] == text) return static_cast<std::uint32_t>(at);
    }
    recording.names.push_back(text);
    return static_cast<std::uint32_t>(recording.names.size() - 1);
  }
  Made& call(const std::string& text, std::int64_t start, std::uint32_t correlation,
             std::int64_t thread = 10) {
    recording.api.push_back({.name = name(text),
                             .correlation = correlation,
                             .process = 1,
                             .thread = thread,
                             .start = start,
                             .end = start + 1});
    return *this;
  }
  Made& kernel(const std::string& text, std::int64_t start, std::uint32_t correlation,
               std::optional<std::int64_t> graph = {}, std::optional<std::int64_t> node = {}) {
    recording.work.push_back({.kind = Kind::kernel,
                              .name = name(text),
                              .process = 1,
                              .start = start,
                              .end = start + 5,
                              .correlation = correlation,
                              .graph = graph,
                              .node = node});
    return *this;
  }
  Attribution attribution(const std::vector<GpuCall>& calls) const {
    return attribute(recording, Launches(recording), calls);
  }
};

GpuCall attribution_convolution(std::int64_t start) {
  const std::string problem = "conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1";
  return {
      .text = {.source = "cudnn", .problem = problem}, .process = 1, .thread = 10, .start = start};
}
GpuCall product(const std::string& source, const std::string& problem,
                const std::string& memory = "fp16") {
  return {.text = {.source = source, .memory = memory, .problem = problem}, .process = 1};
}

TEST(Attribution, ACapturedCallOwnsItsNode) {
  const auto made = Made()
                        .call("cudaStreamBeginCapture", 100, 1)
                        .call("cudaLaunchKernel", 120, 2)
                        .call("cudaLaunchKernel", 130, 3)
                        .call("cuLaunchKernelEx", 160, 4)
                        .call("cudaStreamEndCapture", 200, 5)
                        .call("cudaGraphLaunch", 300, 6)
                        .call("cudaGraphLaunch", 400, 7)
                        .kernel("nchwToNhwcKernel", 1000, 6, 2, 20)
                        .kernel("void at::native::relu", 1010, 6, 2, 21)
                        .kernel("sm90_xmma_fprop", 1020, 6, 2, 22)
                        .kernel("nchwToNhwcKernel", 1100, 7, 2, 20)
                        .kernel("void at::native::relu", 1110, 7, 2, 21)
                        .kernel("sm90_xmma_fprop", 1120, 7, 2, 22);
  const Launches launches(made.recording);
  EXPECT_EQ(launches.of(made.recording.work[3])->start, 400);
  EXPECT_EQ(launches.captured(made.recording.work[3])->start, 120);
  EXPECT_THAT(made.attribution({attribution_convolution(110), attribution_convolution(150)}).owners,
              ElementsAre(0, none, 1, 0, none, 1));
  // A call just before the launch of a graph does not own the graph's kernels.
  EXPECT_THAT(made.attribution({attribution_convolution(299)}).owners,
              ElementsAre(none, none, none, none, none, none));
}

TEST(Attribution, CapturesAreGraphsInTheirOrder) {
  const auto made = Made()
                        .call("cudaStreamBeginCapture", 100, 1)
                        .call("cudaLaunchKernel", 110, 2)
                        .call("cudaStreamEndCapture", 120, 3)
                        // This graph is never launched.
                        .call("cudaStreamBeginCapture", 200, 4)
                        .call("cudaLaunchKernel", 210, 5)
                        .call("cudaMemcpyAsync", 220, 6)
                        .call("cudaLaunchKernel", 230, 7)
                        .call("cudaStreamEndCapture", 240, 8)
                        .call("cudaStreamBeginCapture", 300, 9)
                        .call("cudaLaunchKernel", 310, 10)
                        // Not captured: it ran immediately.
                        .call("cudaLaunchKernel", 315, 11)
                        .call("cudaLaunchKernel", 320, 12)
                        .call("cudaStreamEndCapture", 330, 13)
                        .kernel("a", 1000, 20, 5, 1)
                        .kernel("beside", 1000, 11)
                        .kernel("b", 1010, 21, 8, 1)
                        .kernel("c", 1020, 21, 8, 2)
                        .kernel("unknown", 1020, 22, 9, 1);
  const Launches launches(made.recording);
  EXPECT_EQ(launches.captured(made.recording.work[0])->start, 110);
  EXPECT_EQ(launches.captured(made.recording.work[1]), nullptr);
  EXPECT_EQ(launches.captured(made.recording.work[2])->start, 310);
  EXPECT_EQ(launches.captured(made.recording.work[3])->start, 320);
  EXPECT_EQ(launches.captured(made.recording.work[4]), nullptr);
}

TEST(Attribution, ThreadsCaptureBesideEachOther) {
  const auto made = Made()
                        .call("cudaStreamBeginCapture", 100, 1)
                        .call("cudaStreamBeginCapture", 110, 2, 11)
                        .call("cudaLaunchKernel", 120, 3, 11)
                        .call("cudaLaunchKernel", 130, 4)
                        .call("cudaLaunchKernel", 140, 5)
                        .call("cudaStreamEndCapture", 150, 6, 11)
                        // From a helper thread of the first one.
                        .call("cudaLaunchKernel", 160, 7, 12)
                        .call("cudaStreamEndCapture", 170, 8)
                        .kernel("a", 1000, 20, 5, 1)
                        .kernel("b", 1010, 20, 5, 2)
                        .kernel("c", 1020, 20, 5, 3)
                        .kernel("d", 1030, 21, 8, 1);
  const Launches launches(made.recording);
  EXPECT_EQ(launches.captured(made.recording.work[0])->start, 130);
  EXPECT_EQ(launches.captured(made.recording.work[1])->start, 140);
  EXPECT_EQ(launches.captured(made.recording.work[2])->start, 160);
  EXPECT_EQ(launches.captured(made.recording.work[3])->start, 120);
}

TEST(Attribution, AProductInsideOfAConvolutionIsTheConvolutions) {
  // cuDNN's second call is made through cuBLASLt, which logs it, too.
  const auto made = Made()
                        .call("cudaLaunchKernel", 110, 1)
                        .call("cuLaunchKernelEx", 210, 2)
                        .call("cudaLaunchKernel", 220, 3)
                        .call("cuLaunchKernelEx", 310, 4)
                        .call("cudaLaunchKernel", 320, 5)
                        .call("cudaLaunchKernel", 330, 6)
                        .kernel("sm90_xmma_fprop", 1000, 1)
                        .kernel("nvjet_sm90_hsh_1", 1010, 2)
                        .kernel("void at::native::relu", 1020, 3)
                        .kernel("nvjet_sm90_hsh_2", 1030, 4)
                        .kernel("void cublasLt::splitKreduce_kernel<32>(int)", 1040, 5)
                        .kernel("my_kernel", 1050, 6);
  const auto attribution =
      made.attribution({product("cublaslt", "inside"), product("cublaslt", "own"),
                        attribution_convolution(100), attribution_convolution(200)});
  EXPECT_THAT(attribution.owners, ElementsAre(2, 3, none, 1, 1, none));
  EXPECT_THAT(attribution.made_by, ElementsAre(3, none, none, none));
  EXPECT_THAT(attribution.began, ElementsAre(210, 310, 100, 200));
}

TEST(Attribution, AttentionMakesNoProduct) {
  const auto made = Made()
                        .call("cuLaunchKernelEx", 110, 1)
                        .call("cuLaunchKernelEx", 120, 2)
                        .kernel("cudnn_generated_fort_native_sdpa_sm80_flash_fprop", 1000, 1)
                        .kernel("nvjet_sm90_hsh_1", 1010, 2);
  GpuCall attention = attribution_convolution(100);
  attention.text.problem = "attention/1x4x1x64_k4x9x64_s0.125";
  const auto attribution = made.attribution({attention, product("cublas", "own")});
  EXPECT_THAT(attribution.owners, ElementsAre(0, 1));
  EXPECT_THAT(attribution.made_by, ElementsAre(none, none));
}

TEST(Attribution, CallsOfTwoLibrariesHaveTheOrderOfTheirKernels) {
  const auto made =
      Made().kernel("nvjet_sm90_hsh_1", 1000, 1).kernel("ampere_sgemm_128x64_nn", 1010, 2);
  EXPECT_THAT(made.attribution({product("cublas", "a"), product("cublaslt", "b", "fp32")}).owners,
              ElementsAre(0, 1));
  EXPECT_THAT(made.attribution({product("cublaslt", "b", "fp32"), product("cublas", "a")}).owners,
              ElementsAre(1, 0));
  EXPECT_THAT(made.attribution({product("cublas", "a"), product("cublaslt", "b", "tf32")}).owners,
              ElementsAre(0, 1))
      << "TF32 is allowed, not used";
  EXPECT_THAT(made.attribution({product("cublaslt", "b"), product("cublas", "a")}).owners,
              ElementsAre(none, none));
}

TEST(Attribution, CallsOfTwoLibrariesBelongToTheirThreads) {
  const auto made = Made()
                        .call("cuLaunchKernelEx", 110, 1, 20)
                        .call("cuLaunchKernelEx", 120, 2, 10)
                        .kernel("nvjet_sm90_hsh_1", 1000, 1)
                        .kernel("nvjet_sm90_hsh_1", 1010, 2);
  GpuCall one = product("cublaslt", "b");
  for (const auto& [thread, owners] : {std::pair{20, std::pair{1, 0}}, {10, {0, 1}}}) {
    one.thread = thread;
    EXPECT_THAT(made.attribution({product("cublas", "a"), one}).owners,
                ElementsAre(owners.first, owners.second))
        << thread;
  }
}

TEST(Attribution, CodeThatIsLoadedKeepsAKernelWaiting) {
  constexpr std::int64_t millisecond = 1'000'000;
  const auto made = Made()
                        .call("cudaLaunchKernel", 110, 1)
                        .call("cuLibraryLoadData", 5 * millisecond, 2)
                        .call("cudaLaunchKernel", 6 * millisecond, 3)
                        .call("cudaLaunchKernel", 8 * millisecond, 4)
                        .kernel("nhwcAddPaddingKernel", 1000, 1)
                        .kernel("sm90_xmma_fprop", 1010, 3)
                        .kernel("my_kernel", 1030, 4);
  EXPECT_THAT(made.attribution({attribution_convolution(100)}).owners, ElementsAre(0, 0, none));
}

TEST(Attribution, AConvolutionMakesOneProductAlone) {
  const auto made = Made()
                        .call("cuLaunchKernelEx", 110, 1)
                        .call("cuLaunchKernelEx", 120, 2)
                        .call("cudaLaunchKernel", 130, 3)
                        .kernel("nvjet_sm90_hsh_1", 1000, 1)
                        .kernel("nvjet_sm90_hsh_2", 1010, 2)
                        .kernel("void cublasLt::splitKreduce_kernel<32>(int)", 1020, 3);
  const auto attribution = made.attribution(
      {attribution_convolution(100), product("cublaslt", "inside"), product("cublaslt", "own")});
  EXPECT_THAT(attribution.owners, ElementsAre(0, 2, 2));
  EXPECT_THAT(attribution.made_by, ElementsAre(none, 0, none));
}

}  // namespace
}  // namespace benanza
