#include "suites/nvidia/device/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace benanza::nvidia {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Taken {
  CudaOptions options;
  std::vector<std::string> rest;
};

Taken take(std::vector<std::string> words, const std::map<std::string, std::string>& environment) {
  words.insert(words.begin(), "bench_x");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  Taken taken;
  taken.options = take_cuda_options(argc, argv.data(), [&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
  taken.rest.assign(argv.begin(), argv.begin() + argc);
  return taken;
}

std::string refusal(const std::string& flag, const std::string& allocation = {}) {
  std::map<std::string, std::string> environment;
  if (!allocation.empty()) environment["CTEST_RESOURCE_GROUP_0_GPUS"] = allocation;
  try {
    take({flag}, environment);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(CudaOptions, TakesItsOwnFlagsAndLeavesTheRestInOrder) {
  const Taken taken = take({"--benchmark_filter=conv", "--device=3", "--kernels", "--cold",
                            "--max-workspace=2G", "--counters", "--fresh"},
                           {});
  EXPECT_EQ(taken.options, (CudaOptions{.device = 3,
                                        .max_workspace_bytes = std::int64_t{2147483648},
                                        .kernels = true,
                                        .counters = true}));
  EXPECT_THAT(taken.rest, ElementsAre("bench_x", "--benchmark_filter=conv", "--cold", "--fresh"));
}

TEST(CudaOptions, CountersAndMetricsByName) {
  const Taken taken = take({"--counters=a.sum,b.sum", "--metric=ratio = a.sum / b.sum",
                            "--metrics=memory", "--benchmark_filter=x"},
                           {});
  EXPECT_TRUE(taken.options.counters);
  EXPECT_THAT(taken.options.counter_names, ElementsAre("a.sum", "b.sum"));
  ASSERT_EQ(taken.options.metrics.size(), 4U);
  EXPECT_EQ(taken.options.metrics[0], "ratio = a.sum / b.sum");
  EXPECT_THAT(taken.rest, ElementsAre("bench_x", "--benchmark_filter=x"));
  EXPECT_THROW(take({"--counters=a,,b"}, {}), Error);
  EXPECT_THROW(take({"--counters="}, {}), Error);
  EXPECT_THROW(take({"--metric=a / b"}, {}), Error);
  EXPECT_THROW(take({"--metrics=colour"}, {}), Error);
}

TEST(CudaOptions, PeaksByFlagOrEnvironment) {
  EXPECT_EQ(take({}, {}).options.peaks, "measure");
  EXPECT_EQ(take({"--peaks=none"}, {}).options.peaks, "none");
  EXPECT_EQ(take({}, {{"BENANZA_PEAKS", "r.json"}}).options.peaks, "r.json");
  EXPECT_EQ(take({"--peaks=measure"}, {{"BENANZA_PEAKS", "none"}}).options.peaks, "measure");
  EXPECT_THAT(refusal("--peaks="), HasSubstr("--peaks"));
}

TEST(CudaOptions, LocksTheGpuUnlessAnotherProcessHas) {
  EXPECT_TRUE(take({}, {}).options.lock);
  EXPECT_FALSE(take({}, {{"BENANZA_GPU_LOCK", "none"}}).options.lock);
}

TEST(CudaOptions, DefaultsToTheFirstDevice) {
  const Taken taken = take({"--kernels_more=1", "--devices"}, {});
  EXPECT_EQ(taken.options, CudaOptions{});
  EXPECT_THAT(taken.rest, ElementsAre("bench_x", "--kernels_more=1", "--devices"));
}

TEST(CudaOptions, SizesInBytesAndBinaryUnits) {
  const auto bytes = [](const std::string& text) {
    return *take({"--max-workspace=" + text}, {}).options.max_workspace_bytes;
  };
  EXPECT_EQ(bytes("0"), 0);
  EXPECT_EQ(bytes("12345678901"), std::int64_t{12345678901});
  EXPECT_EQ(bytes("3K"), 3072);
  EXPECT_EQ(bytes("256M"), 268435456);
}

TEST(CudaOptions, DeviceAllocatedByCTest) {
  const std::map<std::string, std::string> environment{
      {"CTEST_RESOURCE_GROUP_0_GPUS", "id:2,slots:1"}};
  EXPECT_EQ(take({}, environment).options.device, 2);
  EXPECT_EQ(take({"--device=1"}, environment).options.device, 1);
}

TEST(CudaOptions, DeviceAllocatedByItsUuidIsTheOnlyOneVisible) {
  const auto allocated = [](const std::string& id) {
    return take({}, {{"CTEST_RESOURCE_GROUP_0_GPUS", "id:" + id + ",slots:1"}}).options;
  };
  EXPECT_EQ(allocated("gpu_5b3c0a1d_77aa_1b2c_9d8e_0123456789ab").visible,
            "GPU-5b3c0a1d-77aa-1b2c-9d8e-0123456789ab");
  EXPECT_EQ(allocated("gpu_5b3c0a1d_77aa_1b2c_9d8e_0123456789ab").device, 0);
  EXPECT_EQ(allocated("mig_0a1d_77aa").visible, "MIG-0a1d-77aa");
  EXPECT_EQ(allocated("3").visible, std::nullopt);
  const CudaOptions flag =
      take({"--device=1"}, {{"CTEST_RESOURCE_GROUP_0_GPUS", "id:gpu_5b3c,slots:1"}}).options;
  EXPECT_EQ(flag.visible, std::nullopt);
  EXPECT_THAT(refusal("--cold", "id:gpu_,slots:1"), HasSubstr("expected the number of a GPU"));
}

TEST(CudaOptions, DeviceOfTheEnvironmentComesLast) {
  EXPECT_EQ(take({}, {{"BENANZA_DEVICE", "3"}}).options.device, 3);
  EXPECT_EQ(take({"--device=1"}, {{"BENANZA_DEVICE", "3"}}).options.device, 1);
  const CudaOptions allocated =
      take({}, {{"BENANZA_DEVICE", "3"}, {"CTEST_RESOURCE_GROUP_0_GPUS", "id:gpu_5b3c,slots:1"}})
          .options;
  EXPECT_EQ(allocated.visible, "GPU-5b3c");
  EXPECT_EQ(allocated.device, 0);
}

TEST(CudaOptions, RefusesWithTheFlagAndItsValue) {
  EXPECT_THAT(refusal("--device=x"), HasSubstr("--device=x: expected"));
  EXPECT_THAT(refusal("--device=-1"), HasSubstr("--device=-1: expected"));
  EXPECT_THAT(refusal("--device="), HasSubstr("--device=: expected"));
  EXPECT_THAT(refusal("--max-workspace=2T"), HasSubstr("--max-workspace=2T: expected"));
  EXPECT_THAT(refusal("--max-workspace=G"), HasSubstr("--max-workspace=G: expected"));
  EXPECT_THAT(refusal("--max-workspace=99999999999G"), HasSubstr("expected"));
  EXPECT_THAT(refusal("--cold", "gpu2"), HasSubstr("CTEST_RESOURCE_GROUP_0_GPUS=gpu2: expected"));
}

}  // namespace
}  // namespace benanza::nvidia
