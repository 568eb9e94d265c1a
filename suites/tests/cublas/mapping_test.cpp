#include "suites/cublas/ways.h"

#include <gtest/gtest.h>

#include "suites/tests/cases/case_tests.h"
#include "suites/tests/cublas/host_blas.h"
#include "suites/verify/verify.h"

namespace benanza::cublas {
namespace {

Gemm gemm_of(const char* key) { return std::get<Gemm>(parse(key).shape); }

TEST(BlasGemm, RowMajorSwapsTheOperands) {
  // C^T (5 x 2) = B^T (5 x 3) A^T (3 x 2), B^T being B's own bits with leading dimension n.
  EXPECT_EQ(blas_gemm(gemm_of("gemm/m2_n5_k3_nn")), (BlasGemm{.transpose_first = false,
                                                              .transpose_second = false,
                                                              .m = 5,
                                                              .n = 2,
                                                              .k = 3,
                                                              .ld_first = 5,
                                                              .ld_second = 3,
                                                              .ld_result = 5,
                                                              .batches = 1,
                                                              .stride_result = 10,
                                                              .offsets_first = {},
                                                              .offsets_second = {}}));
}

TEST(BlasGemm, TransposesKeepTheirOperand) {
  const BlasGemm blas = blas_gemm(gemm_of("gemm/m2_n5_k3_tn"));
  EXPECT_FALSE(blas.transpose_first);
  EXPECT_TRUE(blas.transpose_second);
  EXPECT_EQ(blas.ld_second, 2);
  const BlasGemm other = blas_gemm(gemm_of("gemm/m2_n5_k3_nt"));
  EXPECT_TRUE(other.transpose_first);
  EXPECT_FALSE(other.transpose_second);
  EXPECT_EQ(other.ld_first, 3);
}

TEST(BlasGemm, BroadcastBatchHasStepZero) {
  const BlasGemm blas = blas_gemm(gemm_of("gemm/m2_n5_k3_nn_a1x1_b4x6"));
  EXPECT_TRUE(blas.strided());
  EXPECT_EQ(blas.batches, 24);
  EXPECT_EQ(blas.stride_first, 15);
  EXPECT_EQ(blas.stride_second, 0);
  EXPECT_EQ(blas.stride_result, 10);
}

TEST(BlasGemm, BroadcastAlongOneOfTwoAxesNeedsOffsets) {
  const BlasGemm blas = blas_gemm(gemm_of("gemm/m2_n5_k3_nn_a2x1_b1x3"));
  EXPECT_FALSE(blas.strided());
  EXPECT_EQ(blas.offsets_first, (std::vector<std::int64_t>{0, 15, 30, 0, 15, 30}));
  EXPECT_EQ(blas.offsets_second, (std::vector<std::int64_t>{0, 0, 0, 6, 6, 6}));
}

TEST(Folded, BatchesThatShareOneBAreOneProduct) {
  EXPECT_EQ(folded(gemm_of("gemm/m128_n768_k768_nn_a8_b1_w")),
            gemm_of("gemm/m1024_n768_k768_nn_w"));
  // A's rows are not consecutive when A is stored transposed, nor B's when B has batches.
  for (const char* key : {"gemm/m4_n6_k5_tn_a8_b1", "gemm/m4_n6_k5_nn_a8_b8", "gemm/m4_n6_k5_nn"}) {
    EXPECT_EQ(folded(gemm_of(key)), gemm_of(key)) << key;
  }
}

TEST(Packed, OnlyEightBitWeights) {
  const Gemm weights = gemm_of("gemm/m4_n6_k5_nn_w");
  EXPECT_EQ(packed(weights, Precision::fp16), weights);
  EXPECT_TRUE(packed(weights, Precision::int8).transpose_b);
  EXPECT_TRUE(packed(weights, Precision::fp8).transpose_b);
  EXPECT_FALSE(packed(gemm_of("gemm/m4_n6_k5_nn"), Precision::int8).transpose_b);
  EXPECT_EQ(input_formats(parse("gemm/m4_n6_k5_nn_w"), Precision::fp8)[1].strides, (Dims{1, 5}));
  EXPECT_EQ(input_formats(parse("gemm/m4_n6_k5_nt_w"), Precision::fp8)[1].strides, (Dims{5, 1}));
}

TEST(Packed, WeightsMayBeStoredTransposedOtherOperandsNot) {
  const auto asked = Weights::transposed;
  EXPECT_TRUE(packed(gemm_of("gemm/m4_n6_k5_nn_w"), Precision::fp32, asked).transpose_b);
  EXPECT_FALSE(packed(gemm_of("gemm/m4_n6_k5_nt_w"), Precision::fp32, asked).transpose_b);
  EXPECT_FALSE(packed(gemm_of("gemm/m4_n6_k5_nn"), Precision::fp32, asked).transpose_b);
  // 5x6 in memory as 6x5, and 6x5 as 5x6.
  EXPECT_EQ(input_formats(parse("gemm/m4_n6_k5_nn_w"), Precision::fp32, asked)[1].strides,
            (Dims{1, 5}));
  EXPECT_EQ(input_formats(parse("gemm/m4_n6_k5_nt_w"), Precision::fp32, asked)[1].strides,
            (Dims{1, 6}));
}

TEST(InputFormats, BiasOfEightBitFloatsIsBf16) {
  const Problem problem = parse("gemm/m4_n6_k5_nt_w_bias");
  EXPECT_EQ(input_formats(problem, Precision::fp8)[2].precision, Precision::bf16);
  EXPECT_EQ(input_formats(problem, Precision::fp16)[2].precision, Precision::fp16);
}

TEST(BlasGemv, OneRowAndOneColumn) {
  // 1 x 5 = (1 x 3) (3 x 5): B's bits are a column-major 5 x 3.
  EXPECT_EQ(
      blas_gemv(gemm_of("gemm/m1_n5_k3_nn")),
      (BlasGemv{
          .matrix_operand = 1, .transpose = false, .rows = 5, .columns = 3, .stride_result = 5}));
  EXPECT_EQ(
      blas_gemv(gemm_of("gemm/m1_n5_k3_nt")),
      (BlasGemv{
          .matrix_operand = 1, .transpose = true, .rows = 3, .columns = 5, .stride_result = 5}));
  // 2 x 1 = (2 x 3) (3 x 1): A's bits are a column-major 3 x 2.
  EXPECT_EQ(
      blas_gemv(gemm_of("gemm/m2_n1_k3_nn")),
      (BlasGemv{
          .matrix_operand = 0, .transpose = true, .rows = 3, .columns = 2, .stride_result = 2}));
}

TEST(BlasGemv, OnlyWhereOneOperandIsAVector) {
  EXPECT_FALSE(is_gemv(gemm_of("gemm/m2_n5_k3_nn")));
  EXPECT_TRUE(is_gemv(gemm_of("gemm/m1_n5_k3_nn_a7_b7")));
  EXPECT_FALSE(is_gemv(gemm_of("gemm/m1_n5_k3_nn_a2x1_b1x3")));
  // One row each, and one B: together a matrix.
  EXPECT_FALSE(is_gemv(folded(gemm_of("gemm/m1_n5_k3_nn_a7_b1"))));
}

class Mapping : public testing::TestWithParam<harness::Case> {
 protected:
  static harness::Variant variant() {
    const harness::Case& one = GetParam();
    return {one.problem, one.precision.value(), one.layout.value(), one.algorithm};
  }

  verify::VerificationCase cache_;
};

TEST_P(Mapping, AgreesWithTheReference) {
  HostBlas right(variant());
  const verify::VerificationResult result =
      verify::verify(right, variant().problem, variant().precision, cache_);
  EXPECT_TRUE(result.ok) << result.message;
}

TEST_P(Mapping, APlantedTransposeIsNoticed) {
  HostBlas wrong(variant(), true);
  bool noticed = false;
  try {
    noticed = !verify::verify(wrong, variant().problem, variant().precision, cache_).ok;
  } catch (const std::out_of_range&) {
    noticed = true;
  }
  EXPECT_TRUE(noticed);
}

INSTANTIATE_TEST_SUITE_P(Cases, Mapping, testing::ValuesIn(harness::cases_in(CASES, "mapping")),
                         harness::case_name);

}  // namespace
}  // namespace benanza::cublas
