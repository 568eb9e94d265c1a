#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/api/status.h"
#include "suites/cudnn/backend.h"
#include "suites/cudnn/primitive/library.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

TEST(Verdict, RefusalsAreNotFailures) {
  EXPECT_EQ(verdict(CUDNN_STATUS_SUCCESS), Verdict::success);
  EXPECT_EQ(verdict(CUDNN_STATUS_BAD_PARAM), Verdict::refused);
  EXPECT_EQ(verdict(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH), Verdict::refused);
  EXPECT_EQ(verdict(CUDNN_STATUS_NOT_SUPPORTED), Verdict::refused);
  EXPECT_EQ(verdict(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT), Verdict::refused);
  EXPECT_EQ(verdict(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED), Verdict::out_of_memory);
  EXPECT_EQ(verdict(CUDNN_STATUS_ALLOC_FAILED), Verdict::out_of_memory);
  // The library's compiler cannot compile what its heuristics offer.
  EXPECT_EQ(verdict(CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED), Verdict::refused);
  EXPECT_EQ(verdict(CUDNN_STATUS_INTERNAL_ERROR), Verdict::broken);
  EXPECT_EQ(verdict(CUDNN_STATUS_EXECUTION_FAILED), Verdict::broken);
  EXPECT_EQ(verdict(CUDNN_STATUS_NOT_INITIALIZED), Verdict::broken);
}

TEST(Words, NameTheCallAndTheStatus) {
  EXPECT_EQ(words(CUDNN_STATUS_NOT_SUPPORTED, "cudnnF", "c % 4 != 0"),
            "cudnnF: CUDNN_STATUS_NOT_SUPPORTED (c % 4 != 0)");
  EXPECT_EQ(words(CUDNN_STATUS_NOT_SUPPORTED, "cudnnF", ""), "cudnnF: CUDNN_STATUS_NOT_SUPPORTED");
}

// The library's message reaches the row.
TEST(MakeLrn, SizesAboveSixteenAreRefusedInTheLibrarysWords) {
  EXPECT_NO_THROW(make_lrn(5, 1e-4, 0.75, 1));
  try {
    make_lrn(17, 1e-4, 0.75, 1);
    FAIL() << "accepted";
  } catch (const harness::Unsupported& refusal) {
    EXPECT_THAT(refusal.what(),
                testing::AllOf(testing::HasSubstr("cudnnSetLRNDescriptor: CUDNN_STATUS_BAD_PARAM"),
                               testing::HasSubstr("n > 16")));
  }
}

