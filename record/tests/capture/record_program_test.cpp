#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/base/error.h"
#include "record/store/recording.h"

namespace benanza::record {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* call_line =
    "onednn_verbose,exec,cpu,eltwise,jit:avx512_core,forward_inference,data_f32::blocked:ab:f0 "
    "diff_undef::undef::f0,,alg:eltwise_relu alpha:0 beta:0,2x3,0.25";

std::string contents(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

class RecordProgram : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::temp_directory_path() /
             (std::string("benanza_record_") + test->name() + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "line") << call_line << '\n';
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// Runs a shell command in the folder and returns its exit status.
  int run(const std::string& line) {
    const int status = std::system(("cd " + folder.string() + " && " + line).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string record(const std::string& command) const {
    return std::string(BENANZA_RECORD) + " --out run.db -- " + command;
  }
  std::string file(const std::string& name) const { return contents(folder / name); }

  std::filesystem::path folder;
};

TEST_F(RecordProgram, TakesTheCallsAndLeavesTheOutput) {
  EXPECT_EQ(
      run(record("sh -c 'printf \"one\\n\"; cat line line; printf two; echo err >&2; exit 7'") +
          " >out 2>err"),
      7);
  EXPECT_EQ(file("out"), "one\ntwo");
  EXPECT_EQ(file("err"), "err\n");
  const RecordingReader reader(folder / "run.db");
  const auto totals = reader.totals();
  ASSERT_THAT(totals, SizeIs(1));
  EXPECT_EQ(totals[0].text.kind, "eltwise");
  EXPECT_EQ(totals[0].text.memory, "data_f32::blocked:ab:f0 diff_undef::undef::f0");
  EXPECT_EQ(totals[0].calls, 2);
  EXPECT_DOUBLE_EQ(totals[0].seconds, 0.5e-3);
  EXPECT_THAT(reader.sequence(), testing::ElementsAre(0, 0));
  EXPECT_EQ(reader.run().exit_status, 7);
  EXPECT_THAT(reader.run().command, SizeIs(3));
  EXPECT_GT(reader.run().seconds, 0);
}

TEST_F(RecordProgram, OutputOfAnyBytesIsUntouched) {
  ASSERT_EQ(run("head -c 3000000 /dev/urandom >noise; cat noise line noise >both"), 0);
  EXPECT_EQ(run(record("cat both") + " >out"), 0);
  EXPECT_EQ(file("out"), file("noise") + file("noise"));
  EXPECT_THAT(RecordingReader(folder / "run.db").sequence(), SizeIs(1));
}

TEST_F(RecordProgram, ChildrenAreRecorded) {
  EXPECT_EQ(run(record("sh -c 'sh -c \"cat line\"; (cat line &) ; wait'") + " >out"), 0);
  EXPECT_THAT(RecordingReader(folder / "run.db").sequence(), SizeIs(2));
}

TEST_F(RecordProgram, SwitchesTheLogOn) {
  EXPECT_EQ(run("unset ONEDNN_VERBOSE DNNL_VERBOSE MKLDNN_VERBOSE; " +
                record("sh -c 'echo $ONEDNN_VERBOSE $DNNL_VERBOSE $MKLDNN_VERBOSE'") + " >out"),
            0);
  EXPECT_EQ(file("out"), "1 1 1\n");
}

TEST_F(RecordProgram, WhoHasTheLogOnKeepsIt) {
  EXPECT_EQ(run("ONEDNN_VERBOSE=2 " + record("sh -c 'echo $ONEDNN_VERBOSE; cat line'") + " >out"),
            0);
  EXPECT_EQ(file("out"), "2\n" + file("line"));
  EXPECT_THAT(RecordingReader(folder / "run.db").sequence(), SizeIs(1));
}

TEST_F(RecordProgram, OverwritesOnlyWhenTold) {
  ASSERT_EQ(run(record("cat line") + " >out"), 0);
  EXPECT_NE(run(record("cat line") + " >out 2>err"), 0);
  EXPECT_EQ(file("out"), "");
  EXPECT_THAT(file("err"), AllOf(StartsWith("benanza-record: run.db"), HasSubstr("--force")));
  EXPECT_EQ(run(std::string(BENANZA_RECORD) + " --force --out run.db -- true"), 0);
  EXPECT_THAT(RecordingReader(folder / "run.db").sequence(), SizeIs(0));
}

TEST_F(RecordProgram, NoSuchProgramLeavesNoFile) {
  EXPECT_EQ(run(record("no_such_program_here") + " 2>err"), 127);
  EXPECT_THAT(file("err"),
              AllOf(StartsWith("benanza-record: no_such_program_here"), HasSubstr("PATH")));
  EXPECT_FALSE(std::filesystem::exists(folder / "run.db"));
  EXPECT_NE(run(std::string(BENANZA_RECORD) + " 2>err"), 0);
  EXPECT_THAT(file("err"), HasSubstr("no program"));
}

TEST_F(RecordProgram, ExitOfASignalIsAShells) {
  EXPECT_EQ(run(record("sh -c 'cat line; kill -9 $$'") + " >out"), 128 + 9);
  const RecordingReader reader(folder / "run.db");
  EXPECT_EQ(reader.run().exit_status, 137);
  EXPECT_THAT(reader.sequence(), SizeIs(1));
}

TEST_F(RecordProgram, ClosedOutputEndsTheProgramAsAPipeDoes) {
  EXPECT_EQ(run(record("yes") + " | head -n 1 >out"), 0);
  EXPECT_EQ(file("out"), "y\n");
}

TEST_F(RecordProgram, OutlivesTheEndOfTheRecorder) {
  const pid_t id = ::fork();
  if (id == 0) {
    const int status = ::chdir(folder.c_str()) + (std::freopen("out", "w", stdout) == nullptr);
    if (status == 0) {
      ::execl(BENANZA_RECORD, BENANZA_RECORD, "--out", "run.db", "--", "sh", "-c",
              "for i in $(seq 1000); do cat line; done; exec sleep 60 >/dev/null 2>&1", nullptr);
    }
    ::_exit(99);
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto written = [&]() -> std::size_t {
    try {
      return RecordingReader(folder / "run.db").sequence().size();
    } catch (const Error&) {
      return 0;  // not started yet
    }
  };
  while (written() < 1000 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::kill(id, SIGKILL);
  int status = 0;
  ::waitpid(id, &status, 0);
  const RecordingReader reader(folder / "run.db");
  EXPECT_THAT(reader.sequence(), SizeIs(1000));
  EXPECT_FALSE(reader.run().exit_status);
  EXPECT_FALSE(reader.run().seconds);
}

TEST_F(RecordProgram, LogThatWasKeptBecomesARecording) {
  ASSERT_EQ(run("(echo start; cat line line; printf 'epoch 1 '; head -c -1 line) >log"), 0);
  EXPECT_EQ(run(std::string(BENANZA_RECORD) + " --log log --out run.db"), 0);
  const RecordingReader reader(folder / "run.db");
  EXPECT_THAT(reader.sequence(), SizeIs(3));
  reader.for_each([](const ArrivedCall& call) {
    EXPECT_EQ(call.text.problem, "2x3");
    EXPECT_EQ(call.milliseconds, 0.25);
    EXPECT_FALSE(call.started);
    EXPECT_FALSE(call.arrived);
  });
  EXPECT_FALSE(reader.run().start);
  EXPECT_NE(
      run("echo nothing >log; " + std::string(BENANZA_RECORD) + " --log log --out no.db 2>err"), 0);
  EXPECT_THAT(file("err"), AllOf(StartsWith("benanza-record: log: "), HasSubstr("ONEDNN_VERBOSE")));
  EXPECT_FALSE(std::filesystem::exists(folder / "no.db"));
}

// Two processes printed at once, and the end was cut off.
TEST_F(RecordProgram, LinesOfALogThatAreLeftOutAreCounted) {
  ASSERT_EQ(run("(cat line; echo onednn_verbose,exec,cpu,conv; cut -c1-40 line | tr -d '\\n'; cat "
                "line; head -c 30 line) >log"),
            0);
  EXPECT_EQ(run(std::string(BENANZA_RECORD) + " --log log --out run.db 2>err"), 0);
  EXPECT_THAT(RecordingReader(folder / "run.db").sequence(), SizeIs(2));
  EXPECT_THAT(file("err"), HasSubstr("log: 3 lines of the library are left out: broken"));
}

TEST(Recording, WhatIsNoneIsSaid) {
  EXPECT_THROW(RecordingReader("/no/such/recording.db"), Error);
  EXPECT_THROW(RecordingReader("/bin/sh"), Error);
}

TEST_F(RecordProgram, CountersAndMetricsOfTheWholeRun) {
  if (run(std::string(BENANZA_RECORD) + " --counters page_faults --force --out x.db -- true") !=
      0) {
    GTEST_SKIP() << "this system counts nothing";
  }
  ASSERT_EQ(run(std::string(BENANZA_RECORD) +
                " --counters page_faults --metric 'per_fault = task_nanoseconds / page_faults' "
                "--metric 'none = 1 / (page_faults - page_faults)' --out run.db -- sh -c 'true'"),
            0);
  const auto counters = RecordingReader(folder / "run.db").counters();
  ASSERT_THAT(counters, SizeIs(4));
  EXPECT_EQ(counters[0].name, "page_faults");
  EXPECT_GT(counters[0].value, 0);
  EXPECT_EQ(counters[1].name, "task_nanoseconds");
  EXPECT_EQ(counters[2].name, "per_fault");
  EXPECT_EQ(counters[2].expression, "task_nanoseconds / page_faults");
  ASSERT_TRUE(counters[2].value);
  EXPECT_DOUBLE_EQ(*counters[2].value, *counters[1].value / *counters[0].value);
  EXPECT_EQ(counters[3].value, std::nullopt);
}

TEST_F(RecordProgram, CountersThatAreNoneLeaveNoFile) {
  EXPECT_EQ(run(std::string(BENANZA_RECORD) + " --counters nonsense --out run.db -- true 2>err"),
            125);
  EXPECT_THAT(file("err"), HasSubstr("--counters nonsense"));
  EXPECT_EQ(run(std::string(BENANZA_RECORD) + " --metric 'x = 1 +' --out run.db -- true 2>err"),
            125);
  EXPECT_THAT(file("err"), HasSubstr("is missing at character"));
  EXPECT_FALSE(std::filesystem::exists(folder / "run.db"));
}

}  // namespace
}  // namespace benanza::record
