#include <gtest/gtest.h>

#include "suites/cublas/backend.h"
#include "suites/cublas/ops/lt/lt.h"
#include "suites/harness/int8_scale.h"

namespace benanza::cublas {
namespace {

template <class T>
T attribute_of(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute) {
  T value{};
  std::size_t written = 0;
  check(cublasLtMatmulDescGetAttribute(operation, attribute, &value, sizeof value, &written),
        "get");
  return value;
}

template <class T>
T attribute_of(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute) {
  T value{};
  std::size_t written = 0;
  check(cublasLtMatrixLayoutGetAttribute(layout, attribute, &value, sizeof value, &written), "get");
  return value;
}

struct Matrix {
  std::uint64_t rows;
  std::uint64_t columns;
  std::int64_t ld;
  std::uint32_t type;
  bool operator==(const Matrix&) const = default;
};

Matrix matrix(cublasLtMatrixLayout_t layout) {
  return {attribute_of<std::uint64_t>(layout, CUBLASLT_MATRIX_LAYOUT_ROWS),
          attribute_of<std::uint64_t>(layout, CUBLASLT_MATRIX_LAYOUT_COLS),
          attribute_of<std::int64_t>(layout, CUBLASLT_MATRIX_LAYOUT_LD),
          attribute_of<std::uint32_t>(layout, CUBLASLT_MATRIX_LAYOUT_TYPE)};
}

TEST(LtMatmul, DescriptorsOfATransposedWeightWithBias) {
  LtMatmul matmul(parse("gemm/m2_n5_k3_nt_w_bias"), Precision::fp16);
  EXPECT_EQ(matrix(matmul.first()), (Matrix{3, 5, 3, CUDA_R_16F}));
  EXPECT_EQ(matrix(matmul.second()), (Matrix{3, 2, 3, CUDA_R_16F}));
  EXPECT_EQ(matrix(matmul.result()), (Matrix{5, 2, 5, CUDA_R_16F}));
  const auto operation = matmul.operation();
  EXPECT_EQ(attribute_of<std::int32_t>(operation, CUBLASLT_MATMUL_DESC_TRANSA), CUBLAS_OP_T);
  EXPECT_EQ(attribute_of<std::int32_t>(operation, CUBLASLT_MATMUL_DESC_TRANSB), CUBLAS_OP_N);
  EXPECT_EQ(attribute_of<std::uint32_t>(operation, CUBLASLT_MATMUL_DESC_EPILOGUE),
            CUBLASLT_EPILOGUE_BIAS);
  EXPECT_EQ(attribute_of<std::int32_t>(operation, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE), CUDA_R_16F);
  EXPECT_EQ(attribute_of<std::int32_t>(operation, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE),
            CUBLAS_COMPUTE_32F);
  EXPECT_EQ(matmul.alpha(), 1);
  int bias = 0;
  matmul.set_bias(&bias);
  EXPECT_EQ(attribute_of<void*>(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER), &bias);
}

TEST(LtMatmul, Fp32IsPedanticAndTf32IsNot) {
  const Problem problem = parse("gemm/m2_n5_k3_nn");
  const auto compute = [&](Precision precision) {
    return attribute_of<std::int32_t>(LtMatmul(problem, precision).operation(),
                                      CUBLASLT_MATMUL_DESC_COMPUTE_TYPE);
  };
  EXPECT_EQ(compute(Precision::fp32), CUBLAS_COMPUTE_32F_PEDANTIC);
  EXPECT_EQ(compute(Precision::tf32), CUBLAS_COMPUTE_32F_FAST_TF32);
}

TEST(LtMatmul, EightBitFloatsArePackedAndLeaveABf16MatrixUnread) {
  const LtMatmul matmul(parse("gemm/m16_n32_k64_nn_w"), Precision::fp8);
  EXPECT_EQ(attribute_of<std::int32_t>(matmul.operation(), CUBLASLT_MATMUL_DESC_TRANSA),
            CUBLAS_OP_T);
  EXPECT_EQ(matrix(matmul.first()), (Matrix{64, 32, 64, CUDA_R_8F_E4M3}));
  EXPECT_EQ(matrix(matmul.residual()), (Matrix{32, 16, 32, CUDA_R_16BF}));
  EXPECT_EQ(matrix(matmul.result()), (Matrix{32, 16, 32, CUDA_R_8F_E4M3}));
}

// Weights are the first factor. Results of 16 bits need no scale.
TEST(LtMatmul, InBlocksBothFactorsHaveScales) {
  const LtMatmul matmul(parse("gemm/m16_n32_k256_nt_w"), Precision::fp8, Weights::in_blocks);
  const auto mode = [&](cublasLtMatmulDescAttributes_t factor) {
    return attribute_of<std::int32_t>(matmul.operation(), factor);
  };
  EXPECT_EQ(mode(CUBLASLT_MATMUL_DESC_A_SCALE_MODE), CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F);
  EXPECT_EQ(mode(CUBLASLT_MATMUL_DESC_B_SCALE_MODE), CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F);
  EXPECT_EQ(matrix(matmul.result()), (Matrix{32, 16, 32, CUDA_R_16BF}));
}

// The library treats C and D at the same address as one matrix, which then must have one layout.
TEST(LtMatmul, AnUnreadMatrixOfAnotherTypeHasNoAddress) {
  int result = 0;
  const Problem problem = parse("gemm/m16_n32_k64_nt");
  EXPECT_EQ(LtMatmul(problem, Precision::fp8).unread_at(&result), nullptr);
  for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8}) {
    const LtMatmul matmul(problem, precision);
    EXPECT_EQ(matmul.unread_at(&result), &result);
    EXPECT_EQ(matrix(matmul.residual()), matrix(matmul.result()));
  }
}

