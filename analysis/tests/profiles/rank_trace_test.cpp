// Traces of several ranks, one file each or merged.

#include "analysis/profiles/kineto/rank_trace.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/tests/folder.h"
#include "analysis/tests/program.h"

namespace benanza::analysis::kineto {
namespace {

using nlohmann::json;
using test::Folder;
using testing::ElementsAre;
using testing::HasSubstr;

/// A trace, in microseconds.
struct Rank {
  json events = json::array();

  Rank& add(const std::string& category, const std::string& name, int process, double start,
            double duration, json args = json::object()) {
    events.push_back({{"ph", "X"},
                      {"cat", category},
                      {"name", name},
                      {"pid", process},
                      {"tid", 1},
                      {"ts", start},
                      {"dur", duration},
                      {"args", std::move(args)}});
    return *this;
  }
  std::string text(std::optional<int> rank = {}) const {
    json root{{"schemaVersion", 1}, {"traceEvents", events}};
    if (rank) root["distributedInfo"] = {{"rank", *rank}, {"world_size", 2}};
    return root.dump();
  }
};

const json all_reduce_args{{"In msg nelems", 1'000'000}, {"dtype", "Float"}, {"Group size", 2}};

/// Two steps of 1 ms, whose kernels run later than the step that launched them: computation of
/// `computing`, then an all-reduce of `reducing`, the last 100 us of which overlap a kernel.
Rank job(double computing, double reducing) {
  Rank rank;
  for (int step = 0; step < 2; ++step) {
    const double start = 1000.0 * (step + 1);
    const double on_gpu = start + 900;
    const int id = step * 10;
    rank.add("user_annotation", "ProfilerStep#" + std::to_string(step), 42, start, 1000)
        .add("cuda_runtime", "cudaLaunchKernel", 42, start + 10, 5, {{"correlation", id}})
        .add("cuda_runtime", "cudaLaunchKernel", 42, start + 20, 5, {{"correlation", id + 1}})
        .add("cuda_runtime", "cudaLaunchKernel", 42, start + 30, 5, {{"correlation", id + 2}})
        .add("kernel", "gemm", 0, on_gpu, computing, {{"correlation", id}});
    json args = all_reduce_args;
    args["correlation"] = id + 1;
    rank.add("kernel", "ncclDevKernel_AllReduce_Sum_f32", 0, on_gpu + computing, reducing, args)
        .add("kernel", "relu", 0, on_gpu + computing + reducing - 100, 100,
             {{"correlation", id + 2}});
  }
  return rank;
}

TEST(RankTraces, AKernelBelongsToTheStepThatLaunchedIt) {
  const Folder folder;
  const auto traces = read_rank_traces(folder.write("r.json", job(200, 300).text(3)));
  ASSERT_THAT(traces, testing::SizeIs(1));
  EXPECT_EQ(traces[0].name, "3");
  EXPECT_THAT(traces[0].step_names, ElementsAre("ProfilerStep#0", "ProfilerStep#1"));
  ASSERT_THAT(traces[0].steps[0].collectives, testing::SizeIs(1));
  EXPECT_THAT(traces[0].steps[0].computation, testing::SizeIs(2));
  EXPECT_EQ(traces[0].steps[0].collectives[0].bytes, 4e6);
  EXPECT_EQ(traces[0].steps[0].collectives[0].ranks, 2);
}

// PyTorch 2.11 marks only the kernels that the step launched itself, not those of backward's
// thread.
TEST(RankTraces, TheGpusMarksOfAStepMayBeTooShort) {
  const Folder folder;
  Rank rank = job(200, 300);
  for (int step = 0; step < 2; ++step) {
    rank.add("gpu_user_annotation", "ProfilerStep#" + std::to_string(step), 0,
             1000.0 * (step + 1) + 900, 50);
  }
  const auto traces = read_rank_traces(folder.write("r.json", rank.text(0)));
  for (const RankStep& step : traces[0].steps) {
    EXPECT_THAT(step.collectives, testing::SizeIs(1));
    EXPECT_THAT(step.computation, testing::SizeIs(2));
  }
  EXPECT_THAT(traces[0].remarks, testing::IsEmpty());
}

// A GPU that is behind its host still runs earlier steps when the recording begins.
TEST(RankTraces, KernelsFromBeforeTheRecordingAreOfNoStep) {
  const Folder folder;
  Rank rank = job(200, 300);
  rank.add("kernel", "gemm", 0, 1100, 700, {{"correlation", 77}});
  const auto traces = read_rank_traces(folder.write("r.json", rank.text(0)));
  EXPECT_THAT(traces[0].steps[0].computation, testing::SizeIs(2));
  EXPECT_THAT(traces[0].remarks, ElementsAre(HasSubstr("1 of 7 kernels are of no step")));
}

TEST(RankTraces, WithoutTheHostsMarksTheGpusTell) {
  const Folder folder;
  Rank rank;
  rank.add("gpu_user_annotation", "ProfilerStep#0", 0, 100, 50)
      .add("kernel", "gemm", 0, 100, 10)
      .add("kernel", "relu", 0, 140, 10)
      .add("kernel", "late", 0, 170, 10);
  const auto traces = read_rank_traces(folder.write("r.json", rank.text(0)));
  EXPECT_THAT(traces[0].steps.at(0).computation, testing::SizeIs(2));
  EXPECT_THAT(traces[0].remarks, ElementsAre(HasSubstr("1 of 3 kernels are of no step")));
}

TEST(RankTraces, ProcessesInOneFileAreRanks) {
  const Folder folder;
  Rank merged;
  merged.add("kernel", "gemm", 0, 100, 10).add("kernel", "gemm", 1, 100, 30);
  const auto traces = read_rank_traces(folder.write("m.json", merged.text()));
  ASSERT_THAT(traces, testing::SizeIs(2));
  EXPECT_EQ(traces[1].name, "m.json:1");
  EXPECT_NEAR(traces[1].steps[0].computation[0].end - traces[1].steps[0].computation[0].begin,
              30e-6, 1e-12);
}

// Rank 0 computes 200 us and reduces 500, rank 1 computes 400 and reduces 300: of 500 us, 100
// overlap; rank 0 waits 200 us; 4 MB in 300 us are 13.33 GB/s.
TEST(RankTraces, TheQuestionSaysWhoIsWaitedFor) {
  const Folder folder;
  const auto first = folder.write("0.json", job(200, 500).text(0));
  const auto second = folder.write("1.json", job(400, 300).text(1));
  const std::string text =
      test::run_program("ranks " + first.string() + " " + second.string(), folder).out;
  EXPECT_THAT(text, HasSubstr("rank 1 is waited for: rank 0 spends 0.200 ms of a step"));
  EXPECT_THAT(text, testing::ContainsRegex("0 +2 +0\\.700 +0\\.300 +0\\.500 +0\\.400 +0\\.200"));
  EXPECT_THAT(text, testing::ContainsRegex("1 +2 +0\\.700 +0\\.500 +0\\.300 +0\\.200 +0\\.000"));
  EXPECT_THAT(text, testing::ContainsRegex("4000000 +2 +2 +300\\.0 +13\\.33"));
}

std::string with_step(std::string text, int was, int is) {
  const std::string name = "ProfilerStep#";
  text.replace(text.find(name + std::to_string(was)), name.size() + 1, name + std::to_string(is));
  return text;
}

TEST(RankTraces, StepsOfOneNameAreCompared) {
  const Folder folder;
  std::vector<RankTrace> traces = read_rank_traces(folder.write("0.json", job(200, 500).text(0)));
  const std::string later = with_step(with_step(job(400, 300).text(1), 1, 2), 0, 1);
  traces.push_back(read_rank_traces(folder.write("1.json", later)).front());
  join_ranks(traces);
  for (const RankTrace& trace : traces) {
    EXPECT_THAT(trace.step_names, ElementsAre("ProfilerStep#1")) << trace.name;
    EXPECT_EQ(trace.steps.size(), 1U);
    EXPECT_THAT(trace.remarks, ElementsAre(HasSubstr("1 of its 2 steps are not in the other")));
  }
  // Of rank 0, the second step is left, of rank 1 the first.
  EXPECT_NEAR(traces[0].steps[0].computation.front().begin, 2900e-6, 1e-9);
  EXPECT_NEAR(traces[1].steps[0].computation.front().begin, 1900e-6, 1e-9);
}

TEST(RankTraces, OfOneRankAreRefusedAndMissingRanksAreTold) {
  const Folder folder;
  const auto read = [&](int rank) {
    return read_rank_traces(folder.write("t.json", job(200, 500).text(rank))).front();
  };
  std::vector<RankTrace> same{read(1), read(1)};
  EXPECT_THAT(test::error_of([&] { join_ranks(same); }),
              HasSubstr("two of the traces are of rank 1"));
  std::vector<RankTrace> one{read(1)};
  join_ranks(one);
  EXPECT_THAT(one[0].remarks, ElementsAre(HasSubstr("1 of the job's 2 ranks are here")));
}

TEST(RankTraces, ATraceWithoutKernelsIsRefused) {
  const Folder folder;
  Rank none;
  none.add("kernel", "gemm", 0, 100, 0).add("cpu_op", "aten::mm", 42, 90, 5);
  EXPECT_THAT(test::error_of([&] { read_rank_traces(folder.write("n.json", none.text())); }),
              HasSubstr("no kernel with a time"));
}

}  // namespace
}  // namespace benanza::analysis::kineto
