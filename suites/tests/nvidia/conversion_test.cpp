#include "suites/nvidia/run/conversion.h"

#include <gmock/gmock.h>

namespace benanza::nvidia {
namespace {

using harness::Unsupported;

TensorFormat format(Dims dims, Layout layout) {
  return tensor_format(Precision::fp16, dims, layout);
}

TEST(Conversion, MovesElementsInTheirRowMajorOrder) {
  const Dims image{2, 3, 4, 5};
  // From n, c, h w with strides 60, 20, 1 to 60, 1, 3.
  EXPECT_EQ(movement_between(format(image, Layout::nchw), format(image, Layout::nhwc)),
            (Copy{{2, 3, 20}, {60, 20, 1}, {60, 1, 3}}));
  EXPECT_EQ(movement_between(format(image, Layout::nhwc), format(image, Layout::nchw)),
            (Copy{{2, 3, 20}, {60, 1, 3}, {60, 20, 1}}));
}

TEST(Conversion, SplitsAxesThatTheOtherHasApart) {
  // The same as an image of 6 channels and as a matrix of two rows of 60.
  const Dims image{1, 6, 4, 5};
  EXPECT_EQ(movement_between(format(image, Layout::nhwc), format({2, 60}, Layout::plain)),
            (Copy{{2, 3, 20}, {3, 1, 6}, {60, 20, 1}}.canonical()));
  EXPECT_EQ(movement_between(format({120}, Layout::plain), format(image, Layout::nhwc)),
            (Copy{{6, 20}, {20, 1}, {1, 6}}));
  EXPECT_EQ(movement_between(format({1, 1, 1}, Layout::plain), format({1}, Layout::plain)),
            (Copy{{1}, {1}, {1}}));
}

TEST(Conversion, RefusesWhatHasNoCommonAxes) {
  EXPECT_THROW(movement_between(format({2, 3}, Layout::plain), format({3, 2}, Layout::plain)),
               Unsupported);
  EXPECT_THROW(movement_between(format({2, 3}, Layout::plain), format({2, 4}, Layout::plain)),
               Unsupported);
}

}  // namespace
}  // namespace benanza::nvidia