TEST(LtMatmul, RowsOfEightBitFloatsBeginAtMultiplesOf16Bytes) {
  EXPECT_NO_THROW(LtMatmul(parse("gemm/m7_n32_k64_nt"), Precision::fp8)) << "no row is 7 long";
  for (const char* key : {"gemm/m16_n1000_k64_nt", "gemm/m16_n32_k40_nt", "gemm/m7_n32_k64_tt"}) {
    EXPECT_THROW(LtMatmul(parse(key), Precision::fp8), harness::Unsupported) << key;
    EXPECT_NO_THROW(LtMatmul(parse(key), Precision::bf16)) << key;
  }
}

TEST(LtMatmul, BiasOfEightBitFloatsIsWhatTheUnreadMatrixIs) {
  const LtMatmul matmul(parse("gemm/m16_n32_k64_nt_w_bias"), Precision::fp8);
  EXPECT_EQ(attribute_of<std::int32_t>(matmul.operation(), CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE),
            CUDA_R_16BF);
  EXPECT_EQ(matrix(matmul.residual()).type, static_cast<std::uint32_t>(CUDA_R_16BF));
}

TEST(LtMatmul, Int8IsScaledInFp32) {
  const Problem problem = parse("gemm/m16_n32_k64_nt");
  const LtMatmul matmul(problem, Precision::int8);
  EXPECT_EQ(attribute_of<std::int32_t>(matmul.operation(), CUBLASLT_MATMUL_DESC_SCALE_TYPE),
            CUDA_R_32F);
  EXPECT_EQ(matmul.alpha(), harness::int8_scale(problem));
  EXPECT_EQ(matrix(matmul.result()).type, static_cast<std::uint32_t>(CUDA_R_8I));
}

TEST(LtMatmul, BatchesAreStrided) {
  const LtMatmul matmul(parse("gemm/m2_n5_k3_nn_a1_b4"), Precision::bf16);
  EXPECT_EQ(attribute_of<std::int32_t>(matmul.first(), CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT), 4);
  EXPECT_EQ(attribute_of<std::int64_t>(matmul.first(), CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET),
            15);
  EXPECT_EQ(
      attribute_of<std::int64_t>(matmul.second(), CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET), 0);
  EXPECT_EQ(
      attribute_of<std::int64_t>(matmul.result(), CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET), 10);
}

