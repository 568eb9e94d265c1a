#include <gmock/gmock.h>

#include "core/api_log/api_log.h"

namespace benanza {
namespace {

const std::string log = R"(
I! CuDNN (v91900 56) function cudnnConvolutionForward() called:
i!     xDesc: type=cudnnTensorDescriptor_t:
i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_FLOAT (0);
i!         dimA: type=int; val=[1,3,8,8];
i!         strideA: type=int; val=[192,64,8,1];
i!     wDesc: type=cudnnFilterDescriptor_t:
i!         dimA: type=int; val=[4,3,3,3];
i!     convDesc: type=cudnnConvolutionDescriptor_t:
i!         padA: type=int; val=[0,0];
i!         strideA: type=int; val=[1,1];
i!         dilationA: type=int; val=[1,1];
i! Time: 1970-01-02T00:00:01.250000 (0d+0h+0m+0s since start)
i! Process=11; Thread=12; GPU=0; Handle=0x1; StreamId=(nil) (defaultStream).

I! cuBLAS (v13.1.0) function cublasStatus_t cublasSgemm_v2(cublasHandle_t) called:
i!  m: type=int; val=1000
i!  n: type=int; val=8
i!  k: type=int; val=2048
i! Time: 1970-01-02T00:00:02 elapsed from start 0.000000 minutes or 0.000000 seconds
i!Process=21; Thread=140246488451968; GPU=0; Handle=POINTER (IN HEX:0x0x2002b960)
i! COMPILED WITH: GNU GCC/G++ / 8.5.0
[1970-01-02 00:00:03][cublasLt][31][Trace][cublasLtMatmul] A=0X7F Adesc=[type=R_32F rows=4 cols=5 ld=4] Ddesc=[type=R_32F rows=4 cols=6 ld=4] computeDesc=[computeType=COMPUTE_32F] algo=[algoId=13]
)";

std::vector<LoggedCall> read(std::size_t step) {
  std::vector<LoggedCall> calls;
  ApiLogReader reader;
  std::size_t done = 0;
  for (std::size_t end = 0; end < log.size();) {
    end = std::min(end + step, log.size());
    done += reader.feed(std::string_view(log).substr(done, end - done),
                        [&](const LoggedCall& call) { calls.push_back(call); });
  }
  return calls;
}

TEST(ApiLogReader, TellsWhoCalledAndWhen) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{37}, log.size()}) {
    const auto calls = read(step);
    ASSERT_EQ(calls.size(), 3);
    EXPECT_EQ(calls[0].call.problem, "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1");
    EXPECT_EQ(calls[0].process, 11);
    EXPECT_EQ(calls[0].thread, 12);
    EXPECT_EQ(calls[0].local_seconds, 86401.25);
    EXPECT_TRUE(calls[0].is_precise);
    EXPECT_EQ(calls[1].call.library, "cublas");
    EXPECT_EQ(calls[1].process, 21);
    EXPECT_EQ(calls[1].thread, std::nullopt);
    EXPECT_EQ(calls[1].local_seconds, 86402);
    EXPECT_FALSE(calls[1].is_precise);
    EXPECT_EQ(calls[2].call.library, "cublaslt");
    // The library's number is that of the thread.
    EXPECT_EQ(calls[2].process, std::nullopt);
    EXPECT_EQ(calls[2].thread, 31);
    EXPECT_EQ(calls[2].local_seconds, 86403);
  }
}

TEST(ApiLogReader, TellsOfCallsWithoutAProblem) {
  const std::string text = R"(
I! CuDNN (v91900 56) function cudnnBackendExecute() called:
i!     executionPlan: type=CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
i!         engine: type=CUDNN_BACKEND_ENGINE_DESCRIPTOR:
i!             opGraph: type=CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
i!                 operation: type=CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
i!                     aDesc: type=CUDNN_BACKEND_TENSOR_DESCRIPTOR:
i!                         type: type=cudnnDataType_t; val=CUDNN_DATA_HALF (2);
i!                         dimA: type=int; val=[8,12,128,64];
i!                 operation: type=CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
i!             engine_id: type=int; val=4;
i! Process=11; Thread=12; GPU=0; Handle=0x1; StreamId=(nil) (defaultStream).

I! CuDNN (v91900 56) function cudnnPoolingForward() called:
i! Process=11; Thread=12; GPU=0; Handle=0x1; StreamId=(nil) (defaultStream).

I! CuDNN (v91900 56) function cudnnGetConvolutionForwardWorkspaceSize() called:
i! Process=11; Thread=12; GPU=0; Handle=0x1; StreamId=(nil) (defaultStream).

I! CuDNN (v91900 56) function cudnnSetTensorNdDescriptor() called:
i! Process=11; Thread=12; GPU=0; Handle=0x1; StreamId=(nil) (defaultStream).

I! cuBLAS (v13.1.0) function cublasStatus_t cublasGemmBatchedEx(cublasHandle_t) called:
i!Process=21; Thread=1; GPU=0; Handle=POINTER (IN HEX:0x0x2002b960)
)";
  std::vector<LoggedCall> calls;
  ApiLogReader reader;
  reader.feed(text, [&](const LoggedCall& call) { calls.push_back(call); });
  ASSERT_EQ(calls.size(), 3);
  EXPECT_EQ(calls[0].call.problem, "");
  EXPECT_EQ(calls[0].call.detail, "MATMUL POINTWISE");
  EXPECT_EQ(calls[0].call.algorithm, "engine 4");
  EXPECT_EQ(calls[0].call.data, Precision::fp16);
  EXPECT_EQ(calls[1].call.function, "cudnnPoolingForward");
  EXPECT_EQ(calls[1].thread, 12);
  EXPECT_EQ(calls[2].call.library, "cublas");
  EXPECT_EQ(calls[2].call.problem, "");
  EXPECT_TRUE(api_calls(text).empty());
}

}  // namespace
}  // namespace benanza