TEST(MakeLrn, HoldsTheWindowAndTheFactorsAsGiven) {
  const auto lrn = make_lrn(5, 2e-4, 0.75, 2);
  unsigned size = 0;
  double alpha = 0;
  double beta = 0;
  double k = 0;
  ASSERT_EQ(cudnnGetLRNDescriptor(lrn.get(), &size, &alpha, &beta, &k), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(size, 5U);
  EXPECT_DOUBLE_EQ(alpha, 2e-4);
  EXPECT_DOUBLE_EQ(beta, 0.75);
  EXPECT_DOUBLE_EQ(k, 2);
}

TEST(StorageType, FollowsThePrecision) {
  EXPECT_EQ(storage_type(Precision::fp32), CUDNN_DATA_FLOAT);
  EXPECT_EQ(storage_type(Precision::tf32), CUDNN_DATA_FLOAT);
  EXPECT_EQ(storage_type(Precision::fp16), CUDNN_DATA_HALF);
  EXPECT_EQ(storage_type(Precision::bf16), CUDNN_DATA_BFLOAT16);
  EXPECT_EQ(storage_type(Precision::int8), CUDNN_DATA_INT8);
  EXPECT_THROW(storage_type(Precision::fp8), harness::Unsupported);
}

TEST(MakeTensor, HoldsExtentsAndSteps) {
  const auto tensor = make_tensor({Precision::fp16, {2, 3, 4, 5}, {60, 1, 15, 3}});
  cudnnDataType_t type{};
  std::array<int, 4> dims{};
  std::array<int, 4> strides{};
  int rank = 0;
  ASSERT_EQ(cudnnGetTensorNdDescriptor(tensor.get(), 4, &type, &rank, dims.data(), strides.data()),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(type, CUDNN_DATA_HALF);
  EXPECT_THAT(dims, testing::ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(strides, testing::ElementsAre(60, 1, 15, 3));
}

TEST(MakeFilter, IsToldWhereTheChannelsLie) {
  const auto format_of = [](Layout layout) {
    const auto filter = make_filter(dense(Precision::fp16, {8, 4, 3, 5}, layout), layout);
    cudnnDataType_t type{};
    cudnnTensorFormat_t format{};
    std::array<int, 4> dims{};
    int rank = 0;
    EXPECT_EQ(cudnnGetFilterNdDescriptor(filter.get(), 4, &type, &format, &rank, dims.data()),
              CUDNN_STATUS_SUCCESS);
    EXPECT_THAT(dims, testing::ElementsAre(8, 4, 3, 5));
    return format;
  };
  EXPECT_EQ(format_of(Layout::nchw), CUDNN_TENSOR_NCHW);
  EXPECT_EQ(format_of(Layout::nhwc), CUDNN_TENSOR_NHWC);
}

TEST(MakeTensor, MoreThan32BitsAreRefusedBeforeTheyAreCutOff) {
  const std::int64_t large = (std::int64_t{1} << 32) + 1;
  EXPECT_THROW(make_tensor({Precision::fp32, {1, 1, 1, large}, {large, large, large, 1}}),
               harness::Unsupported);
}

// 2^31 elements, with extents that each fit.
TEST(MakeTensor, TheLibraryRefusesTwoGigaElements) {
  EXPECT_THROW(make_tensor({Precision::fp16, {32768, 65536, 1, 1}, {65536, 1, 1, 1}}),
               harness::Unsupported);
}

TEST(BatchNormalizationVectors, AreFloatAndOnePerChannel) {
  const auto input = make_tensor({Precision::fp16, {2, 3, 4, 5}, {60, 20, 5, 1}});
  const auto vectors = make_batch_norm_vectors(input);
  cudnnDataType_t type{};
  std::array<int, 4> dims{};
  std::array<int, 4> strides{};
  int rank = 0;
  ASSERT_EQ(cudnnGetTensorNdDescriptor(vectors.get(), 4, &type, &rank, dims.data(), strides.data()),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(type, CUDNN_DATA_FLOAT);
  EXPECT_THAT(dims, testing::ElementsAre(1, 3, 1, 1));
}

bool covered(std::string_view key) { return !way_table().of(parse(key)).empty(); }

TEST(Ways, EveryOperatorHasSome) {
  for (const char* key :
       {"conv/1x8x4x4_k8x1x1_p0.0.0.0_s1x1_d1x1_g1", "maxpool/1x8x8x8_k3x3_p1.1.1.1_s2x2_d1x1",
        "batchnorm/1x8x4x4_e1e-05", "relu/1x8x4x4", "add/1x8_1x8", "softmax/1x8_a1",
        "lrn/1x8x4x4_n5_a1e-04_b0.75_k1", "reducemean/1x8x7x7_a2.3", "concat/1x2_2x2_a0",
        "copy/2x3_f3.1_t1.2", "deconv/1x8x4x4_k8x2x2_p0.0.0.0_s2x2_d1x1_g1",
        "lstm/t5_n2_i3_h4_l1_forward", "dropout/1x8_r0.5", "gemm/m8_n8_k8_nn",
        "select/1x8_va0_b1x8"}) {
    EXPECT_TRUE(covered(key)) << key;
  }
}

}  // namespace
}  // namespace benanza::cudnn
