#include "suites/cudnn/api/descriptors.h"

#include <gtest/gtest.h>

namespace benanza::cudnn {
namespace {

TEST(AtLeast4d, PutsNewAxesWhereRowMajorOrderStays) {
  EXPECT_EQ(at_least_4d({}), (Dims{1, 1, 1, 1}));
  EXPECT_EQ(at_least_4d({7}), (Dims{1, 7, 1, 1}));
  EXPECT_EQ(at_least_4d({2, 7}), (Dims{2, 7, 1, 1}));
  EXPECT_EQ(at_least_4d({2, 7, 5}), (Dims{2, 7, 1, 5}));
  EXPECT_EQ(at_least_4d({2, 7, 5, 6}), (Dims{2, 7, 5, 6}));
  EXPECT_EQ(at_least_4d({2, 7, 5, 6, 4}), (Dims{2, 7, 5, 6, 4}));
  EXPECT_EQ(at_least_4d({0, 3, 0}, 0), (Dims{0, 3, 0, 0}));
}

TEST(AtLeast2d, AnAxisAloneBecomesTheWidth) {
  EXPECT_EQ(at_least_2d({3}, 1), (Dims{1, 3}));
  EXPECT_EQ(at_least_2d({3}, 0), (Dims{0, 3}));
  EXPECT_EQ(at_least_2d({3, 4}, 1), (Dims{3, 4}));
}

// n=2 c=3 h=4 w=5.
TEST(Dense, NchwAndNhwcDifferInMemory) {
  EXPECT_EQ(dense(Precision::fp16, {2, 3, 4, 5}, Layout::nchw),
            (nvidia::TensorFormat{Precision::fp16, {2, 3, 4, 5}, {60, 20, 5, 1}}));
  EXPECT_EQ(dense(Precision::fp16, {2, 3, 4, 5}, Layout::nhwc),
            (nvidia::TensorFormat{Precision::fp16, {2, 3, 4, 5}, {60, 1, 15, 3}}));
}

TEST(Dense, OneAndThreeSpatialAxes) {
  EXPECT_EQ(dense(Precision::fp32, {2, 3, 5}, Layout::nhwc),
            (nvidia::TensorFormat{Precision::fp32, {2, 3, 1, 5}, {15, 1, 15, 3}}));
  EXPECT_EQ(dense(Precision::fp32, {2, 3, 4, 5, 6}, Layout::nhwc),
            (nvidia::TensorFormat{Precision::fp32, {2, 3, 4, 5, 6}, {360, 1, 90, 18, 3}}));
}

TEST(PartOf, KeepsTheStepsOfTheWhole) {
  const nvidia::TensorFormat whole = dense(Precision::fp16, {1, 3, 4, 5}, Layout::nhwc);
  const Part part = part_of(whole, {0, 0, 1, 2}, {1, 3, 2, 2});
  EXPECT_EQ(part.format, (nvidia::TensorFormat{Precision::fp16, {1, 3, 2, 2}, {60, 1, 15, 3}}));
  EXPECT_EQ(part.offset, 15 + 2 * 3);
  EXPECT_EQ(part.offset_bytes(), 42);
}

TEST(ImageLayouts, AreForThreeToFiveAxes) {
  using Layouts = std::vector<Layout>;
  EXPECT_EQ(image_layouts({1, 1000}), Layouts{Layout::plain});
  EXPECT_EQ(image_layouts({1, 3, 8}), (Layouts{Layout::nchw, Layout::nhwc}));
  EXPECT_EQ(image_layouts({1, 3, 8, 8, 8}), (Layouts{Layout::nchw, Layout::nhwc}));
  EXPECT_EQ(image_layouts({1, 3, 8, 8, 8, 8}), Layouts{Layout::plain});
}

}  // namespace
}  // namespace benanza::cudnn
