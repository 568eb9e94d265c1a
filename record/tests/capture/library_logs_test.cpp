// A program that logs like cuDNN and cuBLASLt, to the files it is given.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "record/store/recording.h"
#include "record/tests/nvidia_texts.h"

namespace benanza::record {
namespace {

class LibraryLogs : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder);
    // The program's clock is in a time zone 5.5 hours ahead and lacks fractions of a second.
    std::ofstream(folder / "program") << R"sh(#!/bin/sh
now=$(TZ=Asia/Kolkata date +%Y-%m-%dT%H:%M:%S.000000)
sed "s/NOW/$now/; s/PROCESS/$$/" cudnn.txt >"$(echo "$CUDNN_LOGDEST_DBG" | sed "s/%i/$$/")"
file=$(echo "$CUBLASLT_LOG_FILE" | sed "s/%i/$$/")
test -z "$file" || cp lt.txt "$file"
)sh";
    std::ofstream(folder / "cudnn.txt")
        << test::cudnn_entry("cudnnConvolutionForward", test::half_nhwc + test::convolution_fields,
                             test::end_of_entry("NOW", "PROCESS", "12"))
        << test::cudnn_entry("cudnnSetTensor4dDescriptor", test::half_nhwc);
    std::ofstream(folder / "lt.txt") << test::lt_linear;
    std::filesystem::permissions(folder / "program", std::filesystem::perms::owner_all);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  int shell(const std::string& line) {
    return std::system(("cd " + folder.string() + " && " + line).c_str());
  }

  std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                 ("benanza_nvidia_logs_" + std::to_string(::getpid()));
};

TEST_F(LibraryLogs, BecomeCallsOfTheirProcesses) {
  ASSERT_EQ(shell(BENANZA_RECORD " --library-logs --out run.db -- sh -c './program; ./program'"),
            0);
  const RecordingReader reader(folder / "run.db");
  int calls = 0;
  std::set<std::int64_t> processes;
  reader.for_each([&](const ArrivedCall& call) {
    ++calls;
    processes.insert(call.process.value_or(0));
    if (call.text.source == "cublaslt") {
      // The line tells the thread alone, the file's name the process.
      EXPECT_EQ(call.text.implementation, "algorithm 13");
      EXPECT_EQ(call.thread, 2198);
      EXPECT_EQ(call.started, std::nullopt);
      return;
    }
    EXPECT_EQ(call.text.source, "cudnn");
    EXPECT_EQ(call.text.kind, "cudnnConvolutionForward");
    EXPECT_EQ(call.text.problem, "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1");
    EXPECT_EQ(call.text.memory, "fp16 nhwc");
    EXPECT_EQ(call.milliseconds, std::nullopt);
    EXPECT_EQ(call.thread, 12);
    ASSERT_TRUE(call.started);
    EXPECT_GT(*call.started, -1.1);
    EXPECT_LT(*call.started, 10);
  });
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(processes.size(), 2);
  // Equal words of the two processes are stored once.
  const sqlite::Connection file(folder / "run.db", sqlite::Connection::Mode::read);
  sqlite::Statement texts(file, "SELECT count(*) FROM call_text");
  texts.step();
  EXPECT_EQ(texts.integer(0), 2);
}

TEST_F(LibraryLogs, AreNotAskedForByThemselves) {
  ASSERT_EQ(shell(BENANZA_RECORD " --out run.db -- sh -c 'test -z \"$CUDNN_LOGDEST_DBG\"'"), 0);
}

TEST_F(LibraryLogs, OfAUserStayWhereTheyAre) {
  ASSERT_EQ(shell("CUDNN_LOGDEST_DBG=mine_%i.log CUBLASLT_LOG_FILE=mine_lt_%i.log " BENANZA_RECORD
                  " --library-logs --out run.db -- ./program 2>err; ls mine_*.log >/dev/null && "
                  "grep -q 'CUDNN_LOGDEST_DBG is set' err && "
                  "grep -q 'CUBLASLT_LOG_FILE is set' err"),
            0);
  EXPECT_TRUE(RecordingReader(folder / "run.db").totals().empty());
}

}  // namespace
}  // namespace benanza::record
