#include "suites/cublas/ways.h"

#include <gmock/gmock.h>

#include "suites/verify/reference.h"

namespace benanza::cublas {
namespace {

std::optional<Product> product(const char* key, Layout layout) {
  return product_of(parse(key), layout);
}

TEST(Product, OfAGemmIsItself) {
  const auto found = product("gemm/m2_n5_k3_nt_w_bias_relu", Layout::plain);
  ASSERT_TRUE(found);
  EXPECT_EQ(key(found->problem()), "gemm/m2_n5_k3_nt_w_bias_relu");
  EXPECT_EQ(found->factor, 1);
}

TEST(Product, TakesANumberAsItsFactor) {
  const Activation half{.input = {}, .kind = ActivationKind::linear, .alpha = 0.5F, .beta = 0};
  Problem scores = parse("gemm/m2_n5_k3_nt_a4_b4");
  scores.epilogue.activation = half;
  const auto found = product_of(scores, Layout::plain);
  ASSERT_TRUE(found);
  EXPECT_EQ(key(found->problem()), "gemm/m2_n5_k3_nt_a4_b4");
  EXPECT_EQ(found->factor, 0.5F);
  scores.epilogue.activation->beta = 1;
  EXPECT_TRUE(product_of(scores, Layout::plain)->epilogue.activation) << "and adds another";
  scores.epilogue.activation = half;
  scores.epilogue.bias = true;
  EXPECT_TRUE(product_of(scores, Layout::plain)->epilogue.activation) << "a bias is scaled, too";
}

TEST(Product, PixelsByChannelsWhereChannelsLieInnermost) {
  const auto found =
      product("conv/2x64x7x5_k128x1x1_p0.0.0.0_s1x1_d1x1_g1_bias_relu", Layout::nhwc);
  ASSERT_TRUE(found);
  EXPECT_EQ(key(found->problem()), "gemm/m70_n128_k64_nt_w_bias_relu");
  EXPECT_EQ(found->sources[0], 0);
  EXPECT_EQ(found->sources[1], 1);
}

TEST(Product, ImagesByWeightsWhereTheWindowIsTheImage) {
  for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
    const auto found =
        product("conv/9x3x2x4x5_k8x2x4x5_p0.0.0.0.0.0_s2x4x5_d1x1x1_g1_bias", layout);
    ASSERT_TRUE(found);
    EXPECT_EQ(key(found->problem()), "gemm/m9_n8_k120_nt_w_bias");
    EXPECT_EQ(found->sources[0], 0);
    EXPECT_FALSE(product("conv/9x3x4x5_k8x4x4_p0.0.0.0_s4x4_d1x1_g1", layout)) << "of five columns";
    EXPECT_FALSE(product("conv/9x3x4x5_k8x4x5_p1.0.1.0_s4x5_d1x1_g1", layout)) << "padding";
    EXPECT_FALSE(product("conv/9x4x4x5_k8x4x5_p0.0.0.0_s4x5_d1x1_g2", layout)) << "two groups";
  }
}

TEST(Product, ChannelsByPixelsImageByImageElsewhere) {
  const char* conv = "conv/2x64x7x5_k128x1x1_p0.0.0.0_s1x1_d1x1_g1";
  const auto found = product(conv, Layout::nchw);
  ASSERT_TRUE(found);
  EXPECT_EQ(key(found->problem()), "gemm/m128_n35_k64_nn_a1_b2");
  EXPECT_EQ(found->sources[0], 1);
  EXPECT_EQ(found->sources[1], 0);
  EXPECT_FALSE(product((std::string(conv) + "_bias").c_str(), Layout::nchw)) << "along the rows";
}

TEST(Product, NoOtherConvolutionIsOne) {
  for (const char* key :
       {"conv/1x8x7x7_k8x3x3_p1.1.1.1_s1x1_d1x1_g1", "conv/1x8x7x7_k8x1x1_p0.0.0.0_s2x2_d1x1_g1",
        "conv/1x8x7x7_k8x1x1_p0.0.0.0_s1x1_d1x1_g2", "conv/1x8x7x7_k8x1x1_p1.1.1.1_s1x1_d1x1_g1"}) {
    EXPECT_FALSE(product(key, Layout::nhwc)) << key;
  }
}

TEST(Product, SumsAreProductsWithOnes) {
  const auto rows = product("reducemean/4x6x8_a2", Layout::nchw);
  ASSERT_TRUE(rows);
  EXPECT_EQ(key(rows->problem()), "gemm/m24_n1_k8_nn");
  EXPECT_FLOAT_EQ(rows->factor, 1.0F / 8);
  EXPECT_EQ(rows->sources[0], 0);
  EXPECT_EQ(rows->sources[1], std::nullopt);

  // 4 x 6 x 8 with the 6 innermost: sums over the axis before it.
  const auto columns = product("reducesum/4x6x8_a2", Layout::nhwc);
  ASSERT_TRUE(columns);
  EXPECT_EQ(key(columns->problem()), "gemm/m1_n6_k8_nn_a1_b4");
  EXPECT_EQ(columns->factor, 1);
  EXPECT_EQ(columns->sources[0], std::nullopt);
  EXPECT_EQ(columns->sources[1], 0);

  EXPECT_FALSE(product("reducesum/4x6x8_a0.2", Layout::nchw)) << "the axes are no neighbours";
  EXPECT_TRUE(product("reducesum/4x6x8_a0.1.2", Layout::nchw));
  EXPECT_FALSE(product("reducemax/4x6x8_a2", Layout::nchw));
}

TEST(Product, GlobalPoolingIsAMean) {
  const auto found = product("avgpool/2x16x7x7_k7x7_p0.0.0.0_s1x1_d1x1_exclude", Layout::nhwc);
  ASSERT_TRUE(found);
  EXPECT_EQ(key(found->problem()), "gemm/m1_n16_k49_nn_a1_b2");
  EXPECT_FLOAT_EQ(found->factor, 1.0F / 49);
  EXPECT_FALSE(product("avgpool/2x16x7x7_k3x3_p0.0.0.0_s1x1_d1x1_exclude", Layout::nhwc));
  EXPECT_FALSE(product("maxpool/2x16x7x7_k7x7_p0.0.0.0_s1x1_d1x1", Layout::nhwc));
}

TEST(Product, OfAProductHasNoStepsLeftOut) {
  const auto found = product("reducesum/4x6x8_a2", Layout::nchw);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->epilogue, Epilogue{});
}

}  // namespace
}  // namespace benanza::cublas
