#pragma once

#include <string>

/// What NVIDIA's libraries log, without the fields that are not read.
namespace benanza::record::test {

/// The lines behind an entry's last field; `time` as "2026-11-21T16:09:04.382859", or empty.
inline std::string end_of_entry(const std::string& time = "", const std::string& process = "2198",
                                const std::string& thread = "2198") {
  return (time.empty() ? "" : "i! Time: " + time + " (0d+0h+0m+0s since start)\n") +
         "i! Process=" + process + "; Thread=" + thread +
         "; GPU=0; Handle=0x12a41080; StreamId=(nil) (defaultStream).\n\n";
}

inline std::string cudnn_entry(const std::string& function, const std::string& fields,
                               const std::string& end = end_of_entry()) {
  return "I! CuDNN (v91900 56) function " + function + "() called:\n" + fields + end;
}

/// A tensor of a call: "xDesc", "HALF (2)", "[1,3,8,8]", "[192,1,24,3]".
inline std::string tensor(const std::string& name, const std::string& type,
                          const std::string& extents, const std::string& strides) {
  return "i!     " + name +
         ": type=cudnnTensorDescriptor_t:\n"
         "i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_" +
         type + ";\ni!         dimA: type=int; val=" + extents +
         ";\ni!         strideA: type=int; val=" + strides + ";\n";
}

/// Of a convolution of 1x3x8x8 with 4x3x3x3.
inline const std::string convolution_fields = R"(i!     wDesc: type=cudnnFilterDescriptor_t:
i!         dimA: type=int; val=[4,3,3,3];
i!     convDesc: type=cudnnConvolutionDescriptor_t:
i!         padA: type=int; val=[0,0];
i!         strideA: type=int; val=[1,1];
i!         dilationA: type=int; val=[1,1];
i!         groupCount: type=int; val=1;
)";
inline const std::string float_nchw = tensor("xDesc", "FLOAT (0)", "[1,3,8,8]", "[192,64,8,1]");
inline const std::string half_nhwc = tensor("xDesc", "HALF (2)", "[1,3,8,8]", "[192,1,24,3]");

inline std::string algorithm(const std::string& name) {
  return "i!     algo: type=cudnnConvolutionFwdAlgo_t; val=" + name + " (1);\n";
}

// PyTorch 2.11's calls as logged by cuDNN 9.19.
inline const std::string execute = R"(
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
)" + end_of_entry("2026-11-21T16:09:04.382859");

inline const std::string normalise =
    cudnn_entry("cudnnBatchNormalizationForwardInference",
                R"(i!     mode: type=cudnnBatchNormMode_t; val=CUDNN_BATCHNORM_SPATIAL (1);
)" + tensor("xDesc", "FLOAT (0)", "[1,64,112,112]", "[802816,12544,112,1]") +
                    "i!     epsilon: type=double; val=1e-05;\n",
                end_of_entry("2026-11-21T16:09:04.392022"));

/// A convolution's gradient in a graph, with the given tensor names.
inline std::string graph_gradient(const std::string& operation, const std::string& input,
                                  const std::string& weights, const std::string& output) {
  const auto tensor_of_graph = [](const std::string& name, const std::string& extents,
                                  const std::string& strides) {
    const std::string indent = "i!                         ";
    return indent + name + ": type=CUDNN_BACKEND_TENSOR_DESCRIPTOR:\n" + indent +
           "    type: type=cudnnDataType_t; val=CUDNN_DATA_BFLOAT16 (9);\n" + indent +
           "    dimA: type=int; val=" + extents + ";\n" + indent +
           "    strideA: type=int; val=" + strides + ";\n";
  };
  return cudnn_entry(
      "cudnnBackendExecute",
      R"(i!     executionPlan: type=CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
i!         engcfg: type=CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
i!             engine: type=CUDNN_BACKEND_ENGINE_DESCRIPTOR:
i!                 opGraph: type=CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
i!                     operation: type=CUDNN_BACKEND_OPERATION_)" +
          operation + "_DESCRIPTOR:\n" +
          tensor_of_graph(input, "[32,64,56,56]", "[200704,1,3584,64]") +
          tensor_of_graph(weights, "[128,64,3,3]", "[576,1,192,64]") +
          R"(i!                         convDesc: type=CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
i!                             upperPadA: type=int; val=[1,1];
i!                             lowerPadA: type=int; val=[1,1];
i!                             strideA: type=int; val=[2,2];
i!                             dilationA: type=int; val=[1,1];
)" + tensor_of_graph(output, "[32,128,28,28]", "[100352,1,3584,128]") +
          "i!                 engine_id: type=int; val=5;\n");
}

