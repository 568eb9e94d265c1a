// The injected library with a fake CUPTI: from a program to its recording.
#include <cupti.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "record/store/recording.h"

namespace benanza::record {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Injection : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::temp_directory_path() /
             (std::string("benanza_injection_") + test->name() + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  int shell(const std::string& line) {
    const int status = std::system(("cd " + folder.string() + " && " + line).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  /// Records a fake program that does `what`, and returns the exit status.
  int record(const std::string& what, const std::string& options = "",
             const std::string& cupti = "") {
    return shell("LD_LIBRARY_PATH=" FAKE_CUPTI_FOLDER " FAKE_CUPTI=" + cupti +
                 " " BENANZA_RECORD " --gpu on --out run.db " + options + " -- " + program() + ' ' +
                 what + " 2>err");
  }
  static std::string program() { return FAKE_GPU_PROGRAM; }
  DeviceRecording devices() const { return RecordingReader(folder / "run.db").devices(); }
  std::string errors() const {
    std::ostringstream text;
    text << std::ifstream(folder / "err").rdbuf();
    return text.str();
  }
  std::vector<std::string> kernels() const {
    const DeviceRecording read = devices();
    std::vector<std::string> names;
    for (const auto& work : read.work) names.push_back(read.names[work.name]);
    return names;
  }

  std::filesystem::path folder;
};

TEST_F(Injection, RecordsWhatCuptiTells) {
  ASSERT_EQ(record("push step launch one pop launch two"), 0) << errors();
  EXPECT_THAT(errors(), IsEmpty());
  const DeviceRecording read = devices();
  EXPECT_THAT(kernels(), ElementsAre("one", "two"));
  ASSERT_THAT(read.work, SizeIs(2));
  EXPECT_EQ(read.work[0].nanoseconds(), 1000);
  // The fake CUPTI's clock is 25 years behind, but times are relative to the run's start.
  EXPECT_GT(read.work[0].start, 0);
  EXPECT_LT(read.work[0].start, 60'000'000'000);
  EXPECT_EQ(read.work[1].start - read.work[0].start, 2001);
  ASSERT_THAT(read.api, SizeIs(2));
  EXPECT_EQ(read.api[0].correlation, read.work[0].correlation);
  EXPECT_EQ(read.api[0].thread, read.processes.at(0));
  ASSERT_THAT(read.ranges, SizeIs(1));
  EXPECT_EQ(read.names[read.ranges[0].name], "step");
  ASSERT_TRUE(read.ranges[0].end);
  ASSERT_THAT(read.devices, SizeIs(1));
  EXPECT_EQ(read.devices[0].name, "Fake GPU");
  EXPECT_FALSE(std::filesystem::exists(folder / "run.db.parts"));
}

TEST_F(Injection, CallsThatOnlyAskAreNotRecorded) {
  ASSERT_EQ(record("launch one launch two"), 0) << errors();
  const DeviceRecording read = devices();
  ASSERT_THAT(read.api, SizeIs(2));
  for (const auto& call : read.api) EXPECT_EQ(read.names[call.name], "cudaLaunchKernel");
}

TEST_F(Injection, WaitsAreCalls) {
  ASSERT_EQ(record("launch one wait launch two"), 0) << errors();
  const DeviceRecording read = devices();
  ASSERT_THAT(read.api, SizeIs(3));
  EXPECT_EQ(read.names[read.api[1].name], "cudaDeviceSynchronize");
  EXPECT_EQ(read.api[1].end - read.api[1].start, 1500);
}

TEST_F(Injection, NoKindOfRecordsThatSlowsAProgramDown) {
  const auto number = [](CUpti_ActivityKind kind) { return " kind " + std::to_string(kind); };
  EXPECT_EQ(record("launch one" + number(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) +
                   number(CUPTI_ACTIVITY_KIND_RUNTIME) + number(CUPTI_ACTIVITY_KIND_DRIVER)),
            0);
  // Verifies that this check can fail.
  EXPECT_EQ(record("launch one" + number(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "--force"), 6);
}

TEST_F(Injection, MemoryIsRecordedOutsideOfTheRange) {
  ASSERT_EQ(record("allocate 1 push step launch a pop allocate 2 free 1", "--range step --memory"),
            0)
      << errors();
  EXPECT_THAT(kernels(), ElementsAre("a"));
  const DeviceRecording read = devices();
  ASSERT_THAT(read.memory, SizeIs(3));
  EXPECT_EQ(read.names[read.memory[0].kind], "device");
  EXPECT_EQ(read.memory[0].bytes, 4096);
  EXPECT_EQ(read.memory[1].address, 2);
  EXPECT_FALSE(read.memory[1].is_freed);
  EXPECT_EQ(read.memory[2].address, 1);
  EXPECT_TRUE(read.memory[2].is_freed);
}

TEST_F(Injection, MemoryIsRecordedOnlyOnRequest) {
  ASSERT_EQ(record("launch a allocate 1"), 0) << errors();
  EXPECT_THAT(devices().memory, IsEmpty());
}

TEST_F(Injection, CountersOfEveryKernelInsteadOfTimes) {
  ASSERT_EQ(record("launch one launch three launch one",
                   "--counters fake__threads.sum "
                   "--metric 'ratio = fake__letters.sum / gpu__time_duration.sum'"),
            0)
      << errors();
  EXPECT_THAT(errors(), IsEmpty());
  const DeviceRecording read = devices();
  EXPECT_THAT(read.work, IsEmpty());
  ASSERT_THAT(read.kernel_counters, SizeIs(9));
  std::map<std::string, double> third;
  for (const auto& one : read.kernel_counters) {
    if (one.launch != 2) continue;
    EXPECT_EQ(read.names[one.kernel], "three");
    third[read.names[one.counter]] = one.value;
  }
  EXPECT_THAT(third, ElementsAre(testing::Pair("fake__letters.sum", 5),
                                 testing::Pair("fake__threads.sum", 64),
                                 testing::Pair("gpu__time_duration.sum", 500)));
  ASSERT_THAT(read.kernel_metrics, SizeIs(2));
  EXPECT_EQ(read.kernel_metrics[0].name, "ratio");
  EXPECT_EQ(read.kernel_metrics[0].expression, "fake__letters.sum / gpu__time_duration.sum");
  EXPECT_EQ(read.kernel_metrics[1].name, "fake__threads.sum");
  ASSERT_FALSE(read.notes.empty());
  EXPECT_EQ(read.notes.back().text,
            "counters of FAKE100: kernels run one after the other, each 3 times");
}

TEST_F(Injection, CountersOnlyInsideOfTheRange) {
  ASSERT_EQ(record("launch a push step launch bb pop launch ccc",
                   "--range step --counters fake__letters.sum"),
            0)
      << errors();
  ASSERT_THAT(devices().kernel_counters, SizeIs(2));
  EXPECT_EQ(devices().kernel_counters[0].value, 2);
}

TEST_F(Injection, GraphsAreNotCountedAndNotDisturbed) {
  ASSERT_EQ(record("launch a graph launch bb", "--counters fake__letters.sum"), 0) << errors();
  EXPECT_THAT(devices().kernel_counters, SizeIs(4));
  EXPECT_THAT(errors(), HasSubstr("not all work of its GPU is recorded: counters leave out the "
                                  "kernels of CUDA graphs"));
}

TEST_F(Injection, AnUnknownCounterIsNamed) {
  EXPECT_EQ(record("launch a", "--counters no__such.sum,fake__letters.sum"), 0);
  EXPECT_THAT(errors(), HasSubstr("this GPU (FAKE100) has no counter no__such.sum; --list-counters "
                                  "shows those it has"));
  EXPECT_THAT(devices().kernel_counters, IsEmpty());
}

TEST_F(Injection, CountersOfAChipAreListedOnAnyMachine) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "CUPTI loads its parts in a way that AddressSanitizer does not allow";
#endif
  const auto listed = [&](const char* chip) {
    EXPECT_EQ(shell(std::string(BENANZA_RECORD " --list-counters ") + chip + " >list"), 0);
    std::ostringstream text;
    text << std::ifstream(folder / "list").rdbuf();
    return text.str();
  };
  const std::string all = listed("GH100");
  if (all.starts_with("No counters of kernels: CUPTI: ")) GTEST_SKIP() << all;
  EXPECT_THAT(all, HasSubstr("dram__bytes_read (.avg .max .min .sum): # of bytes read from DRAM"));
  EXPECT_THAT(all, HasSubstr("lts__t_sector_hit_rate (.max_rate .pct .ratio): "));
  EXPECT_THAT(listed("G1"), HasSubstr("CUPTI knows no chip G1, but "));
}

TEST_F(Injection, AMetricIsOfTheProcessorOrOfKernels) {
  EXPECT_EQ(record("launch a", "--metric 'x = instructions / fake__letters.sum'"), 125);
  EXPECT_THAT(errors(), HasSubstr("--metric x: mixes counters of the processor"));
  EXPECT_EQ(shell(BENANZA_RECORD " --gpu off --counters fake__letters.sum -- true 2>err"), 125);
  EXPECT_THAT(errors(), HasSubstr("--gpu off: counters of kernels need it on"));
  EXPECT_EQ(shell(BENANZA_RECORD " --gpu off --memory -- true 2>err"), 125);
  EXPECT_THAT(errors(), HasSubstr("--gpu off: --memory needs it on"));
}

TEST_F(Injection, AKillLosesNoMoreThanTheLastSecond) {
  EXPECT_EQ(record("launch early flushed launch late kill"), 128 + SIGKILL);
  EXPECT_THAT(kernels(), Contains("early"));
}

TEST_F(Injection, ManyEventsGoThroughFewBuffers) {
  std::string many;
  for (int i = 0; i < 3000; ++i) many += " launch k";
  ASSERT_EQ(record(many), 0);
  EXPECT_THAT(kernels(), SizeIs(3000));
}

TEST_F(Injection, BehindTheEndOfTheProgramNothingAsksCupti) {
  // The fake CUPTI's destruction takes longer than the pauses of the worker thread.
  for (int run = 0; run < 3; ++run) {
    ASSERT_EQ(record("launch one", "--force"), 0) << errors();
    EXPECT_THAT(kernels(), ElementsAre("one"));
  }
}

TEST_F(Injection, ChildrenThatDoNotUseTheGpuTellNothing) {
  ASSERT_EQ(record("launch one fork launch two"), 0);
  EXPECT_THAT(kernels(), ElementsAre("one", "two"));
}

TEST_F(Injection, ProcessesHaveTheirOwn) {
  ASSERT_EQ(shell("LD_LIBRARY_PATH=" FAKE_CUPTI_FOLDER " " BENANZA_RECORD
                  " --out run.db -- sh -c '" FAKE_GPU_PROGRAM " launch one; " FAKE_GPU_PROGRAM
                  " launch two'"),
            0);
  EXPECT_THAT(kernels(), SizeIs(2));
  EXPECT_THAT(devices().processes, SizeIs(2));
}

TEST_F(Injection, OnlyInsideOfARange) {
  ASSERT_EQ(
      record("launch before push step launch in push layer launch deeper pop pop launch after",
             "--range step"),
      0);
  EXPECT_THAT(kernels(), ElementsAre("in", "deeper"));
  // With the calls that launched them, and no other.
  const DeviceRecording read = devices();
  ASSERT_THAT(read.api, SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.api[i].correlation, read.work[i].correlation);
  }
  // CUPTI tells of the device with its first work, before the range.
  ASSERT_THAT(read.devices, SizeIs(1));
  EXPECT_EQ(read.devices[0].name, "Fake GPU");
}

TEST_F(Injection, InsideOfARangeThatBeginsBeforeTheFirstWork) {
  ASSERT_EQ(record("early step launch in pop launch after", "--range step"), 0);
  EXPECT_THAT(kernels(), ElementsAre("in"));
}

TEST_F(Injection, ARangeThatNothingEntersIsTold) {
  ASSERT_EQ(record("push steps launch in pop", "--range step"), 0);
  EXPECT_THAT(errors(), HasSubstr("nothing happened inside of a range \"step\""));
  ASSERT_EQ(record("push step launch in pop", "--force --range step"), 0);
  EXPECT_THAT(errors(), IsEmpty());
}

TEST_F(Injection, GraphsAsAWholeOnlyInsideOfARange) {
  ASSERT_EQ(record("graph push step graph graph pop graph", "--graphs whole --range step"), 0);
  EXPECT_THAT(kernels(), ElementsAre("graph 7", "graph 7"));
}

TEST_F(Injection, KernelsInsideOfGraphs) {
  ASSERT_EQ(record("graph graph"), 0);
  EXPECT_THAT(kernels(), ElementsAre("node", "node"));
  ASSERT_EQ(record("graph push step graph pop graph", "--force --range step"), 0);
  EXPECT_THAT(kernels(), ElementsAre("node"));
}

TEST_F(Injection, AfterADelay) {
  ASSERT_EQ(record("launch early on launch late", "--delay 3"), 0);
  EXPECT_THAT(kernels(), ElementsAre("late"));
  EXPECT_THAT(devices().api, SizeIs(1));
}

TEST_F(Injection, ForADuration) {
  ASSERT_EQ(record("launch early off launch late", "--duration 3"), 0);
  EXPECT_THAT(kernels(), ElementsAre("early"));
}

TEST_F(Injection, BetweenSignals) {
  ASSERT_EQ(shell("LD_LIBRARY_PATH=" FAKE_CUPTI_FOLDER " " BENANZA_RECORD
                  " --by-signal --out run.db -- " FAKE_GPU_PROGRAM " launch a signal " +
                  std::to_string(SIGUSR1) + " on launch b signal " + std::to_string(SIGUSR2) +
                  " off launch c"),
            0);
  EXPECT_THAT(kernels(), ElementsAre("b"));
  EXPECT_THAT(devices().api, SizeIs(1));
}

TEST_F(Injection, LostEventsAreCounted) {
  ASSERT_EQ(record("launch one", "", "loses"), 0);
  EXPECT_EQ(devices().lost_events, 2);
  EXPECT_THAT(errors(), HasSubstr("2 events of GPUs are lost"));
}

TEST_F(Injection, AnotherVersionIsRefusedInOneLine) {
  ASSERT_EQ(record("launch one", "", "old"), 0);
  EXPECT_THAT(errors(), HasSubstr("CUPTI has version 22"));
  const std::string text = errors();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_THAT(kernels(), IsEmpty());
}

TEST_F(Injection, WhereNothingCanBeRecordedOneLineSaysIt) {
  ASSERT_EQ(record("launch one", "", "busy"), 0);
  EXPECT_THAT(errors(), HasSubstr("no GPU that CUPTI knows, or another profiler has it"));
  const std::string text = errors();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST_F(Injection, AProgramThatNeverTouchesAGpu) {
  ASSERT_EQ(shell(BENANZA_RECORD " --gpu on --out run.db -- true 2>err"), 0);
  EXPECT_EQ(errors(), "benanza-record: the program never touched a GPU\n");
  ASSERT_EQ(shell(BENANZA_RECORD " --force --out run.db -- true 2>err"), 0);
  EXPECT_EQ(errors(), "");
}

TEST_F(Injection, AnotherProfilerIsLeftAlone) {
  EXPECT_EQ(shell("CUDA_INJECTION64_PATH=/x.so " BENANZA_RECORD " --gpu on --out run.db -- true "
                  "2>err"),
            125);
  EXPECT_THAT(errors(), HasSubstr("another profiler is there"));
  EXPECT_FALSE(std::filesystem::exists(folder / "run.db"));
}

}  // namespace
}  // namespace benanza::record