cublasLtEpilogue_t epilogue_of(const char* words, Precision precision = Precision::fp16) {
  const LtMatmul matmul(parse(std::string("gemm/m2_n5_k3_nt_w") + words), precision);
  return static_cast<cublasLtEpilogue_t>(
      attribute_of<std::uint32_t>(matmul.operation(), CUBLASLT_MATMUL_DESC_EPILOGUE));
}

TEST(LtMatmul, EveryEpilogueTheLibraryHas) {
  EXPECT_EQ(epilogue_of(""), CUBLASLT_EPILOGUE_DEFAULT);
  EXPECT_EQ(epilogue_of("_bias"), CUBLASLT_EPILOGUE_BIAS);
  EXPECT_EQ(epilogue_of("_relu"), CUBLASLT_EPILOGUE_RELU);
  EXPECT_EQ(epilogue_of("_bias_relu"), CUBLASLT_EPILOGUE_RELU_BIAS);
  EXPECT_EQ(epilogue_of("_bias_residual_relu"), CUBLASLT_EPILOGUE_RELU_BIAS);
  EXPECT_EQ(epilogue_of("_gelutanh"), CUBLASLT_EPILOGUE_GELU);
  EXPECT_EQ(epilogue_of("_bias_gelutanh"), CUBLASLT_EPILOGUE_GELU_BIAS);
  for (const char* words : {"_bias_gelu", "_bias_tanh", "_bias_clip_a0_b6", "_leakyrelu_a0.1"}) {
    EXPECT_THROW(epilogue_of(words), harness::Unsupported) << words;
  }
}

TEST(LtMatmul, TheResidualIsTheMatrixThatBetaCounts) {
  const LtMatmul without(parse("gemm/m2_n5_k3_nt_w_bias_relu"), Precision::fp16);
  EXPECT_EQ(without.beta(), 0);
  const LtMatmul with(parse("gemm/m2_n5_k3_nt_w_bias_residual_relu"), Precision::fp16);
  EXPECT_EQ(with.beta(), 1);
  EXPECT_EQ(matrix(with.residual()), (Matrix{5, 2, 5, CUDA_R_16F}));
  EXPECT_EQ(matrix(with.residual()), matrix(with.result()));
}

TEST(LtMatmul, ResidualsOf8BitFloatsHave16) {
  const Problem problem = parse("gemm/m16_n32_k64_nt_w_bias_residual");
  EXPECT_EQ(matrix(LtMatmul(problem, Precision::fp8).residual()),
            (Matrix{32, 16, 32, CUDA_R_16BF}));
  const auto formats = input_formats(problem, Precision::fp8);
  EXPECT_EQ(formats.at(2).precision, Precision::bf16);
  EXPECT_EQ(formats.at(3).precision, Precision::bf16);
  const Problem integers = parse("gemm/m16_n32_k64_nt_w_residual");
  EXPECT_EQ(matrix(LtMatmul(integers, Precision::int8).residual()),
            (Matrix{32, 16, 32, CUDA_R_8I}));
  EXPECT_EQ(input_formats(integers, Precision::int8).at(2).precision, Precision::int8);
}

TEST(LtMatmul, WhatDescriptorsCannotSayIsUnsupported) {
  EXPECT_THROW(LtMatmul(parse("gemm/m2_n5_k3_nn_a2x1_b1x3"), Precision::fp32),
               harness::Unsupported);
  EXPECT_THROW(LtMatmul(parse("gemm/m2_n5_k3_nt_w_bias"), Precision::int8), harness::Unsupported);
}

TEST(CublasCheck, RefusalsAreUnsupportedInTheLibrarysWords) {
  try {
    check(CUBLAS_STATUS_NOT_SUPPORTED, "cublasGemmEx");
    FAIL();
  } catch (const harness::Unsupported& refusal) {
    EXPECT_STREQ(refusal.what(),
                 "cublasGemmEx: CUBLAS_STATUS_NOT_SUPPORTED, the requested functionality is not "
                 "supported");
  }
  EXPECT_THROW(check(CUBLAS_STATUS_ALLOC_FAILED, "x"), std::bad_alloc);
}

}  // namespace
}  // namespace benanza::cublas