/// One of the older calls of a training step.
inline std::string training_entry(const std::string& function, const std::string& algorithm_name) {
  return cudnn_entry(function, convolution_fields +
                                   "i!     dwDesc: type=cudnnFilterDescriptor_t:\n"
                                   "i!         dimA: type=int; val=[4,3,3,3];\n" +
                                   float_nchw +
                                   tensor("dxDesc", "FLOAT (0)", "[1,3,8,8]", "[192,64,8,1]") +
                                   "i!     dyDesc: type=cudnnTensorDescriptor_t:\n"
                                   "i!         dimA: type=int; val=[1,4,6,6];\n"
                                   "i!     epsilon: type=double; val=1e-05;\n" +
                                   algorithm(algorithm_name));
}

/// cudnnConvolutionBiasActivationForward.
inline std::string fused_entry(const std::string& mode, const std::string& alpha2) {
  return cudnn_entry("cudnnConvolutionBiasActivationForward",
                     R"(i!     xDesc: type=cudnnTensorDescriptor_t:
i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_FLOAT (0);
i!         dimA: type=int; val=[1,3,8,8];
)" + convolution_fields +
                         "i!     alpha1: type=CUDNN_DATA_FLOAT; val=1.000000;\n"
                         "i!     alpha2: type=CUDNN_DATA_FLOAT; val=" +
                         alpha2 +
                         ";\ni!     activationDesc: type=cudnnActivationDescriptor_t:\n"
                         "i!         mode: type=cudnnActivationMode_t; val=CUDNN_ACTIVATION_" +
                         mode + ";\n");
}

/// A graph that no problem describes.
inline const std::string matmul_graph =
    cudnn_entry("cudnnBackendExecute",
                R"(i!     executionPlan: type=CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
i!         engine: type=CUDNN_BACKEND_ENGINE_DESCRIPTOR:
i!             opGraph: type=CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
i!                 operation: type=CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
i!                     aDesc: type=CUDNN_BACKEND_TENSOR_DESCRIPTOR:
i!                         type: type=cudnnDataType_t; val=CUDNN_DATA_HALF (2);
i!                         dimA: type=int; val=[8,12,128,64];
i!                 operation: type=CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
i!             engine_id: type=int; val=4;
)");

// JAX 0.11's calls as logged by cuDNN 9.19.
inline std::string tensor_of_graph(const std::string& name, const std::string& type,
                                   const std::string& extents, int uid) {
  const std::string indent = "i!                         ";
  return indent + name + ": type=CUDNN_BACKEND_TENSOR_DESCRIPTOR:\n" + indent +
         "    type: type=cudnnDataType_t; val=CUDNN_DATA_" + type + ";\n" + indent +
         "    dimA: type=int; val=" + extents + ";\n" + indent +
         "    uid: type=int64_t; val=" + std::to_string(uid) + ";\n";
}

inline std::string operation_of_graph(const std::string& name) {
  return "i!                     operation: type=CUDNN_BACKEND_OPERATION_" + name +
         "_DESCRIPTOR:\n";
}

inline std::string pointwise(const std::string& mode, const std::string& parameters, int x,
                             const std::string& other, int y, const std::string& alpha2) {
  const std::string indent = "i!                         ";
  return operation_of_graph("POINTWISE") + indent +
         "pwDesc: type=CUDNN_BACKEND_POINTWISE_DESCRIPTOR:\n" + indent +
         "    mode: type=cudnnPointwiseMode_t; val=CUDNN_POINTWISE_" + mode + ";\n" + parameters +
         tensor_of_graph("xDesc", "FLOAT (0)", "[32,256,14,14]", x) + other +
         tensor_of_graph("yDesc", "FLOAT (0)", "[32,256,14,14]", y) + indent +
         "alpha1: type=double; val=1;\n" + indent + "alpha2: type=double; val=" + alpha2 + ";\n";
}

inline std::string fused_graph(const std::string& steps) {
  return R"(I! CuDNN (v91900 56) function cudnnBackendExecute() called:
i!     handle: type=cudnnHandle_t:
i!         streamId: type=cudaStream_t; streamId=0x4c319b0;
i!     executionPlan: type=CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
i!         engcfg: type=CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
i!             engine: type=CUDNN_BACKEND_ENGINE_DESCRIPTOR:
i!                 opGraph: type=CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
)" + operation_of_graph("CONVOLUTION_FORWARD") +
         tensor_of_graph("xDesc", "BFLOAT16 (9)", "[32,1024,14,14]", 1) +
         tensor_of_graph("wDesc", "BFLOAT16 (9)", "[256,1024,1,1]", 2) +
         R"(i!                         convDesc: type=CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
