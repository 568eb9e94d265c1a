// What NVIDIA's logs say besides a problem's sizes.
#include <gmock/gmock.h>

#include "record/logs/shared/nvidia_log.h"
#include "record/tests/nvidia_texts.h"

namespace benanza::record::unsaid {
namespace {

using namespace test;
using testing::HasSubstr;

/// Of a log's only call.
CallProblems meaning(const std::string& log) {
  const std::vector<Log> logs = library_logs();
  CallProblems found;
  NvidiaLogReader().feed(log, [&](const LogEntry& entry) {
    const auto call = call_of(logs, entry.text.source, entry.words);
    if (call) found = problems_of_call(logs, call_text(*call));
  });
  return found;
}

std::string key(const std::string& log) {
  const CallProblems found = meaning(log);
  return found.problems.size() == 1 ? benanza::key(found.problems.front()) : found.reason;
}

std::string field(const std::string& name, const std::string& value) {
  return "i!  " + name + ": type=int; val=" + value + "\n";
}

/// cuBLAS 13.1: 256x512, transposed in memory, by 512x64.
std::string blas(const std::string& function, const std::string& fields,
                 const std::string& mode = "CUBLAS_DEFAULT_MATH") {
  return "I! cuBLAS (v13.1.0) function cublasStatus_t " + function + "(cublasHandle_t) called:\n" +
         field("transa", "CUBLAS_OP_T(1)") + field("transb", "CUBLAS_OP_N(0)") + field("m", "256") +
         field("n", "64") + field("k", "512") + fields +
         "i!Process=21; Thread=1; GPU=0; Handle=POINTER (IN HEX:0x0x2002b960); StreamId=POINTER "
         "(IN HEX:0x(nil)) (defaultStream); MathMode=" +
         mode + "\n";
}

std::string types(const std::string& a, const std::string& b, const std::string& c) {
  return field("Atype", "CUDA_" + a + "(2)") + field("Btype", "CUDA_" + b + "(2)") +
         field("Ctype", "CUDA_" + c + "(2)");
}

std::string computes(const std::string& type) {
  return field("computeType", "CUBLAS_COMPUTE_" + type + "(68)");
}

constexpr const char* plain = "gemm/m64_n256_k512_nt";
const std::string floats = types("R_32F", "R_32F", "R_32F");
const std::string halves = types("R_16F", "R_16F", "R_16F");

TEST(CublasUnsaid, MathModesAllowTf32) {
  const std::string tf32 = "CUBLAS_TF32_TENSOR_OP_MATH";
  EXPECT_EQ(meaning(blas("cublasSgemm_v2", "")).precision, Precision::fp32);
  EXPECT_EQ(meaning(blas("cublasSgemm_v2", "", tf32)).precision, Precision::tf32);
  EXPECT_EQ(key(blas("cublasSgemm_v2", "", tf32)), plain);
  const auto of = [&](const std::string& compute, const std::string& mode) {
    return meaning(blas("cublasGemmEx", floats + computes(compute), mode)).precision;
  };
  EXPECT_EQ(of("32F", tf32), Precision::tf32);
  EXPECT_EQ(of("32F_PEDANTIC", tf32), Precision::fp32);
  EXPECT_EQ(of("32F_FAST_TF32", "CUBLAS_DEFAULT_MATH"), Precision::tf32);
  EXPECT_EQ(meaning(blas("cublasGemmEx", halves + computes("32F"), tf32)).precision,
            Precision::fp16);
  EXPECT_THAT(key(blas("cublasSgemm_v2", "", "CUBLAS_FP32_EMULATED_BF16X9_MATH")),
              HasSubstr("MathMode CUBLAS_FP32_EMULATED_BF16X9_MATH"));
}

TEST(CublasUnsaid, OtherArithmeticIsNoProblem) {
  const auto of = [](const std::string& types, const std::string& compute) {
    return key(blas("cublasGemmEx", types + computes(compute)));
  };
  EXPECT_THAT(of(halves, "16F"), HasSubstr("computeType CUBLAS_COMPUTE_16F"));
  EXPECT_THAT(of(floats, "32F_EMULATED_16BFX9"), HasSubstr("COMPUTE_32F_EMULATED_16BFX9"));
  EXPECT_EQ(of(types("R_8I", "R_8I", "R_32I"), "32I"), plain);
  EXPECT_THAT(key(blas("cublasHgemm", "")), HasSubstr("sums in fp16"));
  EXPECT_THAT(key(blas("cublasDgemm_v2", "")), HasSubstr("operands of R_64F"));
  EXPECT_THAT(key(blas("cublasCgemm_v2", "")), HasSubstr("operands of C_32F"));
  EXPECT_THAT(key(blas("cublasCgemm_v2", "")), HasSubstr(plain)) << "sizes keep calls apart";
  EXPECT_EQ(key(blas("cublasSgemm_v2", field("beta", "POINTER (IN HEX:0x0x7ff)"))), plain);
  EXPECT_EQ(key(blas("cublasSgemm_v2", field("beta", "1.000000"))),
            std::string(plain) + "_residual");
  EXPECT_THAT(key(blas("cublasSgemm_v2", field("beta", "0.500000"))), HasSubstr("beta 0.5"));
}

TEST(CublasUnsaid, ResultsAndGapsAreTold) {
  const auto wider = meaning(blas("cublasGemmEx", types("R_16F", "R_16F", "R_32F")));
  EXPECT_TRUE(wider.taken_as_operands);
  EXPECT_FALSE(wider.taken_as_dense);
  const auto of = [](int a, int b, int c) {
    return meaning(blas("cublasSgemm_v2", field("lda", std::to_string(a)) +
                                              field("ldb", std::to_string(b)) +
                                              field("ldc", std::to_string(c))))
        .taken_as_dense;
  };
  EXPECT_FALSE(of(512, 512, 256));
  EXPECT_TRUE(of(600, 512, 256));
  EXPECT_TRUE(of(512, 512, 300));
  EXPECT_FALSE(meaning(blas("cublasGemmEx", halves)).taken_as_operands);
}

TEST(CublasUnsaid, OneMatrixForAllBatches) {
  const auto of = [](const std::string& a, const std::string& b) {
    return blas("cublasGemmStridedBatchedEx", halves + field("strideA", a) + field("strideB", b) +
                                                  field("strideC", "16384") +
                                                  field("batchCount", "8"));
  };
  // The library's A is the row-major product's B: 256 * 512, 512 * 64 and 256 * 64 elements.
  EXPECT_EQ(key(of("131072", "32768")), "gemm/m64_n256_k512_nt_a8_b8");
  EXPECT_EQ(key(of("0", "32768")), "gemm/m64_n256_k512_nt_a8_b1");
  EXPECT_EQ(key(of("131072", "0")), "gemm/m64_n256_k512_nt_a1_b8");
  EXPECT_THAT(key(of("0", "0")), HasSubstr("one product for all of a batch"));
  EXPECT_FALSE(meaning(of("0", "32768")).taken_as_dense);
  EXPECT_TRUE(meaning(of("131072", "65536")).taken_as_dense);
}

/// Lines as cuBLASLt 13.1 logs them.
std::string lt(const std::string& types, const std::string& compute,
               const std::string& layouts = "", const std::string& beta = "0") {
  const std::string a = types.substr(0, types.find(' '));
  const std::string rest = types.substr(types.find(' ') + 1);
  const std::string b = rest.substr(0, rest.find(' '));
  const std::string d = rest.substr(rest.find(' ') + 1);
  return "[2026-12-01 15:29:25][cublasLt][497][Trace][cublasLtMatmul] A=0X7F Adesc=[type=" + a +
         " rows=512 cols=256 ld=512" + layouts + "] B=0X7F Bdesc=[type=" + b +
         " rows=512 cols=64 ld=512] C=0X7F Cdesc=[type=R_16BF rows=256 cols=64 ld=256] D=0X7F "
         "Ddesc=[type=" +
         d + " rows=256 cols=64 ld=256] computeDesc=[computeType=" + compute +
         " scaleType=R_32F transa=OP_T smCountTarget=132] algo=[algoId=66] workSpace=0X0 beta=" +
         beta + " outOfPlace=1 stream=0X0\n";
}
constexpr const char* bytes = "R_8F_E4M3 R_8F_E4M3 R_16BF";
constexpr const char* brains = "R_16BF R_16BF R_16BF";

TEST(CublasLtUnsaid, ScalesAndTypes) {
  const std::string scaled = "COMPUTE_32F aScalePointer=0x7f bScalePointer=0x7f";
  EXPECT_EQ(key(lt(bytes, scaled)), plain);
  EXPECT_EQ(meaning(lt(bytes, scaled)).precision, Precision::fp8);
  EXPECT_TRUE(meaning(lt(bytes, scaled)).taken_as_operands);
  EXPECT_EQ(key(lt(bytes, scaled + " fastAccumulationFlag=1 epilogue=EPILOGUE_BIAS "
                                   "biasPointer=0x7f biasDataType=14")),
            std::string(plain) + "_bias")
      << "as PyTorch calls it";
  EXPECT_EQ(key(lt(bytes, scaled + " aScaleMode=SCALAR_32F")), plain);
  for (const std::string mode :
       {"VEC32_UE8M0", "VEC16_UE4M3", "OUTER_VEC_32F", "BLK128x128_32F", "VEC128_32F"}) {
    EXPECT_THAT(key(lt(bytes, scaled + " bScaleMode=" + mode)), HasSubstr("bScaleMode=" + mode));
  }
  EXPECT_THAT(key(lt("R_8F_E4M3 R_8F_E5M2 R_16BF", scaled)),
              HasSubstr("operands of R_8F_E4M3 and R_8F_E5M2"));
  EXPECT_THAT(key(lt("R_8F_E5M2 R_8F_E5M2 R_16BF", scaled)), HasSubstr("operands of R_8F_E5M2"));
  EXPECT_THAT(key(lt("C_16BF C_16BF C_16BF", "COMPUTE_32F")), HasSubstr("operands of C_16BF"));
  EXPECT_THAT(key(lt("R_16BF R_16BF R_32F", "COMPUTE_32F", "", "1")),
              HasSubstr("Cdesc of R_16BF beside one of R_32F"));
  EXPECT_EQ(key(lt(brains, "COMPUTE_32F", "", "1")), std::string(plain) + "_residual");
  EXPECT_THAT(key(lt("R_16F R_16F R_16F", "COMPUTE_16F")), HasSubstr("computeType COMPUTE_16F"));
}

TEST(CublasLtUnsaid, EpiloguesFactorsAndFields) {
  for (const std::string epilogue :
       {"RELU_AUX", "GELU_AUX_BIAS", "BGRADB", "DGELU_BGRAD", "DRELU"}) {
    EXPECT_THAT(key(lt(brains, "COMPUTE_32F epilogue=EPILOGUE_" + epilogue)),
                HasSubstr("epilogue " + epilogue + ", " + plain));
  }
  // Version 13.1 writes this for every factor but 0.
  EXPECT_THAT(key(lt(brains, "COMPUTE_32F", "", "?")), HasSubstr("beta ?"));
  EXPECT_THAT(key(lt(brains, "COMPUTE_32F amaxDPointer=0x7f")), HasSubstr("amaxDPointer"));
  EXPECT_THAT(key(lt(brains, "COMPUTE_32F", " order=ORDER_ROW")), HasSubstr("order=ORDER_ROW"));
  EXPECT_EQ(key(lt(brains, "COMPUTE_32F", " order=ORDER_COL")), plain);
  EXPECT_EQ(key(lt(brains, "COMPUTE_32F pointerMode=MODE_DEVICE")), plain);
}

TEST(CublasLtUnsaid, OneMatrixForAllBatches) {
  // The line of PyTorch 2.11's product of eight matrices with one: offsets of 0 are left out.
  const auto line = [](const std::string& a, const std::string& b) {
    return "[x][cublasLt][497][Trace][cublasLtMatmul] A=0X7F Adesc=[type=R_16F rows=32 cols=128 "
           "ld=32 batchCount=8" +
           a + "] B=0X7F Bdesc=[type=R_16F rows=128 cols=71 ld=128 batchCount=8" + b +
           "] C=0X7F Cdesc=[type=R_16F rows=32 cols=71 ld=32 batchCount=8 stridedBatchOffset=2272] "
           "D=0X7F Ddesc=[type=R_16F rows=32 cols=71 ld=32 batchCount=8 stridedBatchOffset=2272] "
           "computeDesc=[computeType=COMPUTE_32F scaleType=R_32F] algo=[algoId=66] beta=0 x\n";
  };
  EXPECT_EQ(key(line(" stridedBatchOffset=4096", "")), "gemm/m71_n32_k128_nn_a1_b8");
  EXPECT_EQ(key(line(" stridedBatchOffset=4096", " stridedBatchOffset=9088")),
            "gemm/m71_n32_k128_nn_a8_b8");
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string factor(const std::string& name, const std::string& value) {
  return "i!     " + name + ": type=CUDNN_DATA_FLOAT; val=" + value + ";\n";
}

/// cudnnConvolutionForward; 1x3x8x8 with 4 filters of 3x3 gives 1x4x6x6.
std::string conv(const std::string& x, const std::string& w, const std::string& y,
                 const std::string& compute = "FLOAT (0)", const std::string& more = "") {
  std::string fields =
      with(convolution_fields, "i!         dimA",
           "i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_" + w + ";\ni!         dimA");
  fields = with(fields, "i!         padA",
                "i!         mode: type=cudnnConvolutionMode_t; val=CUDNN_CONVOLUTION (0);\n"
                "i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_" +
                    compute + ";\ni!         padA");
  return cudnn_entry("cudnnConvolutionForward",
                     tensor("xDesc", x, "[1,3,8,8]", "[192,64,8,1]") + fields +
                         tensor("yDesc", y, "[1,4,6,6]", "[144,36,6,1]") +
                         factor("alpha", "1.000000") + more);
}
constexpr const char* forward = "conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1";

TEST(CudnnUnsaid, TypesOfConvolutions) {
  EXPECT_EQ(key(conv("HALF (2)", "HALF (2)", "HALF (2)")), forward);
  EXPECT_EQ(key(conv("UINT8 (5)", "INT8 (3)", "INT8 (3)", "INT32 (4)")),
            std::string(forward) + "_u8");
  EXPECT_FALSE(meaning(conv("UINT8 (5)", "INT8 (3)", "INT8 (3)", "INT32 (4)")).taken_as_operands);
  EXPECT_THAT(key(conv("INT8x4 (6)", "INT8x4 (6)", "INT8x4 (6)", "INT32 (4)")),
              HasSubstr("operands of INT8x4, " + std::string(forward)));
  EXPECT_THAT(key(conv("DOUBLE (1)", "DOUBLE (1)", "DOUBLE (1)", "DOUBLE (1)")),
              HasSubstr("operands of DOUBLE"));
  EXPECT_THAT(key(conv("FLOAT (0)", "HALF (2)", "FLOAT (0)")),
              HasSubstr("wDesc of HALF beside one of FLOAT"));
  EXPECT_THAT(key(conv("HALF (2)", "HALF (2)", "HALF (2)", "HALF (2)")),
              HasSubstr("compute type HALF"));
  EXPECT_FALSE(meaning(conv("HALF (2)", "HALF (2)", "HALF (2)")).taken_as_operands);
  EXPECT_TRUE(meaning(conv("INT8 (3)", "INT8 (3)", "FLOAT (0)", "INT32 (4)")).taken_as_operands);
}

TEST(CudnnUnsaid, FactorsAndGapsOfConvolutions) {
  const auto of = [](const std::string& more) {
    return conv("HALF (2)", "HALF (2)", "HALF (2)", "FLOAT (0)", more);
  };
  EXPECT_EQ(key(of(factor("beta", "0.000000"))), forward);
  EXPECT_EQ(key(of(factor("beta", "1.000000"))), std::string(forward) + "_residual");
  EXPECT_THAT(key(of(factor("beta", "0.500000"))), HasSubstr("beta 0.5"));
  EXPECT_THAT(key(with(of(""), "val=1.000000", "val=0.500000")), HasSubstr("alpha 0.5"));
  EXPECT_FALSE(meaning(of("")).taken_as_dense);
  EXPECT_FALSE(meaning(with(of(""), "[192,64,8,1]", "[384,64,8,1]")).taken_as_dense)
      << "one image has none behind it";
  EXPECT_TRUE(meaning(with(of(""), "[192,64,8,1]", "[192,64,16,1]")).taken_as_dense);
  const std::string data = training_entry("cudnnConvolutionBackwardData", "x");
  const std::string filter = training_entry("cudnnConvolutionBackwardFilter", "x");
  const auto added = [](const std::string& text) {
    return with(text, "i!     epsilon", factor("beta", "1.000000") + "i!     epsilon");
  };
  EXPECT_EQ(key(added(data)), "deconv/1x4x6x6_k3x3x3_p0.0.0.0_s1x1_d1x1_g1_residual");
  EXPECT_THAT(key(added(filter)), HasSubstr("beta 1"));
}

TEST(CudnnUnsaid, FusedCalls) {
  EXPECT_THAT(key(fused_entry("ELU (4)", "0.000000")), HasSubstr("activation ELU"));
  EXPECT_THAT(key(fused_entry("CLIPPED_RELU (3)", "0.000000")),
              HasSubstr("activation CLIPPED_RELU"));
  EXPECT_THAT(key(fused_entry("RELU (1)", "0.300000")), HasSubstr("alpha2 0.3"));
  EXPECT_THAT(key(with(fused_entry("RELU (1)", "0.000000"), "1.000000", "0.500000")),
              HasSubstr("alpha1 0.5"));
}

/// As PyTorch 2.11 calls cuDNN 9.19.
std::string norm(const std::string& mode, const std::string& steps, const std::string& more = "",
                 const std::string& function = "cudnnBatchNormalizationForwardTrainingEx") {
  return cudnn_entry(
      function, "i!     mode: type=cudnnBatchNormMode_t; val=CUDNN_BATCHNORM_" + mode +
                    ";\ni!     bnOps: type=cudnnBatchNormOps_t; val=CUDNN_BATCHNORM_OPS_" + steps +
                    ";\n" + tensor("xDesc", "HALF (2)", "[6,64,8,8]", "[4096,1,512,64]") +
                    "i!     activationDesc: type=cudnnActivationDescriptor_t:\n"
                    "i!         mode: type=cudnnActivationMode_t; val=CUDNN_ACTIVATION_RELU (1);\n"
                    "i!     epsilon: type=double; val=1e-05;\n" +
                    more);
}

TEST(CudnnUnsaid, BatchNormalizations) {
  const std::string key_of_norm = "batchnorm_training/6x64x8x8_e1e-05";
  EXPECT_EQ(key(norm("SPATIAL_PERSISTENT (2)", "BN (0)")), key_of_norm);
  EXPECT_THAT(key(norm("SPATIAL (1)", "BN_ACTIVATION (1)")), HasSubstr("bnOps BN_ACTIVATION"));
  EXPECT_THAT(key(norm("SPATIAL (1)", "BN_ADD_ACTIVATION (2)")),
              HasSubstr("bnOps BN_ADD_ACTIVATION, " + key_of_norm));
  EXPECT_THAT(key(norm("PER_ACTIVATION (0)", "BN (0)")), HasSubstr("mode PER_ACTIVATION"));
  EXPECT_THAT(key(norm("SPATIAL (1)", "BN (0)", factor("beta", "1.000000"))), HasSubstr("beta 1"));
  EXPECT_THAT(key(norm("SPATIAL (1)", "BN (0)", factor("betaParamDiff", "1.000000"),
                       "cudnnBatchNormalizationBackwardEx")),
              HasSubstr("betaParamDiff 1"));
  EXPECT_THAT(key(norm("SPATIAL (1)", "BN (0)",
                       tensor("yDesc", "FLOAT (0)", "[6,64,8,8]", "[4096,1,512,64]"))),
              HasSubstr("yDesc of FLOAT beside one of HALF"));
  EXPECT_TRUE(meaning(norm("SPATIAL (1)", "BN (0)",
                           tensor("yDesc", "HALF (2)", "[6,64,8,8]", "[8192,1,1024,128]")))
                  .taken_as_dense);
}

}  // namespace
}  // namespace benanza::record::unsaid
