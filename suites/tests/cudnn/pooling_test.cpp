#include "suites/cudnn/ops/pooling.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "suites/tests/cudnn/case_variants.h"
#include "suites/tests/cudnn/shapes.h"

namespace benanza::cudnn {
namespace {

using Algorithms = std::vector<harness::Algorithm>;

PoolingCall mapped_pooling(std::string_view key, const PoolingWay& way = pooling_direct) {
  return map_pooling(shape_of<Pooling>(key), Precision::fp32, Layout::nchw, way);
}

Algorithms algorithms(std::string_view key) {
  Algorithms names;
  for (const PoolingWay& way : pooling_ways(shape_of<Pooling>(key))) names.emplace_back(way.name);
  return names;
}

TEST(MapPooling, EveryModeIsItself) {
  EXPECT_EQ(mapped_pooling("maxpool/1x8x8x8_k3x3_p1.1.1.1_s2x2_d1x1").mode, CUDNN_POOLING_MAX);
  EXPECT_EQ(mapped_pooling("avgpool/1x8x8x8_k3x3_p1.1.1.1_s2x2_d1x1_include").mode,
            CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING);
  EXPECT_EQ(mapped_pooling("avgpool/1x8x8x8_k3x3_p1.1.1.1_s2x2_d1x1_exclude").mode,
            CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING);
}

TEST(MapPooling, HeightAndWidthKeepTheirPlaces) {
  const auto call = mapped_pooling("maxpool/1x8x10x20_k2x3_p0.1.0.1_s2x1_d1x1");
  EXPECT_EQ(call.kernel, (Dims{2, 3}));
  EXPECT_EQ(call.pads, (Dims{0, 1}));
  EXPECT_EQ(call.strides, (Dims{2, 1}));
  EXPECT_EQ(call.output.dims, (Dims{1, 8, 5, 20}));
}

TEST(MapPooling, OneAxisIsAnImageOfHeightOne) {
  const auto call = mapped_pooling("maxpool/1x8x20_k3_p1.1_s2_d1");
  EXPECT_EQ(call.input.dims, (Dims{1, 8, 1, 20}));
  EXPECT_EQ(call.kernel, (Dims{1, 3}));
  EXPECT_EQ(call.pads, (Dims{0, 1}));
  EXPECT_EQ(call.strides, (Dims{1, 2}));
  EXPECT_EQ(call.output.dims, (Dims{1, 8, 1, 10}));
}

// GoogLeNet's first pool: width 112, 3 taps, stride 2, rounded up to 56 by end pads of 1.
constexpr std::string_view ceil_max = "maxpool/1x64x112x112_k3x3_p0.0.1.1_s2x2_d1x1";

TEST(MapPooling, DirectReachesBeyondTheInput) {
  const auto call = mapped_pooling(ceil_max);
  EXPECT_FALSE(call.padded);
  EXPECT_EQ(call.pads, (Dims{0, 0}));
  EXPECT_EQ(call.read_by_library().dims, (Dims{1, 64, 112, 112}));
  EXPECT_EQ(call.output.dims, (Dims{1, 64, 56, 56}));
}

// Pads 2 and 1: the library's pad is 2, or 1 plus one row that the copy adds.
TEST(MapPooling, DirectUsesTheBeginPads) {
  const std::string_view key = "maxpool/1x8x9x9_k3x3_p2.2.1.1_s1x1_d1x1";
  EXPECT_EQ(mapped_pooling(key).pads, (Dims{2, 2}));
  EXPECT_EQ(mapped_pooling(key, pooling_padded_input).pads, (Dims{1, 1}));
  EXPECT_EQ(mapped_pooling(key, pooling_padded_input).read_by_library().dims, (Dims{1, 8, 10, 10}));
}

TEST(MapPooling, PaddedInputOfAMaximumHoldsTheLowestValue) {
  const auto call = mapped_pooling(ceil_max, pooling_padded_input);
  EXPECT_EQ(call.read_by_library().dims, (Dims{1, 64, 113, 113}));
  EXPECT_TRUE(std::isinf(call.border) && call.border < 0);
  EXPECT_EQ(call.output.dims, (Dims{1, 64, 56, 56}));
}

TEST(MapPooling, PaddedInputOfAnAverageHoldsZero) {
  const auto call =
      mapped_pooling("avgpool/1x64x112x112_k3x3_p0.0.1.1_s2x2_d1x1_include", pooling_padded_input);
  EXPECT_EQ(call.border, 0);
}

TEST(PoolingAlgorithms, OnlyUnequalPadsNeedAChoice) {
  EXPECT_EQ(algorithms("maxpool/1x8x8x8_k3x3_p1.1.1.1_s1x1_d1x1"), Algorithms{"direct"});
  EXPECT_EQ(algorithms(ceil_max), (Algorithms{"direct", "padded_input"}));
  EXPECT_EQ(algorithms("avgpool/1x64x112x112_k3x3_p0.0.1.1_s2x2_d1x1_exclude"),
            Algorithms{"direct"});
  EXPECT_EQ(algorithms("avgpool/1x64x112x112_k3x3_p0.0.1.1_s2x2_d1x1_include"),
            Algorithms{"padded_input"});
}

TEST(MapPooling, DilationIsRefused) {
  EXPECT_THROW(mapped_pooling("maxpool/1x8x8x8_k3x3_p0.0.0.0_s1x1_d2x2"), harness::Unsupported);
  EXPECT_NO_THROW(mapped_pooling("maxpool/1x8x8x8_k1x1_p0.0.0.0_s2x2_d2x2"));
}

TEST(RealPooling, AgreesOnTheOutput) {
  for (const harness::Variant& asked : variants_of<Pooling>("descriptors")) {
    SCOPED_TRACE(key(asked.problem));
    const auto& shape = std::get<Pooling>(asked.problem.shape);
    const auto call = map_pooling(shape, asked.precision, asked.layout, pooling_ways(shape).back());
    const auto tensor = make_tensor(call.read_by_library());
    const auto pooling = make_pooling(call.mode, call.kernel, call.pads, call.strides);
    std::array<int, CUDNN_DIM_MAX> dims{};
    const auto rank = static_cast<int>(call.output.dims.size());
    ASSERT_EQ(cudnnGetPoolingNdForwardOutputDim(pooling.get(), tensor.get(), rank, dims.data()),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(Dims(dims.begin(), dims.begin() + rank), call.output.dims);
  }
}

}  // namespace
}  // namespace benanza::cudnn
