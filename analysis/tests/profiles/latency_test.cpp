// The latency of several processes.
#include "analysis/profiles/latency.h"

#include <gmock/gmock.h>

#include "analysis/tests/build.h"
#include "analysis/tests/folder.h"

namespace benanza::analysis {
namespace {

using test::contents;
using test::error_of;
using test::Folder;
using test::ms;
using testing::AllOf;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A profile of processes whose three runs have these medians, in ms.
Profile of_processes(const std::vector<double>& medians) {
  Profile profile{.framework = "abacus", .threads = 2};
  for (const double median : medians) {
    profile.processes.push_back(
        {.latency_seconds = {median * ms, (median - 0.01) * ms, (median + 0.5) * ms}});
    const auto& runs = profile.processes.back().latency_seconds;
    profile.latency_seconds.insert(profile.latency_seconds.end(), runs.begin(), runs.end());
  }
  return profile;
}

FewerThreads one_thread(const std::vector<double>& medians) {
  return {.threads = 1, .instead_of = 2, .processes = of_processes(medians).processes};
}

TEST(ModelLatency, IsTheMedianOfTheProcesses) {
  const auto latency = model_latency(of_processes({1.05, 1.02, 1.10, 1.03, 1.04})).value();
  EXPECT_DOUBLE_EQ(latency.seconds, 1.04 * ms);
  EXPECT_DOUBLE_EQ(latency.spread->low, 1.02 * ms);
  EXPECT_DOUBLE_EQ(latency.spread->high, 1.10 * ms);
  EXPECT_EQ(latency.runs, 15);
  EXPECT_FALSE(latency.groups);
  EXPECT_THAT(process_sentences(latency),
              ElementsAre("5 processes: 1.050, 1.020, 1.100, 1.030, 1.040 ms"));
}

TEST(ModelLatency, HasTwoModes) {
  const auto latency = model_latency(of_processes({1.103, 1.931, 1.111, 1.072, 1.898, 1.859}));
  EXPECT_DOUBLE_EQ(latency->seconds, 1.103 * ms);
  EXPECT_DOUBLE_EQ(latency->spread->low, 1.072 * ms);
  EXPECT_DOUBLE_EQ(latency->spread->high, 1.111 * ms);
  EXPECT_THAT(process_sentences(*latency),
              ElementsAre(HasSubstr("6 processes: 1.103, 1.931, 1.111, 1.072, 1.898, 1.859 ms"),
                          "two modes: 1.103 (3 processes) and 1.898 (3); the latency is the "
                          "faster's"));
}

TEST(ModelLatency, OneProcessApartIsNoMode) {
  const auto slow = model_latency(of_processes({1.0, 1.01, 1.02, 1.9, 1.03})).value();
  EXPECT_DOUBLE_EQ(slow.seconds, 1.02 * ms);
  EXPECT_DOUBLE_EQ(slow.spread->high, 1.9 * ms);
  EXPECT_THAT(process_sentences(slow).back(),
              HasSubstr("one process apart: 1.900 (slower than the other 4)"));
  const auto fast = model_latency(of_processes({1.9, 1.91, 1.0, 1.92, 1.93})).value();
  EXPECT_DOUBLE_EQ(fast.seconds, 1.91 * ms);
  EXPECT_THAT(process_sentences(fast).back(), HasSubstr("1.000 (faster than the other 4)"));
}

// From six processes on, the interval is of order statistics: of nine, the second and the eighth.
TEST(ModelLatency, OfManyProcessesHasAnInterval) {
  const auto latency =
      model_latency(of_processes({1.09, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08})).value();
  EXPECT_DOUBLE_EQ(latency.spread->low, 1.02 * ms);
  EXPECT_DOUBLE_EQ(latency.spread->high, 1.08 * ms);
}

TEST(ModelLatency, OfAnOlderProfileIsWithinOneProcess) {
  Profile profile{.latency_seconds = {2 * ms, 1 * ms, 3 * ms}};
  const auto few = model_latency(profile).value();
  EXPECT_DOUBLE_EQ(few.seconds, 2 * ms);
  EXPECT_FALSE(few.spread);
  EXPECT_TRUE(few.is_within_one_process());
  EXPECT_THAT(process_sentences(few), ElementsAre(HasSubstr("within one process")));
  profile.latency_seconds = {6 * ms, 2 * ms, 1 * ms, 3 * ms, 4 * ms, 5 * ms};
  EXPECT_DOUBLE_EQ(model_latency(profile)->spread->low, 1 * ms);
  // A new one of a single process says the same.
  EXPECT_TRUE(model_latency(of_processes({1.0}))->is_within_one_process());
  EXPECT_FALSE(model_latency(Profile{}));
  EXPECT_FALSE(graph_latency(of_processes({1.0, 1.0})));
}

TEST(ModelLatency, AsACudaGraphHasItsOwnProcesses) {
  Profile profile = of_processes({2.0, 2.1});
  profile.processes[0].graph_latency_seconds = {1 * ms};
  profile.processes[1].graph_latency_seconds = {1.2 * ms};
  profile.graph_latency_seconds = {1 * ms, 1.2 * ms};
  EXPECT_THAT(graph_latency(profile)->process_seconds,
              ElementsAre(DoubleEq(1 * ms), DoubleEq(1.2 * ms)));
}

TEST(Threads, ThatDoNotHelpAreNamed) {
  Profile profile = of_processes({1.90, 1.93, 1.86, 1.91, 1.92});
  profile.fewer_threads = {one_thread({1.88, 1.89, 1.95})};
  EXPECT_THAT(thread_sentences(profile),
              ElementsAre("2 threads do not help: 1.910 ms, with one 1.890 ms"));
  // Faster than each process with one.
  profile.fewer_threads = {one_thread({2.50, 2.52, 2.60})};
  EXPECT_THAT(thread_sentences(profile), IsEmpty());
  EXPECT_TRUE(thread_comparisons(profile).at(0).helps_slower);
}

TEST(Threads, MayHelpInTheFasterModeOnly) {
  Profile profile = of_processes({1.103, 1.931, 1.111, 1.072, 1.898, 1.859});
  profile.fewer_threads = {one_thread({1.88, 1.87, 1.89})};
  EXPECT_THAT(thread_sentences(profile),
              ElementsAre("2 threads do not help in the slower mode: 1.898 ms, with one 1.880 ms"));
}

/// small.onnxruntime.json with more members.
std::string with(const std::string& members) {
  std::string text = contents(test::data("small.onnxruntime.json"));
  return text.replace(text.find('{'), 1, '{' + members + ',');
}

TEST(ReadProfile, HasProcesses) {
  const Folder folder;
  std::string text = with(
      R"("processes": [{"latency_seconds": [0.25, 0.5]}, {"latency_seconds": [0.75]}],
         "fewer_threads": [{"threads": 1, "instead_of": 2,
                            "processes": [{"latency_seconds": [2.5]}]}])");
  const auto at = text.find("\"latency_seconds\":", text.find("\"framework\""));
  const auto end = text.find(']', at);
  text.replace(at, end - at, "\"latency_seconds\": [0.25, 0.5, 0.75");
  const Profile profile = read_profile(folder.write("p.json", text));
  ASSERT_EQ(profile.processes.size(), 2);
  EXPECT_THAT(profile.processes[0].latency_seconds, ElementsAre(0.25, 0.5));
  ASSERT_EQ(profile.fewer_threads.size(), 1);
  EXPECT_EQ(profile.fewer_threads[0].threads, 1);
  EXPECT_EQ(profile.fewer_threads[0].instead_of, 2);
  EXPECT_THAT(profile.fewer_threads[0].processes.at(0).latency_seconds, ElementsAre(2.5));
}

TEST(ReadProfile, BadProcessesAreOneLine) {
  const Folder folder;
  const std::pair<const char*, const char*> cases[] = {
      {R"("processes": [{"latency_seconds": []}])", "a process without a latency"},
      {R"("processes": [{"latency_seconds": [-1]}])", "a process without a latency"},
      {R"("processes": [{"latency_seconds": [1]}])", "other latencies than its processes"},
      {R"("processes": [{}])", "latency_seconds"},
      {R"("fewer_threads": [{"threads": 2, "instead_of": 2,
          "processes": [{"latency_seconds": [1]}]}])",
       "fewer_threads"},
      {R"("fewer_threads": [{"threads": 1, "instead_of": 2, "processes": []}])", "fewer_threads"}};
  for (const auto& [members, says] : cases) {
    const auto file = folder.write("bad.json", with(members));
    EXPECT_THAT(error_of([&] { read_profile(file); }),
                AllOf(HasSubstr(file.string() + ": "), HasSubstr(says), Not(HasSubstr("\n"))));
  }
}

}  // namespace
}  // namespace benanza::analysis
