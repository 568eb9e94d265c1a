#include "suites/cudnn/ops/pooling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "suites/tests/cudnn/shapes.h"

namespace benanza::cudnn {
namespace {

using Algorithms = std::vector<harness::Algorithm>;

std::vector<PoolingWay> ways(std::string_view key) {
  return pooling_gradient_ways(shape_of<PoolingGradient>(key), Precision::fp16);
}

Algorithms gradient_algorithms(std::string_view key) {
  Algorithms names;
  for (const PoolingWay& way : ways(key)) names.emplace_back(way.name);
  return names;
}

/// Of the way of that name.
PoolingCall mapped_pooling_gradient(std::string_view key, std::string_view name) {
  const auto all = ways(key);
  const auto way = std::ranges::find(all, name, &PoolingWay::name);
  return map_pooling_gradient(shape_of<PoolingGradient>(key), Precision::fp32, Layout::nchw, *way);
}

constexpr std::string_view resnet_max = "maxpool_bwd/32x64x112x112_k3x3_p1.1.1.1_s2x2_d1x1";
constexpr std::string_view uneven_max = "maxpool_bwd/1x64x112x112_k3x3_p0.0.1.1_s2x2_d1x1";

TEST(PoolingGradientAlgorithms, OfMaxAlsoTheDeterministicOne) {
  EXPECT_EQ(gradient_algorithms(resnet_max), (Algorithms{"direct", "direct.deterministic"}));
  EXPECT_EQ(
      gradient_algorithms(uneven_max),
      (Algorithms{"direct", "direct.deterministic", "padded_input", "padded_input.deterministic"}));
  EXPECT_EQ(gradient_algorithms("avgpool_bwd/1x8x8x8_k3x3_p1.1.1.1_s1x1_d1x1_exclude"),
            Algorithms{"direct"});
  EXPECT_EQ(gradient_algorithms("avgpool_bwd/1x64x112x112_k3x3_p0.0.1.1_s2x2_d1x1_include"),
            Algorithms{"padded_input"});
  EXPECT_THROW(pooling_gradient_ways(shape_of<PoolingGradient>(resnet_max), Precision::int8),
               harness::Unsupported);
}

TEST(MapPoolingGradient, TheNameIsTheMode) {
  EXPECT_EQ(mapped_pooling_gradient(resnet_max, "direct").mode, CUDNN_POOLING_MAX);
  EXPECT_EQ(mapped_pooling_gradient(resnet_max, "direct.deterministic").mode,
            CUDNN_POOLING_MAX_DETERMINISTIC);
  EXPECT_EQ(
      mapped_pooling_gradient("avgpool_bwd/1x8x8x8_k2x2_p0.0.0.0_s2x2_d1x1_include", "direct").mode,
      CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING);
}

TEST(MapPoolingGradient, IsTheForwardCalls) {
  const auto call = mapped_pooling_gradient(uneven_max, "padded_input.deterministic");
  EXPECT_EQ(call.mode, CUDNN_POOLING_MAX_DETERMINISTIC);
  EXPECT_EQ(call.input.dims, (Dims{1, 64, 112, 112}));
  EXPECT_EQ(call.read_by_library().dims, (Dims{1, 64, 113, 113}));
  EXPECT_EQ(call.output.dims, (Dims{1, 64, 56, 56}));
  EXPECT_TRUE(std::isinf(call.border) && call.border < 0);
  EXPECT_FALSE(mapped_pooling_gradient(uneven_max, "direct.deterministic").padded);
  EXPECT_THROW(mapped_pooling_gradient("maxpool_bwd/1x8x8x8_k3x3_p0.0.0.0_s1x1_d2x2", "direct"),
               harness::Unsupported);
}

}  // namespace
}  // namespace benanza::cudnn
