#include <gmock/gmock.h>

#include "record/logs/shared/nvidia_log.h"
#include "record/tests/nvidia_texts.h"

namespace benanza::record {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

std::vector<LogEntry> log_reader_read(const std::string& log, std::size_t step) {
  std::vector<LogEntry> entries;
  NvidiaLogReader reader;
  std::size_t done = 0;
  for (std::size_t end = 0; end < log.size();) {
    end = std::min(end + step, log.size());
    done += reader.feed(std::string_view(log).substr(done, end - done),
                        [&](LogEntry entry) { entries.push_back(std::move(entry)); });
  }
  return entries;
}
std::vector<LogEntry> log_reader_read(const std::string& log) {
  return log_reader_read(log, log.size());
}

std::optional<LibraryCall> logged_call(const LogEntry& entry) {
  return call_of(library_logs(), entry.text.source, entry.words);
}

TEST(NvidiaLogReader, TellsWhoCalledAndWhen) {
  const std::string log = cudnn_entry("cudnnConvolutionForward", float_nchw + convolution_fields,
                                      end_of_entry("1970-01-02T00:00:01.250000", "11", "12")) +
                          cublas_product + lt_linear;
  for (const std::size_t step : {std::size_t{1}, std::size_t{37}, log.size()}) {
    const auto entries = log_reader_read(log, step);
    ASSERT_EQ(entries.size(), 3);
    EXPECT_EQ(logged_call(entries[0])->problem, "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1");
    EXPECT_EQ(entries[0].process, 11);
    EXPECT_EQ(entries[0].thread, 12);
    EXPECT_EQ(entries[0].started, 86401.25);
    EXPECT_TRUE(entries[0].is_local);
    EXPECT_EQ(entries[1].text.source, "cublas");
    EXPECT_EQ(entries[1].process, 21);
    EXPECT_EQ(entries[1].thread, std::nullopt);
    EXPECT_EQ(entries[1].started, std::nullopt) << "whole seconds";
    EXPECT_EQ(entries[2].text.source, "cublaslt");
    // The library's number is that of the thread.
    EXPECT_EQ(entries[2].process, std::nullopt);
    EXPECT_EQ(entries[2].thread, 2198);
    EXPECT_EQ(entries[2].started, std::nullopt);
  }
}

TEST(NvidiaLogReader, WordsOfEqualCallsAreEqual) {
  const auto words = [](const std::string& log) {
    const auto entries = log_reader_read(log);
    return entries.size() == 1 ? entries[0].words : std::to_string(entries.size()) + " entries";
  };
  const std::string stream = "i!     workspace: location=dev; addr=";
  const auto convolution = [&](const std::string& address, const std::string& time) {
    return words(cudnn_entry("cudnnConvolutionForward",
                             float_nchw + stream + address + ";\n" + convolution_fields,
                             end_of_entry(time, "1", "2")));
  };
  const std::string first = convolution("0x7f1200", "2026-11-21T16:09:04.382859");
  EXPECT_EQ(first, convolution("0xABC", "2026-11-21T16:09:05.1"));
  EXPECT_THAT(first, HasSubstr(stream + "0x;\n"));
  EXPECT_THAT(first, HasSubstr("CuDNN (v91900 56) function cudnnConvolutionForward()"));
  EXPECT_THAT(first, Not(HasSubstr("Process")));
  // "POINTER (IN HEX:0x0xaa86490)".
  EXPECT_THAT(words(cublas_product), HasSubstr("POINTER (IN HEX:0x)\n"));
  EXPECT_THAT(words(cublas_product), HasSubstr("val=2048\n"));
  EXPECT_EQ(words(lt_linear).find("[Trace][cublasLtMatmul] A=0X Adesc=[type=R_32F rows=2048"), 0);
}

TEST(NvidiaLogReader, TellsOfCallsWithoutAProblem) {
  const std::string log = matmul_graph + cudnn_entry("cudnnPoolingForward", "") +
                          cudnn_entry("cudnnGetConvolutionForwardWorkspaceSize", "") +
                          cudnn_entry("cudnnSetTensorNdDescriptor", "") + cublas_batches;
  const auto entries = log_reader_read(log);
  ASSERT_EQ(entries.size(), 3);
  EXPECT_EQ(logged_call(entries[0])->problem, "");
  EXPECT_EQ(logged_call(entries[0])->detail, "MATMUL POINTWISE");
  EXPECT_EQ(logged_call(entries[0])->algorithm, "engine 4");
  EXPECT_EQ(logged_call(entries[0])->data, Precision::fp16);
  EXPECT_EQ(logged_call(entries[1])->function, "cudnnPoolingForward");
  EXPECT_EQ(entries[1].thread, 2198);
  EXPECT_EQ(logged_call(entries[2])->library, "cublas");
  EXPECT_EQ(logged_call(entries[2])->problem, "");
  EXPECT_TRUE(api_calls(log).empty());
}

TEST(NvidiaLogReader, KeepsWordsThatMeanNothingYet) {
  const auto entries = log_reader_read(cudnn_entry("cudnnNewThing", float_nchw));
  ASSERT_EQ(entries.size(), 1);
  EXPECT_FALSE(logged_call(entries[0]));
}

}  // namespace
}  // namespace benanza::record
