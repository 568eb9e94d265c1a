#include "suites/nvidia/main/suite_main.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "suites/nvidia/device/management.h"

namespace benanza::nvidia {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

/// Lists an algorithm for relu without a GPU; all other operators need one.
class FakeBackend : public harness::Backend {
 public:
  explicit FakeBackend(LazyContext& device) : device_(device) {}

  std::string_view name() const override { return "x"; }
  std::vector<harness::BackendFlag> flags() const override { return cuda_flags(); }
  std::vector<std::string> devices() const override { return usable_devices(); }
  System system() override { return device_.get().system(); }
  std::vector<Layout> layouts(const Problem&) const override { return {Layout::plain}; }
  std::vector<harness::Way> ways(const harness::Variant& prototype,
                                 harness::AlgorithmSet) override {
    if (op(prototype.problem) != "relu") device_.get();
    return {{.name = "known"}};
  }
  harness::Way way(const harness::Variant&) override {
    ADD_FAILURE() << "measured without a GPU";
    return {};
  }
  harness::Allocator& allocator() override { return device_.get().allocator(); }
  harness::Stopwatch& stopwatch() override { return device_.get().stopwatch(); }

 private:
  LazyContext& device_;
};

struct Finished {
  int status;
  std::string out;
  std::string err;
};

constexpr const char* keys[] = {"relu/8", "tanh/8"};

Finished run_suite(std::vector<std::string> words) {
  // Hides all GPUs of the machine from here on.
  ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
  std::string program = "/some/where/bench_x";
  std::vector<char*> argv{program.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = suite_main(static_cast<int>(words.size()) + 1, argv.data(),
                                {.backend = make_backend<FakeBackend>, .products = nullptr},
                                {.problems = {keys}, .precisions = {Precision::fp32}}, nullptr);
  Finished finished{status, testing::internal::GetCapturedStdout(), {}};
  finished.err = testing::internal::GetCapturedStderr();
  return finished;
}

TEST(CudaSuite, WithoutGpuSaysSoInOneLineAndIsSkipped) {
  const Finished finished = run_suite({});
  EXPECT_EQ(finished.status, 77);
  EXPECT_THAT(finished.err, MatchesRegex("bench_x: no NVIDIA GPU: [^\n]+\n"));
}

TEST(CudaSuite, HelpNeedsNoGpu) {
  const Finished finished = run_suite({"--help"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, HasSubstr("--max-workspace=BYTES"));
  EXPECT_THAT(finished.out, HasSubstr("--list-devices"));
  EXPECT_THAT(finished.out, HasSubstr("--benchmark_filter"));
}

TEST(CudaSuite, ListsWhatIsKnownWithoutAGpu) {
  const Finished finished = run_suite({"--benchmark_list_tests=true"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.out, "relu/8/fp32/plain/x/known\n");
  EXPECT_THAT(finished.err, MatchesRegex("bench_x: no device here; [^\n]+\n"));
}

TEST(CudaSuite, ListsNoDevicesAndThatIsNoError) {
  const Finished finished = run_suite({"--list-devices"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.out, "");
}

TEST(CudaSuite, BadFlagIsAnErrorNotASkip) {
  for (const char* const flag : {"--device=first", "--frsh"}) {
    const Finished finished = run_suite({flag});
    EXPECT_EQ(finished.status, 1) << flag;
    EXPECT_THAT(finished.err, MatchesRegex("bench_x: [^\n]*--[^\n]+\n"));
  }
}

TEST(LibraryVersionText, CountsAsCudnnDoesSinceVersion9) {
  EXPECT_EQ(library_version_text(91400), "9.14.0");
  EXPECT_EQ(library_version_text(91002), "9.10.2");
  EXPECT_EQ(library_version_text(130100), "13.1.0");
}

}  // namespace
}  // namespace benanza::nvidia
