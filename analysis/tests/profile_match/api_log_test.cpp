#include "core/api_log/api_log.h"

#include <gmock/gmock.h>

#include "analysis/profile_match/mapping.h"
#include "analysis/tests/folder.h"

namespace benanza::analysis {
namespace {

using test::error_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// PyTorch 2.11's calls as logged by cuDNN 9.19, without the fields that are not read.
const std::string execute = R"(
I! CuDNN (v91900 56) function cudnnBackendExecute() called:
i!     handle: type=cudnnHandle_t:
i!         streamId: type=cudaStream_t; streamId=(nil) (defaultStream);
i!     executionPlan: type=CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
i!         engcfg: type=CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
i!             engine: type=CUDNN_BACKEND_ENGINE_DESCRIPTOR:
i!                 opGraph: type=CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
i!                     operation: type=CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
i!                         xDesc: type=CUDNN_BACKEND_TENSOR_DESCRIPTOR:
i!                             type: type=cudnnDataType_t; val=CUDNN_DATA_HALF (2);
i!                             dimA: type=int; val=[1,32,56,56];
i!                             strideA: type=int; val=[100352,1,1792,32];
i!                         wDesc: type=CUDNN_BACKEND_TENSOR_DESCRIPTOR:
i!                             dimA: type=int; val=[64,16,3,3];
i!                             strideA: type=int; val=[144,1,48,16];
i!                         convDesc: type=CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
i!                             upperPadA: type=int; val=[1,1];
i!                             lowerPadA: type=int; val=[1,1];
i!                             strideA: type=int; val=[2,2];
i!                             dilationA: type=int; val=[1,1];
i!                         yDesc: type=CUDNN_BACKEND_TENSOR_DESCRIPTOR:
i!                             dimA: type=int; val=[1,64,28,28];
i!                 engine_id: type=int; val=28;
i!                 knobDesc: type=cudnnBackendDescriptor_t:
i!                     CUDNN_KNOB_TYPE_TILE_SIZE: type=int; val=4;
i!                     CUDNN_KNOB_TYPE_USE_TEX: type=int; val=0;
i! Time: 2026-11-21T16:09:04.382859 (0d+0h+0m+0s since start)
i! Process=2198; Thread=2198; GPU=0; Handle=0x12a41080; StreamId=(nil) (defaultStream).

)";

const std::string normalise = R"(
I! CuDNN (v91900 56) function cudnnBatchNormalizationForwardInference() called:
i!     mode: type=cudnnBatchNormMode_t; val=CUDNN_BATCHNORM_SPATIAL (1);
i!     xDesc: type=cudnnTensorDescriptor_t:
i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_FLOAT (0);
i!         dimA: type=int; val=[1,64,112,112];
i!         strideA: type=int; val=[802816,12544,112,1];
i!     epsilon: type=double; val=1e-05;
i! Time: 2026-11-21T16:09:04.392022 (0d+0h+0m+0s since start)
i! Process=2198; Thread=2198; GPU=0; Handle=0x12a41080; StreamId=(nil) (defaultStream).
)";

TEST(ApiLog, CudnnGraphsHaveEngineAndLayout) {
  const auto calls = api_calls(execute + normalise);
  ASSERT_EQ(calls.size(), 2);
  EXPECT_EQ(calls[0].library, "cudnn");
  EXPECT_EQ(calls[0].problem, "conv/1x32x56x56_k64x3x3_p1.1.1.1_s2x2_d1x1_g2");
  EXPECT_EQ(calls[0].algorithm, "engine 28 TILE_SIZE=4 USE_TEX=0");
  EXPECT_EQ(calls[0].data, Precision::fp16);
  EXPECT_EQ(calls[0].layout, Layout::nhwc);
  EXPECT_EQ(calls[1].problem, "batchnorm/1x64x112x112_e1e-05");
  EXPECT_EQ(calls[1].data, Precision::fp32);
  EXPECT_EQ(calls[1].layout, Layout::nchw);
}

TEST(ApiLog, CudnnCallsHaveTheAlgorithm) {
  const auto calls = api_calls(R"(I! CuDNN (v8204) function cudnnConvolutionForward() called:
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
i!         groupCount: type=int; val=1;
i!     algo: type=cudnnConvolutionFwdAlgo_t; val=CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM (1);
i! Process=1; Thread=1; GPU=0; Handle=0x1; StreamId=(nil) (defaultStream).
)");
  ASSERT_EQ(calls.size(), 1);
  EXPECT_EQ(calls[0].problem, "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1");
  EXPECT_EQ(calls[0].algorithm, "implicit_precomp_gemm");
}

