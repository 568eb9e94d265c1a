#include "suites/cudnn/ops/batch_normalization_training.h"

#include <gmock/gmock.h>

#include <array>

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/primitive/call.h"
#include "suites/tests/cudnn/h100.h"

namespace benanza::cudnn {
namespace {

std::vector<std::string> names(Precision precision, Layout layout) {
  std::vector<std::string> names;
  for (const auto& way : batch_normalization_training_ways(precision, layout)) {
    names.emplace_back(way.name);
  }
  return names;
}

TEST(BatchNormalizationTrainingWays, TheExtendedCallIsForInnermostChannels) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(Precision::fp16, Layout::nchw), (Names{"spatial", "spatial_persistent"}));
  EXPECT_EQ(names(Precision::fp16, Layout::nhwc),
            (Names{"spatial", "spatial_persistent", "spatial_persistent_ex"}));
  EXPECT_THROW(names(Precision::int8, Layout::nchw), harness::Unsupported);
  const auto ways = batch_normalization_training_ways(Precision::fp16, Layout::nhwc);
  EXPECT_EQ(ways[0].mode, CUDNN_BATCHNORM_SPATIAL);
  EXPECT_EQ(ways[1].mode, CUDNN_BATCHNORM_SPATIAL_PERSISTENT);
  EXPECT_FALSE(ways[1].extended);
  EXPECT_EQ(ways[2].mode, CUDNN_BATCHNORM_SPATIAL_PERSISTENT);
  EXPECT_TRUE(ways[2].extended);
}

// 1 / sqrt(0.2344 + 0.0156) = 1 / sqrt(0.25) = 2.
TEST(InverseDeviation, ThereAndBack) {
  EXPECT_FLOAT_EQ(inverse_deviation(0.234375F, 0.015625F), 2);
  EXPECT_FLOAT_EQ(variance_of(2, 0.015625F), 0.234375F);
  const InverseDeviation deviation{.index = 4, .epsilon = 0.015625F};
  EXPECT_EQ(deviation.to_library_value().index, 4U);
  EXPECT_EQ(deviation.to_library_value().convert(0.234375F), 2);
  EXPECT_EQ(deviation.to_library_value().convert(3.984375F), 0.5);
  EXPECT_EQ(deviation.to_problem_value().convert(2), 0.234375F);
  for (const float variance : {0.01F, 1.0F, 123.0F}) {
    EXPECT_NEAR(variance_of(inverse_deviation(variance, 1e-5F), 1e-5F) / variance, 1, 1e-6);
  }
}

// With results of 10, 2 and 2 elements, place 11 is the second element of the second one.
TEST(PlacesOfPart, PlacesCountOnFromOneToTheNext) {
  const std::array<std::int64_t, 5> places{11, 0, 12, 9, 10};
  const auto first = nvidia::places_of_part(places, 0, 10);
  EXPECT_EQ(first.places, (std::vector<std::int64_t>{0, 9}));
  EXPECT_EQ(first.indices, (std::vector<std::size_t>{1, 3}));
  const auto second = nvidia::places_of_part(places, 10, 2);
  EXPECT_EQ(second.places, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(second.indices, (std::vector<std::size_t>{0, 4}));
  const auto third = nvidia::places_of_part(places, 12, 2);
  EXPECT_EQ(third.places, (std::vector<std::int64_t>{0}));
  EXPECT_EQ(third.indices, (std::vector<std::size_t>{2}));
}

// 1 x c x 1 x 1 in fp32 for every precision of the data.
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

// In: x, scale and bias; out: y, mean and inverse standard deviation.
TEST(BatchNormalizationTrainingGraph, HasTheProblemsOperandsAndResults) {
  const char* key = "batchnorm_training/32x64x56x56_e1e-05";
  const auto calls = batch_normalization_training_graphs(
      shape_of<BatchNormalizationTraining>(key), variant(key, Precision::fp16, Layout::nhwc));
  ASSERT_EQ(calls.size(), 1U);
  ASSERT_EQ(calls[0].inputs.size(), 3U);
  EXPECT_EQ(calls[0].inputs[1].precision, Precision::fp32);
  EXPECT_EQ(calls[0].output, calls[0].inputs[0]);
  ASSERT_EQ(calls[0].further_results.size(), 2U);
  EXPECT_EQ(calls[0].further_results[1].format.dims, (Dims{1, 64, 1, 1}));
  ASSERT_TRUE(calls[0].result_deviation);
  EXPECT_EQ(calls[0].result_deviation->index, 2U);
}

TEST(BatchNormalizationGradientGraph, HasTheProblemsOperandsAndResults) {
  const char* key = "batchnorm_bwd/32x64x56x56_e1e-05";
  const auto calls = batch_normalization_gradient_graphs(
      shape_of<BatchNormalizationGradient>(key), variant(key, Precision::fp16, Layout::nhwc));
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].inputs.size(), 5U);
  ASSERT_TRUE(calls[0].operand_deviation);
  EXPECT_EQ(calls[0].operand_deviation->index, 4U);
  EXPECT_EQ(calls[0].further_results.size(), 2U);
}

}  // namespace
}  // namespace benanza::cudnn
