// Logs of cuDNN's graphs, and of calls that do several things.
#include <gmock/gmock.h>

#include "record/logs/shared/nvidia_log.h"
#include "record/tests/nvidia_texts.h"

namespace benanza::record {
namespace {

using namespace test;

/// Of the only call with a problem.
std::string problem_of(const std::string& log) {
  const auto calls = api_calls(log);
  return calls.size() == 1 ? calls[0].problem : std::to_string(calls.size()) + " calls";
}

TEST(ApiLogGraphs, CudnnGraphsHaveTheStepsBehindAConvolution) {
  const std::string conv = "conv/32x1024x14x14_k256x1x1_p0.0.0.0_s1x1_d1x1_g1";
  const std::string biased = pointwise("ADD (0)", "", 65, bias_tensor, 66, "1");
  const std::string activated = pointwise("RELU_FWD (100)", open_relu, 66, "", 121, "1");
  const std::string with_zero = pointwise("ADD (0)", "", 67, whole_tensor, 65, "0");
  const std::string with_residual = pointwise("ADD (0)", "", 67, whole_tensor, 65, "1");
  const auto calls = api_calls(fused_graph(with_zero + biased + activated));
  ASSERT_EQ(calls.size(), 1);
  EXPECT_EQ(calls[0].problem, conv + "_bias_relu") << "0 times a tensor is no residual";
  EXPECT_EQ(calls[0].data, Precision::bf16) << "not that of the steps";
  EXPECT_EQ(calls[0].algorithm, "engine 41 TILEK=0");
  const auto residual_first = api_calls(fused_graph(with_residual + biased + activated));
  ASSERT_EQ(residual_first.size(), 1);
  EXPECT_EQ(residual_first[0].problem, conv + "_bias_residual_relu");
  EXPECT_EQ(residual_first[0].algorithm, "residual.engine 41 TILEK=0");
  const std::string bias_first = pointwise("ADD (0)", "", 67, bias_tensor, 65, "1") +
                                 pointwise("ADD (0)", "", 65, whole_tensor, 66, "1") + activated;
  const auto usual = api_calls(fused_graph(bias_first));
  ASSERT_EQ(usual.size(), 1);
  EXPECT_EQ(usual[0].problem, conv + "_bias_residual_relu");
  EXPECT_EQ(usual[0].algorithm, "engine 41 TILEK=0");
  EXPECT_EQ(api_calls(fused_graph(with_residual))[0].algorithm, "engine 41 TILEK=0");
  EXPECT_EQ(problem_of(fused_graph("")), conv);
  EXPECT_EQ(problem_of(fused_graph(pointwise("RELU_FWD (100)", relu_to_6, 67, "", 121, "1"))),
            conv + "_clip_a0_b6");
  EXPECT_EQ(problem_of(fused_graph(pointwise("MUL (1)", "", 67, whole_tensor, 121, "1"))),
            conv + "_mul_y32x256x14x14");
}

TEST(ApiLogGraphs, OperationsFollowTheLogsOrderBeyondTheTenth) {
  std::string steps;
  for (int step = 0; step < 11; ++step) {
    steps += pointwise("IDENTITY (400)", "", 67 + step, "", 68 + step, "1");
  }
  steps += pointwise("RELU_FWD (100)", open_relu, 78, "", 79, "1");
  EXPECT_EQ(problem_of(fused_graph(steps)),
            "conv/32x1024x14x14_k256x1x1_p0.0.0.0_s1x1_d1x1_g1_relu");
}

TEST(ApiLogGraphs, CudnnGraphsWithOtherStepsHaveNoProblem) {
  for (const std::string& step :
       {pointwise("RELU_FWD (100)", open_relu, 66, "", 121, "1"),  // of another tensor
        pointwise("ADD (0)", "", 67, whole_tensor, 65, "0.5"),
        pointwise("GEN_INDEX (600)", "", 67, "", 65, "1"), operation_of_graph("REDUCTION")}) {
    EXPECT_EQ(problem_of(fused_graph(step)), "0 calls") << step;
  }
}

TEST(ApiLogGraphs, TheFusedCallHasItsSteps) {
  const auto fused = [](const std::string& mode, const std::string& alpha2) {
    return problem_of(fused_entry(mode, alpha2));
  };
  const std::string conv = "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1";
  EXPECT_EQ(fused("RELU (1)", "0.000000"), conv + "_bias_relu");
  EXPECT_EQ(fused("RELU (1)", "1.000000"), conv + "_bias_residual_relu");
  EXPECT_EQ(fused("IDENTITY (5)", "0.000000"), conv + "_bias");
  EXPECT_EQ(fused("CLIPPED_RELU (3)", "0.000000"), "0 calls") << "its limit is not read";
}

TEST(ApiLogGraphs, MakingAGraphIsNoCall) {
  std::string made = fused_graph("");
  made.replace(made.find("cudnnBackendExecute"), 19, "cudnnBackendFinalize");
  int count = 0;
  NvidiaLogReader().feed(made, [&](const LogEntry&) { ++count; });
  EXPECT_EQ(count, 0);
}

TEST(ApiLogGraphs, TheInsideAndTheEndOfACallAreNoCalls) {
  const std::string inside = R"(I! CuDNN (v91900 56) function cudnnBackendExecuteInternal() called:
i!     operation: type=internalType; val=CONV_ADD_BIAS_ACT;
i!     engine_id: type=int; val=41;
i! Process=812; Thread=879; GPU=0; Handle=0x4ecf8a0; StreamId=0x4c319b0.

)";
  const std::string end = R"(I! CuDNN (v91900 56) function cudnnBackendExecute() called:
i!     status: type=cudnnStatus_t; val=CUDNN_STATUS_SUCCESS (0);
i! Process=812; Thread=879; GPU=NULL; Handle=NULL; StreamId=NULL.

)";
  int count = 0;
  NvidiaLogReader().feed(fused_graph("") + inside + end, [&](const LogEntry&) { ++count; });
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace benanza::record