/// A log entry of a convolution's gradient in a graph, with the given tensor names.
std::string graph_gradient(const std::string& operation, const std::string& input,
                           const std::string& weights, const std::string& output) {
  const auto tensor = [](const std::string& name, const std::string& extents,
                         const std::string& strides) {
    return "i!                         " + name +
           ": type=CUDNN_BACKEND_TENSOR_DESCRIPTOR:\n"
           "i!                             type: type=cudnnDataType_t; val=CUDNN_DATA_BFLOAT16 "
           "(9);\n"
           "i!                             dimA: type=int; val=" +
           extents +
           ";\n"
           "i!                             strideA: type=int; val=" +
           strides + ";\n";
  };
  return R"(I! CuDNN (v91900 56) function cudnnBackendExecute() called:
i!     executionPlan: type=CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
i!         engcfg: type=CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
i!             engine: type=CUDNN_BACKEND_ENGINE_DESCRIPTOR:
i!                 opGraph: type=CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
i!                     operation: type=CUDNN_BACKEND_OPERATION_)" +
         operation + "_DESCRIPTOR:\n" + tensor(input, "[32,64,56,56]", "[200704,1,3584,64]") +
         tensor(weights, "[128,64,3,3]", "[576,1,192,64]") +
         R"(i!                         convDesc: type=CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
i!                             upperPadA: type=int; val=[1,1];
i!                             lowerPadA: type=int; val=[1,1];
i!                             strideA: type=int; val=[2,2];
i!                             dilationA: type=int; val=[1,1];
)" + tensor(output, "[32,128,28,28]", "[100352,1,3584,128]") +
         R"(i!                 engine_id: type=int; val=5;
i! Process=1; Thread=1; GPU=0; Handle=0x1; StreamId=(nil) (defaultStream).
)";
}

TEST(ApiLog, GradientsOfConvolutionsInGraphs) {
  // 28 * 2 - 2 + 3 - 2 = 55 of 56 pixels are reached: an end pad of 0.
  const std::string data = "deconv/32x128x28x28_k64x3x3_p1.1.0.0_s2x2_d1x1_g1";
  const std::string filter = "conv_bwd_filter/32x64x56x56_k128x3x3_p1.1.1.1_s2x2_d1x1_g1";
  for (const std::string prefix : {"d", ""}) {
    const auto calls = api_calls(
        graph_gradient("CONVOLUTION_BACKWARD_DATA", prefix + "xDesc", "wDesc", prefix + "yDesc") +
        graph_gradient("CONVOLUTION_BACKWARD_FILTER", "xDesc", prefix + "wDesc", prefix + "yDesc"));
    ASSERT_EQ(calls.size(), 2);
    EXPECT_EQ(calls[0].problem, data);
    EXPECT_EQ(calls[0].data, Precision::bf16);
    EXPECT_EQ(calls[0].layout, Layout::nhwc);
    EXPECT_EQ(calls[0].algorithm, "engine 5");
    EXPECT_EQ(calls[1].problem, filter);
    EXPECT_EQ(calls[1].data, Precision::bf16);
  }
}

TEST(ApiLog, CallsOfTrainingSteps) {
  const std::string tensors = R"(i!     wDesc: type=cudnnFilterDescriptor_t:
i!         dimA: type=int; val=[4,3,3,3];
i!     dwDesc: type=cudnnFilterDescriptor_t:
i!         dimA: type=int; val=[4,3,3,3];
i!     xDesc: type=cudnnTensorDescriptor_t:
i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_FLOAT (0);
i!         dimA: type=int; val=[1,3,8,8];
i!         strideA: type=int; val=[192,64,8,1];
i!     dxDesc: type=cudnnTensorDescriptor_t:
i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_FLOAT (0);
i!         dimA: type=int; val=[1,3,8,8];
i!         strideA: type=int; val=[192,64,8,1];
i!     dyDesc: type=cudnnTensorDescriptor_t:
i!         dimA: type=int; val=[1,4,6,6];
i!     convDesc: type=cudnnConvolutionDescriptor_t:
i!         padA: type=int; val=[0,0];
i!         strideA: type=int; val=[1,1];
i!         dilationA: type=int; val=[1,1];
i!     epsilon: type=double; val=1e-05;
)";
  const auto entry = [&](const std::string& function, const std::string& algorithm) {
    return "I! CuDNN (v91900) function " + function + "() called:\n" + tensors +
           "i!     algo: type=x; val=" + algorithm +
           " (1);\ni! Process=1; Thread=1; GPU=0; Handle=0x1; StreamId=(nil).\n";
  };
  const auto calls =
      api_calls(entry("cudnnConvolutionBackwardData", "CUDNN_CONVOLUTION_BWD_DATA_ALGO_1") +
                entry("cudnnConvolutionBackwardFilter",
                      "CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED") +
                entry("cudnnBatchNormalizationForwardTrainingEx", "") +
                entry("cudnnBatchNormalizationBackwardEx", ""));
  ASSERT_EQ(calls.size(), 4);
  EXPECT_EQ(calls[0].problem, "deconv/1x4x6x6_k3x3x3_p0.0.0.0_s1x1_d1x1_g1");
  EXPECT_EQ(calls[0].algorithm, "algo_1");
  EXPECT_EQ(calls[1].problem, "conv_bwd_filter/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1");
  EXPECT_EQ(calls[1].algorithm, "winograd_nonfused");
  EXPECT_EQ(calls[2].problem, "batchnorm_training/1x3x8x8_e1e-05");
  EXPECT_EQ(calls[3].problem, "batchnorm_bwd/1x3x8x8_e1e-05");
}

