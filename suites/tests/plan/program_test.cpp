// bench_plan as a program.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/plan_file/plan.h"
#include "core/problem/problem.h"
#include "core/tests/folder.h"
#include "suites/plan/backends.h"

namespace benanza::plan {
namespace {

using benanza::test::Folder;
using testing::HasSubstr;

/// y = relu(x).
Plan small_plan() {
  const std::string problem = "relu/1x16x8x8";
  int no_flags = 0;
  const Backends backends(no_flags, nullptr);
  const harness::Variant any{parse(problem), Precision::fp32, Layout::nchw, ""};
  const std::string way =
      backends.all().front()->ways(any, harness::AlgorithmSet::best).front().name;
  constexpr std::int64_t elements = 16 * 8 * 8;
  constexpr std::int64_t bytes = elements * 4;
  const auto tensor = [](const char* name, std::size_t buffer) {
    return PlanTensor{.name = name, .type = "float", .shape = Dims{1, 16, 8, 8}, .buffer = buffer};
  };
  return {.model = "small",
          .precision = "fp32",
          .metadata = {{"past", "64"}},
          .arena_bytes = 2 * bytes,
          .seconds = 1e-6,
          .tensors = {tensor("x", 0), tensor("y", 1)},
          .buffers = {{.elements = elements, .bytes = bytes},
                      {.elements = elements, .bytes = bytes, .offset = bytes}},
          .steps = {{.call = problem + "/fp32/nchw/onednn/" + way,
                     .seconds = 1e-6,
                     .work = {.problem = problem, .operands = {{.index = 0}}},
                     .results = {1}}},
          .inputs = {0},
          .results = {1}};
}

struct BenchPlan : testing::Test {
  Folder folder;
  std::filesystem::path plan = folder.write("small.json", plan_json(small_plan()));

  /// The exit status. Writes what it says to "said".
  int run(const std::string& flags) const {
    const std::string command = std::string(BENANZA_BENCH_PLAN) + ' ' + plan.string() +
                                " --benchmark_min_time=0.001 " + flags + " >" +
                                (folder.path() / "said").string() + " 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string said() const { return read_file(folder.path() / "said"); }
};

TEST_F(BenchPlan, WritesWhatItMeasured) {
  const std::filesystem::path out = folder.path() / "run.json";
  ASSERT_EQ(run("--benchmark_out_format=json --benchmark_out=" + out.string()), 0) << said();
  const nlohmann::json written = nlohmann::json::parse(read_file(out));
  EXPECT_EQ(written.at("context").at("plan_model"), "small");
  EXPECT_EQ(written.at("context").at("plan_metadata.past"), "64");
  const nlohmann::json& row = written.at("benchmarks").at(0);
  EXPECT_EQ(row.at("name"), "plan/small/fp32/manual_time");
  EXPECT_EQ(row.at("predicted_seconds"), 1e-6);
  EXPECT_EQ(row.at("arena_bytes"), 2 * 16 * 8 * 8 * 4);
  EXPECT_GE(row.at("memory_bytes"), row.at("arena_bytes"));
  EXPECT_GT(row.at("first_run_seconds"), 0);
  const double step_setup = written.at("steps").at(0).at("setup_seconds");
  EXPECT_GT(step_setup, 0);
  EXPECT_GE(row.at("setup_seconds"), step_setup) << "of all steps";
  EXPECT_THAT(said(), HasSubstr("first inference after "));
  EXPECT_THAT(said(), HasSubstr("plan/small/fp32/manual_time"));
}

TEST_F(BenchPlan, FailsIfItCannotWriteWhatItMeasured) {
  EXPECT_EQ(run("--benchmark_out=/dev/full"), 1);
  EXPECT_THAT(said(), HasSubstr("bench_plan: /dev/full"));
  EXPECT_EQ(run("--benchmark_out=" + (folder.path() / "none" / "run.json").string()), 1);
  EXPECT_THAT(said(), HasSubstr("none/run.json"));
  EXPECT_EQ(run("--benchmark_out_format=csv --benchmark_out=run"), 1);
  EXPECT_THAT(said(), HasSubstr("--benchmark_out_format=csv: results are written as json"));
}

TEST_F(BenchPlan, ChecksThatTheLibraryHasEveryCall) {
  EXPECT_EQ(run("--check"), 0);
  EXPECT_EQ(said(), "all 1 steps have the calls of the plan\n");
  Plan other = small_plan();
  other.steps.front().call = "relu/1x16x8x8/fp32/nchw/onednn/abacus";
  other.steps.front().layers = {"act"};
  other.systems = {{"onednn", {{"onednn_version", "0.1"}}}, {"cudnn", {{"cudnn", "1"}}}};
  plan = folder.write("other.json", plan_json(other));
  EXPECT_EQ(run("--check"), 1);
  EXPECT_THAT(said(), testing::AllOf(HasSubstr("planned with onednn_version 0.1, here "),
                                     HasSubstr("step 1 of 1 (act): relu/1x16x8x8/fp32/nchw/onednn/"
                                               "abacus: "),
                                     HasSubstr("1 of 1 steps changed. "),
                                     HasSubstr("  bench_onednn --precision=fp32 "
                                               "--problem=relu/1x16x8x8 --benchmark_out=")));
  EXPECT_THAT(said(), testing::Not(HasSubstr("cudnn 1")));
  EXPECT_EQ(run(""), 1);
  EXPECT_THAT(said(), HasSubstr("note: planned with onednn_version 0.1, here "));
}

}  // namespace
}  // namespace benanza::plan