i!                             upperPadA: type=int; val=[0,0];
i!                             lowerPadA: type=int; val=[0,0];
i!                             strideA: type=int; val=[1,1];
i!                             dilationA: type=int; val=[1,1];
)" + tensor_of_graph("yDesc", "FLOAT (0)", "[32,256,14,14]", 67) +
         steps + R"(i!                 engine_id: type=int; val=41;
i!                 knobDesc: type=cudnnBackendDescriptor_t:
i!                     CUDNN_KNOB_TYPE_TILEK: type=int; val=0;
i! Time: 2026-11-24T23:26:48.219742 (0d+0h+0m+15s since start)
i! Process=812; Thread=879; GPU=0; Handle=0x4ecf8a0; StreamId=0x4c319b0.

)";
}

inline const std::string bias_tensor = tensor_of_graph("bDesc", "BFLOAT16 (9)", "[1,256,1,1]", 98);
inline const std::string whole_tensor =
    tensor_of_graph("bDesc", "BFLOAT16 (9)", "[32,256,14,14]", 122);
inline const std::string open_relu =
    "i!                             ReluUpperClip: type=double; val=3.40282e+38;\n"
    "i!                             ReluLowerClip: type=double; val=0;\n"
    "i!                             ReluLowerClipSlope: type=double; val=0;\n";
inline const std::string relu_to_6 =
    "i!                             ReluUpperClip: type=double; val=6;\n";

/// A product of 8x2048 with 1000x2048, transposed, as cuBLAS 13.1 logs it.
inline const std::string cublas_product =
    R"(I! cuBLAS (v13.1.0) function cublasStatus_t cublasSgemm_v2(cublasHandle_t) called:
i!  handle: type=cublasHandle_t; val=POINTER (IN HEX:0x0xaa86490)
i!  transa: type=cublasOperation_t; val=CUBLAS_OP_T(1)
i!  transb: type=cublasOperation_t; val=CUBLAS_OP_N(0)
i!  m: type=int; val=1000
i!  n: type=int; val=8
i!  k: type=int; val=2048
i! Time: 1970-01-02T00:00:02 elapsed from start 0.000000 minutes or 0.000000 seconds
i!Process=21; Thread=140246488451968; GPU=0; Handle=POINTER (IN HEX:0x0x2002b960); StreamId=POINTER
i! COMPILED WITH: GNU GCC/G++ / 8.5.0
)";
inline const std::string cublas_batches =
    R"(I! cuBLAS (v13.1.0) function cublasStatus_t cublasGemmBatchedEx(cublasHandle_t) called:
i!Process=21; Thread=1; GPU=0; Handle=POINTER (IN HEX:0x0x2002b960)
)";

/// A product of cuBLASLt, with what it does behind it (" epilogue=EPILOGUE_BIAS").
inline std::string lt_product(const std::string& epilogue, const std::string& beta) {
  return "[2026-11-24 23:21:58][cublasLt][4935][Trace][cublasLtMatmul] A=0X3 Adesc=[type=R_16BF "
         "rows=512 cols=256 ld=512] Bdesc=[type=R_16BF rows=512 cols=64 ld=512] "
         "Ddesc=[type=R_16BF rows=256 cols=64 ld=256] computeDesc=[computeType=COMPUTE_32F "
         "transa=OP_T" +
         epilogue + "] algo=[algoId=66] beta=" + beta + " outOfPlace=0\n";
}

/// A linear layer with 1 row, 2048 inputs and 1000 outputs, weights stored as outputs x inputs.
inline const std::string lt_linear =
    "[2026-11-21 16:09:04][cublasLt][2198][Trace][cublasLtMatmul] A=0X7F Adesc=[type=R_32F "
    "rows=2048 cols=1000 ld=2048] B=0X7F Bdesc=[type=R_32F rows=2048 cols=1 ld=2048] C=0X7F "
    "Cdesc=[type=R_32F rows=1000 cols=1 ld=1000] D=0X7F Ddesc=[type=R_32F rows=1000 cols=1 "
    "ld=1000] computeDesc=[computeType=COMPUTE_32F scaleType=R_32F transa=OP_T "
    "epilogue=EPILOGUE_BIAS] algo=[algoId=13 customOption=75] beta=0 stream=0X0\n";

}  // namespace benanza::record::test