TEST(ApiLog, ProductsAreColumnMajor) {
  // A linear layer with 1 row, 2048 inputs and 1000 outputs, weights stored as outputs x inputs.
  const auto lt = api_calls(
      "[2026-11-21 16:09:04][cublasLt][2198][Trace][cublasLtMatmul] A=0X7F Adesc=[type=R_32F "
      "rows=2048 cols=1000 ld=2048] B=0X7F Bdesc=[type=R_32F rows=2048 cols=1 ld=2048] C=0X7F "
      "Cdesc=[type=R_32F rows=1000 cols=1 ld=1000] D=0X7F Ddesc=[type=R_32F rows=1000 cols=1 "
      "ld=1000] computeDesc=[computeType=COMPUTE_32F scaleType=R_32F transa=OP_T "
      "epilogue=EPILOGUE_BIAS] algo=[algoId=13 customOption=75] beta=0 stream=0X0\n");
  ASSERT_EQ(lt.size(), 1);
  EXPECT_EQ(lt[0].library, "cublaslt");
  EXPECT_EQ(lt[0].problem, "gemm/m1_n1000_k2048_nt_bias");
  EXPECT_EQ(lt[0].algorithm, "algorithm 13");
  EXPECT_EQ(lt[0].data, Precision::fp32);

  const auto with = [](const std::string& epilogue, const std::string& beta) {
    const auto calls = api_calls(
        "[2026-11-24 23:21:58][cublasLt][4935][Trace][cublasLtMatmul] A=0X3 Adesc=[type=R_16BF "
        "rows=512 cols=256 ld=512] Bdesc=[type=R_16BF rows=512 cols=64 ld=512] "
        "Ddesc=[type=R_16BF rows=256 cols=64 ld=256] computeDesc=[computeType=COMPUTE_32F "
        "transa=OP_T" +
        epilogue + "] algo=[algoId=66] beta=" + beta + " outOfPlace=0\n");
    return calls.size() == 1 ? calls[0].problem : std::to_string(calls.size()) + " calls";
  };
  EXPECT_EQ(with("", "0"), "gemm/m64_n256_k512_nt");
  EXPECT_EQ(with("", "1"), "gemm/m64_n256_k512_nt_residual");
  EXPECT_EQ(with(" epilogue=EPILOGUE_RELU_BIAS", "0"), "gemm/m64_n256_k512_nt_bias_relu");
  EXPECT_EQ(with(" epilogue=EPILOGUE_GELU", "0"), "gemm/m64_n256_k512_nt_gelutanh");
  EXPECT_EQ(with(" epilogue=EPILOGUE_DRELU", "0"), "0 calls");
  EXPECT_EQ(with("", "0.5"), "0 calls");

  const auto classic = api_calls(
      R"(I! cuBLAS (v13.1.0) function cublasStatus_t cublasSgemm_v2(cublasHandle_t) called:
i!  handle: type=cublasHandle_t; val=POINTER (IN HEX:0x0xaa86490)
i!  transa: type=cublasOperation_t; val=CUBLAS_OP_T(1)
i!  transb: type=cublasOperation_t; val=CUBLAS_OP_N(0)
i!  m: type=int; val=1000
i!  n: type=int; val=8
i!  k: type=int; val=2048
i!Process=2198; Thread=1; GPU=0; Handle=POINTER (IN HEX:0x0x2002b960); StreamId=POINTER
)");
  ASSERT_EQ(classic.size(), 1);
  EXPECT_EQ(classic[0].library, "cublas");
  EXPECT_EQ(classic[0].problem, "gemm/m8_n1000_k2048_nt");
}

TEST(ApiLog, AnEntryCutShortIsLeftOut) {
  EXPECT_EQ(api_calls(normalise + execute.substr(0, execute.size() - 120)).size(), 1);
  const test::Folder folder;
  const auto file = folder.write("log", "I! CuDNN (v91900 56) function cudnnCreate() called:\n");
  EXPECT_THAT(error_of([&] { read_api_log(file); }),
              AllOf(HasSubstr(file.string() + ": "), HasSubstr("CUDNN_LOGLEVEL_DBG"),
                    Not(HasSubstr("\n"))));
}

TEST(ApiLog, CallsAreFoundInTheModelByOrderAndProblem) {
  const Layer conv{.name = "c",
                   .op = "Conv",
                   .inputs = {},
                   .problems = {"conv/1x32x56x56_k64x3x3_p1.1.1.1_s2x2_d1x1_g2"}};
  const Layer relu{.name = "r", .op = "Relu", .inputs = {0}, .problems = {"relu/1x64x28x28"}};
  const Graph graph{.model = "m", .layers = {conv, relu}};
  EXPECT_THAT(calls_of_layers(graph, api_calls(normalise + execute)),
              testing::ElementsAre(std::optional<std::size_t>(1), std::nullopt));
}

}  // namespace
}  // namespace benanza::analysis
