#include "suites/nvidia/main/suite_main.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace benanza::nvidia {
namespace {

int run_suite(std::vector<std::string> words) {
  // No GPU is visible from here on, whatever the machine has.
  ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
  words.insert(words.begin(), "/some/where/bench_x");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return cuda_suite_main(
      static_cast<int>(words.size()), argv.data(),
      [](CudaContext&) -> std::unique_ptr<harness::Backend> {
        ADD_FAILURE() << "a backend was made without a GPU";
        return nullptr;
      },
      [](int, char**, harness::Backend&) { return 0; });
}

TEST(CudaSuite, WithoutGpuSaysSoInOneLineAndIsSkipped) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_suite({}), 77);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex("bench_x: no NVIDIA GPU: [^\n]+\n"));
}

TEST(CudaSuite, BadFlagIsAnErrorNotASkip) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_suite({"--device=first"}), 1);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex("bench_x: --device=first: [^\n]+\n"));
}

}  // namespace
}  // namespace benanza::nvidia
