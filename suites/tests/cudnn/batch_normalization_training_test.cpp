#include "suites/cudnn/ops/batch_normalization_training.h"

#include <gtest/gtest.h>

#include <array>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/api/shape.h"
#include "suites/cudnn/primitive/several_results.h"

namespace benanza::cudnn {
namespace {

using Algorithms = std::vector<harness::Algorithm>;

TEST(BatchNormalizationTrainingAlgorithms, TheExtendedCallIsForInnermostChannels) {
  EXPECT_EQ(batch_normalization_training_algorithms(Precision::fp16, Layout::nchw),
            (Algorithms{"spatial", "spatial_persistent"}));
  EXPECT_EQ(batch_normalization_training_algorithms(Precision::fp16, Layout::nhwc),
            (Algorithms{"spatial", "spatial_persistent", "spatial_persistent_ex"}));
  EXPECT_THROW(batch_normalization_training_algorithms(Precision::int8, Layout::nchw),
               harness::Unsupported);
}

TEST(BatchNormalizationTrainingAlgorithms, NamesAreModes) {
  EXPECT_EQ(parse_batch_normalization_training("spatial"),
            (BatchNormalizationWay{CUDNN_BATCHNORM_SPATIAL, false}));
  EXPECT_EQ(parse_batch_normalization_training("spatial_persistent"),
            (BatchNormalizationWay{CUDNN_BATCHNORM_SPATIAL_PERSISTENT, false}));
  EXPECT_EQ(parse_batch_normalization_training("spatial_persistent_ex"),
            (BatchNormalizationWay{CUDNN_BATCHNORM_SPATIAL_PERSISTENT, true}));
  EXPECT_THROW(parse_batch_normalization_training("persistent"), std::invalid_argument);
}

// 1 / sqrt(0.2344 + 0.0156) = 1 / sqrt(0.25) = 2.
TEST(InverseDeviation, ThereAndBack) {
  EXPECT_FLOAT_EQ(inverse_deviation(0.234375F, 0.015625F), 2);
  EXPECT_FLOAT_EQ(variance_of(2, 0.015625F), 0.234375F);
  EXPECT_EQ(inverse_deviations(std::array{0.234375F, 3.984375F}, 0.015625F),
            (std::vector<float>{2, 0.5}));
  for (const float variance : {0.01F, 1.0F, 123.0F}) {
    EXPECT_NEAR(variance_of(inverse_deviation(variance, 1e-5F), 1e-5F) / variance, 1, 1e-6);
  }
}

// 1 x c x 1 x 1 in fp32, whatever the precision of the data.
TEST(BatchNormalizationVectors, AreFloatsOfTheChannels) {
  for (const Dims& dims : {Dims{8, 64, 14, 14}, Dims{8, 64}, Dims{2, 64, 4, 4, 4}}) {
    const auto vectors =
        make_batch_norm_vectors(make_tensor(dense(Precision::fp16, dims, Layout::nchw)));
    cudnnDataType_t type = CUDNN_DATA_HALF;
    int rank = 0;
    std::array<int, CUDNN_DIM_MAX> extents{};
    std::array<int, CUDNN_DIM_MAX> strides{};
    ASSERT_EQ(cudnnGetTensorNdDescriptor(vectors.get(), CUDNN_DIM_MAX, &type, &rank, extents.data(),
                                         strides.data()),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(type, CUDNN_DATA_FLOAT);
    for (int axis = 0; axis < rank; ++axis) {
      EXPECT_EQ(extents[static_cast<std::size_t>(axis)], axis == 1 ? 64 : 1);
    }
  }
}

}  // namespace
}  // namespace benanza::cudnn
