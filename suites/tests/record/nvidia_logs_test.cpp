// A program that logs like cuDNN, to the file it is given.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/recording/recording.h"

namespace benanza::record {
namespace {

class NvidiaLogs : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "program") << R"(#!/bin/sh
file=$(echo "$CUDNN_LOGDEST_DBG" | sed "s/%i/$$/")
cat >"$file" <<END
I! CuDNN (v91900 56) function cudnnConvolutionForward() called:
i!     xDesc: type=cudnnTensorDescriptor_t:
i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_HALF (2);
i!         dimA: type=int; val=[1,3,8,8];
i!         strideA: type=int; val=[192,1,24,3];
i!     wDesc: type=cudnnFilterDescriptor_t:
i!         dimA: type=int; val=[4,3,3,3];
i!     convDesc: type=cudnnConvolutionDescriptor_t:
i!         padA: type=int; val=[0,0];
i!         strideA: type=int; val=[1,1];
i!         dilationA: type=int; val=[1,1];
i! Time: $(TZ=Asia/Kolkata date +%Y-%m-%dT%H:%M:%S.000000) (0d+0h+0m+0s since start)
i! Process=$$; Thread=12; GPU=0; Handle=0x1; StreamId=(nil) (defaultStream).
END
file=$(echo "$CUBLASLT_LOG_FILE" | sed "s/%i/$$/")
test -z "$file" || cat >"$file" <<END
[2026-11-21 16:09:04][cublasLt][13][Trace][cublasLtMatmul] A=0X7F Adesc=[type=R_16F rows=4 cols=5 ld=4] Ddesc=[type=R_16F rows=4 cols=6 ld=4] computeDesc=[computeType=COMPUTE_32F] algo=[algoId=66] workSpace=0X1
END
)";
    std::filesystem::permissions(folder / "program", std::filesystem::perms::owner_all);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  int shell(const std::string& line) {
    return std::system(("cd " + folder.string() + " && " + line).c_str());
  }

  std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                 ("benanza_nvidia_logs_" + std::to_string(::getpid()));
};

TEST_F(NvidiaLogs, BecomeCallsOfTheirProcesses) {
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
      EXPECT_EQ(call.text.implementation, "algorithm 66");
      EXPECT_EQ(call.thread, 13);
      EXPECT_EQ(call.started, std::nullopt);
      return;
    }
    EXPECT_EQ(call.text.source, "cudnn");
    EXPECT_EQ(call.text.kind, "cudnnConvolutionForward");
    EXPECT_EQ(call.text.problem, "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1");
    EXPECT_EQ(call.text.memory, "fp16 nhwc");
    EXPECT_EQ(call.milliseconds, std::nullopt);
    EXPECT_EQ(call.thread, 12);
    // The log's clock is in a time zone 5.5 hours ahead and lacks fractions of a second.
    ASSERT_TRUE(call.started);
    EXPECT_GT(*call.started, -1.1);
    EXPECT_LT(*call.started, 10);
  });
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(processes.size(), 2);
}

TEST_F(NvidiaLogs, AreNotAskedForByThemselves) {
  ASSERT_EQ(shell(BENANZA_RECORD " --out run.db -- sh -c 'test -z \"$CUDNN_LOGDEST_DBG\"'"), 0);
}

TEST_F(NvidiaLogs, OfAUserStayWhereTheyAre) {
  ASSERT_EQ(shell("CUDNN_LOGDEST_DBG=mine_%i.log CUBLASLT_LOG_FILE=mine_lt_%i.log " BENANZA_RECORD
                  " --library-logs --out run.db -- ./program 2>err; ls mine_*.log >/dev/null && "
                  "grep -q 'CUDNN_LOGDEST_DBG is set' err && "
                  "grep -q 'CUBLASLT_LOG_FILE is set' err"),
            0);
  EXPECT_TRUE(RecordingReader(folder / "run.db").totals().empty());
}

}  // namespace
}  // namespace benanza::record
