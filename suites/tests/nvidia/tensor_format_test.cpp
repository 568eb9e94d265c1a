#include "suites/nvidia/device/tensor_format.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "suites/nvidia/run/result_reader.h"

namespace benanza::nvidia {
namespace {

TEST(TensorStrides, RowMajorForNchwAndPlain) {
  EXPECT_EQ(tensor_strides({2, 3, 4, 5}, Layout::nchw), (Dims{60, 20, 5, 1}));
  EXPECT_EQ(tensor_strides({2, 3, 4, 5}, Layout::plain), (Dims{60, 20, 5, 1}));
}

TEST(TensorStrides, ChannelsInnermostForNhwcOfEveryRank) {
  EXPECT_EQ(tensor_strides({2, 3, 4}, Layout::nhwc), (Dims{12, 1, 3}));
  EXPECT_EQ(tensor_strides({2, 3, 4, 5}, Layout::nhwc), (Dims{60, 1, 15, 3}));
  EXPECT_EQ(tensor_strides({2, 3, 4, 5, 6}, Layout::nhwc), (Dims{360, 1, 90, 18, 3}));
}

TEST(TensorStrides, MatricesHaveNoChannelOrder) {
  EXPECT_EQ(tensor_strides({2, 3}, Layout::nhwc), (Dims{3, 1}));
  EXPECT_EQ(tensor_strides({}, Layout::nhwc), Dims{});
}

TEST(TensorStrides, AnySaysNothing) {
  EXPECT_THROW(tensor_strides({1, 2, 3}, Layout::any), std::invalid_argument);
}

TEST(SpanBytes, CountsPaddingAndKeeps64Bits) {
  // Rows of 3 elements with a stride of 4; the last row ends without padding: (2 - 1) * 4 + 3 = 7.
  EXPECT_EQ(span_bytes({.precision = Precision::fp16, .dims = {2, 3}, .strides = {4, 1}}), 14);
  const TensorFormat large = tensor_format(Precision::fp32, {64, 1024, 256, 256}, Layout::nhwc);
  EXPECT_EQ(span_bytes(large), std::int64_t{17179869184});
  EXPECT_EQ(span_bytes(tensor_format(Precision::fp32, {}, Layout::plain)), 4);
}

// 2 x 3 x 1 x 2, channels last: place 7 is (1, 0, 0, 1), stored after 6 + 3 others. The result has
// no place 12; reading it would return an element of another tensor.
TEST(StoredPlace, IsOfTheTensorOrAnError) {
  const TensorFormat format = tensor_format(Precision::fp16, {2, 3, 1, 2}, Layout::nhwc);
  EXPECT_EQ(stored_place(format, 0), 0);
  EXPECT_EQ(stored_place(format, 7), 9);
  EXPECT_EQ(stored_place(format, 11), 11);
  EXPECT_THROW(stored_place(format, 12), std::out_of_range);
  EXPECT_THROW(stored_place(format, -1), std::out_of_range);
}

}  // namespace
}  // namespace benanza::nvidia
