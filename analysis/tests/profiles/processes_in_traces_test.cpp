#include <gmock/gmock.h>

#include "analysis/profiles/kineto/runs.h"
#include "analysis/profiles/kineto/trace.h"
#include "analysis/tests/build.h"
#include "analysis/tests/trace.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::Folder;
using test::TraceWriter;
using test::us;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// The events of `traces` in one file, as the tools that join traces of several ranks write them:
/// every rank has a process of its own, all number their launches alike.
json joined(const std::vector<TraceWriter>& traces, bool kernels_have_process) {
  json all = traces.front().json();
  all["traceEvents"] = json::array();
  int rank = 0;
  for (const TraceWriter& trace : traces) {
    const json own = trace.json();
    for (json event : own["traceEvents"]) {
      const bool is_kernel = event["cat"] == "kernel";
      if (!is_kernel || kernels_have_process) event["pid"] = 100 + rank;
      if (is_kernel) event["args"]["device"] = rank;
      event["ts"] = event["ts"].get<double>() + 2 * rank;
      all["traceEvents"].push_back(event);
    }
    ++rank;
  }
  return all;
}

Profile read(const json& trace) {
  const Folder folder;
  return read_profile(folder.write("t.json", trace.dump()));
}

TEST(ProcessesInATrace, WithTheSameOperatorsAreRunsOfOneModel) {
  for (const bool kernels_have_process : {true, false}) {
    const Profile profile = read(joined(
        {TraceWriter().relu({8, 8}, 10), TraceWriter().relu({8, 8}, 14)}, kernels_have_process));
    ASSERT_EQ(profile.nodes.size(), 1);
    EXPECT_EQ(profile.steps, 2);
    EXPECT_DOUBLE_EQ(profile.nodes[0].seconds, 12 * us);
    EXPECT_EQ(profile.nodes[0].kernels.size(), 1);
    EXPECT_THAT(profile.remarks, Contains(HasSubstr("2 processes")));
  }
}

TEST(ProcessesInATrace, WithOtherOperatorsFollowOneAnother) {
  const Profile profile =
      read(joined({TraceWriter().step(500).relu({8, 8}, 10),
                   TraceWriter().step(500).op("aten::mm", {{4, 8}, {8, 2}}, {}, {{"gemm", 20}})},
                  true));
  ASSERT_EQ(profile.nodes.size(), 2);
  EXPECT_EQ(profile.nodes[0].name, "aten::relu");
  EXPECT_DOUBLE_EQ(profile.nodes[0].seconds, 10 * us);
  EXPECT_EQ(profile.nodes[1].name, "aten::mm");
  EXPECT_DOUBLE_EQ(profile.nodes[1].seconds, 20 * us);
  EXPECT_THAT(profile.remarks, Contains(HasSubstr("one process after the other")));
}

TEST(GraphsInATrace, AreNotTheWorkOfTheOperatorAround) {
  json trace = TraceWriter().relu({8, 8}, 10).op("aten::add", {{8, 8}, {8, 8}}, {}, {}).json();
  const double launch = 1000 + 100 + 10;
  trace["traceEvents"].push_back({{"ph", "X"},
                                  {"cat", "cuda_runtime"},
                                  {"name", "cudaGraphLaunch"},
                                  {"pid", 42},
                                  {"tid", 1},
                                  {"ts", launch},
                                  {"dur", 5},
                                  {"args", {{"correlation", 900}, {"External id", 2}}}});
  for (const int at : {20, 30, 40}) {
    trace["traceEvents"].push_back({{"ph", "X"},
                                    {"cat", "kernel"},
                                    {"name", "gemm"},
                                    {"pid", 0},
                                    {"tid", 7},
                                    {"ts", launch + at},
                                    {"dur", 8},
                                    {"args", {{"correlation", 900}, {"External id", 2}}}});
  }
  const Profile profile = read(trace);
  ASSERT_EQ(profile.nodes.size(), 2);
  EXPECT_EQ(profile.nodes[1].name, "cudaGraphLaunch");
  EXPECT_EQ(profile.nodes[1].kernels.size(), 3);
  EXPECT_DOUBLE_EQ(profile.nodes[1].seconds, 24 * us);
  EXPECT_THAT(profile.remarks, Contains(HasSubstr("3 of 4 kernels and copies")));
  EXPECT_THAT(profile.remarks, Contains(HasSubstr("CUDA graphs")));
}

/// Pairs of kernels of 1 and 2 us, without operators and steps.
kineto::Trace pairs_of_kernels(int pairs) {
  kineto::Trace trace;
  trace.names = {"one", "two"};
  for (int at = 0; at < 2 * pairs; ++at) {
    const double start = 10.0 * at;
    trace.work.push_back(
        {.start = start, .end = start + 1 + at % 2, .name = static_cast<kineto::Index>(at % 2)});
  }
  return trace;
}

// Six pairs as three times two: at most five nodes.
TEST(StepsInATrace, AreFoldedWhereTheyAreTooManyToTell) {
  const kineto::ModelRun whole = kineto::model_run(pairs_of_kernels(6));
  EXPECT_EQ(whole.nodes.size(), 12U);
  EXPECT_TRUE(whole.is_undivided);
  const kineto::ModelRun few = kineto::model_run(pairs_of_kernels(6), 5);
  ASSERT_EQ(few.nodes.size(), 4U);
  EXPECT_DOUBLE_EQ(few.nodes[3].seconds, 2 * us);
  EXPECT_EQ(few.used, 3U);
  EXPECT_TRUE(few.is_undivided);
  kineto::Trace other = pairs_of_kernels(6);
  other.work.back().name = 0;
  EXPECT_EQ(kineto::model_run(other, 5).nodes.size(), 12U);
}

TEST(StepsInATrace, WhatRanOutsideIsTold) {
  const Folder folder;
  TraceWriter trace;
  for (int step = 0; step < 2; ++step) trace.step(90).relu({4, 8}).relu({4, 9}).pause(50);
  const Profile profile = read_profile(folder.write("t.json", trace.text()));
  ASSERT_EQ(profile.nodes.size(), 1U);
  EXPECT_THAT(profile.remarks,
              Contains(HasSubstr("2 of its 4 operators ran outside of the profiler's steps")));
}

// The profiler's marks may overlap by what marking takes.
TEST(StepsInATrace, EndWhereTheNextBegins) {
  const Folder folder;
  TraceWriter trace;
  for (int step = 0; step < 4; ++step) trace.step(130).relu({4, 8}, 10 + step);
  const Profile profile = read_profile(folder.write("t.json", trace.text()));
  EXPECT_EQ(profile.steps, 4U);
  ASSERT_EQ(profile.nodes.size(), 1U);
  EXPECT_NEAR(profile.nodes[0].seconds, 11.5e-6, 1e-12);
}

TEST(StepsInATrace, OfManyOperatorsTakeTimeInProportion) {
  TraceWriter trace;
  for (int step = 0; step < 2000; ++step) {
    trace.step(200).relu({8, 8}, 10).relu({8, 4}, 20);
  }
  const Profile profile = read(trace.json());
  EXPECT_EQ(profile.steps, 2000);
  ASSERT_EQ(profile.nodes.size(), 2);
  EXPECT_DOUBLE_EQ(profile.nodes[1].seconds, 20 * us);
  EXPECT_THAT(profile.remarks, IsEmpty());
}

}  // namespace
}  // namespace benanza::analysis
