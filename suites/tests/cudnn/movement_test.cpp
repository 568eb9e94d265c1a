#include "suites/cudnn/ops/movement.h"

#include <gtest/gtest.h>

#include <numeric>

#include "suites/cudnn/api/descriptors.h"
#include "suites/harness/primitive.h"
#include "suites/tests/cudnn/shapes.h"

namespace benanza::cudnn {
namespace {

/// cudnnTransformTensor on the host: copies every element of the box from one view to the other.
void transform(const Move& move, const std::vector<float>& source, std::vector<float>& result) {
  const Dims& dims = move.from.dims;
  ASSERT_EQ(dims, move.to.format.dims);
  Dims at(dims.size(), 0);
  for (std::int64_t i = 0; i < element_count(dims); ++i) {
    std::int64_t rest = i;
    std::int64_t from = 0;
    std::int64_t to = move.to.offset;
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      from += rest % dims[axis] * move.from.strides[axis];
      to += rest % dims[axis] * move.to.format.strides[axis];
      rest /= dims[axis];
    }
    result.at(static_cast<std::size_t>(to)) = source.at(static_cast<std::size_t>(from));
  }
}

// 2 x 3 transposed: 0 1 2 / 3 4 5 becomes 0 3 / 1 4 / 2 5.
TEST(MapMovement, CopyTransposes) {
  const auto moves =
      map_movement(shape_of<Copy>("copy/2x3_f3.1_t1.2"), Precision::fp32, Layout::plain);
  ASSERT_EQ(moves.size(), 1U);
  EXPECT_EQ(moves[0].from.dims, (Dims{1, 1, 2, 3}));
  std::vector<float> result(6, -1);
  transform(moves[0], {0, 1, 2, 3, 4, 5}, result);
  EXPECT_EQ(result, (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST(MapMovement, CopyKeepsMoreThanFourAxes) {
  const auto moves = map_movement(shape_of<Copy>("copy/2x3x4x5x6_f360.1.90.18.3_t360.120.30.6.1"),
                                  Precision::fp32, Layout::plain);
  EXPECT_EQ(moves[0].from.strides, (Dims{360, 1, 90, 18, 3}));
  EXPECT_EQ(moves[0].to.format.strides, (Dims{360, 120, 30, 6, 1}));
}

TEST(MapMovement, CopyThatRepeatsIsRefused) {
  const Copy repeated{.dims = {4, 3}, .from = {0, 1}, .to = {3, 1}};
  EXPECT_THROW(map_movement(repeated, Precision::fp32, Layout::plain), harness::Unsupported);
}

std::vector<float> concat(const Concat& shape, Layout layout) {
  std::vector<float> result(static_cast<std::size_t>(element_count(shape.output())), -1);
  float first = 0;
  for (const Move& move : map_movement(shape, Precision::fp32, layout)) {
    std::vector<float> part(static_cast<std::size_t>(element_count(shape.parts.at(move.input))));
    std::iota(part.begin(), part.end(), first);
    first += 100;
    transform(move, part, result);
  }
  return result;
}

// Two and one channels of two pixels. In nchw the parts are concatenated; in nhwc the second part's
// channel is appended to each pixel.
TEST(MapMovement, ConcatOfChannels) {
  const auto shape = shape_of<Concat>("concat/1x2x1x2_1x1x1x2_a1");
  EXPECT_EQ(concat(shape, Layout::nchw), (std::vector<float>{0, 1, 2, 3, 100, 101}));
  EXPECT_EQ(concat(shape, Layout::nhwc), (std::vector<float>{0, 1, 100, 2, 3, 101}));
}

TEST(MapMovement, ConcatOfTheLastOfThreeAxes) {
  const auto shape = shape_of<Concat>("concat/1x2x1_1x2x2_a2");
  EXPECT_EQ(concat(shape, Layout::nchw), (std::vector<float>{0, 100, 101, 1, 102, 103}));
}

TEST(MapMovement, ConcatOfMatrixRows) {
  const auto shape = shape_of<Concat>("concat/1x2_2x2_a0");
  EXPECT_EQ(concat(shape, Layout::plain), (std::vector<float>{0, 1, 100, 101, 102, 103}));
}

TEST(MapMovement, RealDescriptorsTakeEveryView) {
  for (const auto& move :
       map_movement(shape_of<Concat>("concat/1x64x28x28_1x128x28x28_1x32x28x28_a1"),
                    Precision::bf16, Layout::nhwc)) {
    EXPECT_NO_THROW(make_tensor(move.from));
    EXPECT_NO_THROW(make_tensor(move.to.format));
  }
}

}  // namespace
}  // namespace benanza::cudnn
