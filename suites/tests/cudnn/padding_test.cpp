#include "suites/cudnn/primitive/convolution_call.h"

#include <gtest/gtest.h>

#include <vector>

namespace benanza::cudnn {
namespace {

Window window(std::int64_t kernel, std::int64_t begin, std::int64_t end, std::int64_t stride = 1,
              std::int64_t dilation = 1) {
  return {.kernel = {kernel}, .pads = {begin, end}, .strides = {stride}, .dilations = {dilation}};
}

Padding padding(std::int64_t symmetric, std::int64_t begin, std::int64_t end) {
  return {.symmetric = {symmetric}, .begin = {begin}, .end = {end}};
}

TEST(SplitPadding, EqualPadsAreTheLibrarys) {
  EXPECT_EQ(split_padding(window(3, 1, 1), {8}), padding(1, 0, 0));
  EXPECT_FALSE(split_padding(window(3, 1, 1), {8}).needs_copy());
}

// 3 taps, stride 2, pads 1 and 0. Width 8: 4 outputs, with pads of 1 and 1 as well. Width 7: 3
// outputs, but pads of 1 and 1 would add a fourth.
TEST(SplitPadding, AnEndPadThatChangesNothingIsFree) {
  EXPECT_EQ(split_padding(window(3, 1, 0, 2), {8}), padding(1, 0, 0));
  EXPECT_EQ(split_padding(window(3, 1, 0, 2), {7}), padding(0, 1, 0));
}

// TensorFlow's SAME with stride 2: one row at the end.
TEST(SplitPadding, PadsAtTheEndAreCopied) {
  const Padding same = split_padding(window(3, 0, 1, 2), {224});
  EXPECT_EQ(same, padding(0, 0, 1));
  EXPECT_TRUE(same.needs_copy());
}

// The library pads the common part; 2 and 3 leave one row at the end.
TEST(SplitPadding, OnlyTheDifferenceIsCopied) {
  EXPECT_EQ(split_padding(window(6, 2, 3), {10}), padding(2, 0, 1));
  EXPECT_EQ(split_padding(window(6, 3, 2), {10}), padding(2, 1, 0));
}

// Width 6, 2 taps, stride 2: the windows end at 6 regardless of the end pad of 1.
TEST(SplitPadding, AnEndPadOutOfReachIsDropped) {
  EXPECT_EQ(split_padding(window(2, 0, 1, 2), {6}), padding(0, 0, 0));
}

TEST(SplitPadding, AxesAreIndependent) {
  const Window mixed{
      .kernel = {3, 3}, .pads = {1, 0, 1, 1}, .strides = {1, 2}, .dilations = {1, 1}};
  EXPECT_EQ(split_padding(mixed, {8, 8}),
            (Padding{.symmetric = {1, 0}, .begin = {0, 0}, .end = {0, 1}}));
}

/// The input positions that each output's taps read; -1 for padding.
std::vector<std::vector<std::int64_t>> taps(std::int64_t input, std::int64_t outputs,
                                            std::int64_t first, const Window& shape) {
  std::vector<std::vector<std::int64_t>> all;
  for (std::int64_t i = 0; i < outputs; ++i) {
    std::vector<std::int64_t> one;
    for (std::int64_t k = 0; k < shape.kernel[0]; ++k) {
      const std::int64_t at = i * shape.strides[0] - first + k * shape.dilations[0];
      one.push_back(at >= 0 && at < input ? at : -1);
    }
    all.push_back(one);
  }
  return all;
}

TEST(SplitPadding, ComputesTheSameOutputsForEveryWindow) {
  int copies = 0;
  for (std::int64_t input = 1; input <= 7; ++input)
    for (std::int64_t kernel = 1; kernel <= 4; ++kernel)
      for (std::int64_t begin = 0; begin <= 3; ++begin)
        for (std::int64_t end = 0; end <= 3; ++end)
          for (std::int64_t stride = 1; stride <= 3; ++stride)
            for (std::int64_t dilation = 1; dilation <= 2; ++dilation) {
              const Window shape = window(kernel, begin, end, stride, dilation);
              const std::int64_t outputs = shape.output({input})[0];
              if (outputs < 1) continue;
              const Padding split = split_padding(shape, {input});
              copies += split.needs_copy() ? 1 : 0;
              const std::int64_t pad = split.symmetric[0];
              const std::int64_t padded = input + split.begin[0] + split.end[0];
              // The library's output extent for the padded input and one pad.
              ASSERT_EQ(window(kernel, pad, pad, stride, dilation).output({padded})[0], outputs);
              ASSERT_EQ(taps(input, outputs, pad + split.begin[0], shape),
                        taps(input, outputs, begin, shape));
            }
  EXPECT_GT(copies, 100);
}

// 1 x 2 x 3 x 4 with one row above, two columns on the right, channels last.
TEST(PadInput, PlacesTheInputInsideThePadding) {
  const nvidia::TensorFormat input = dense(Precision::fp16, {1, 2, 3, 4}, Layout::nhwc);
  const PaddedShape shape =
      pad_input(input, Layout::nhwc, {.symmetric = {0, 0}, .begin = {1, 0}, .end = {0, 2}});
  EXPECT_EQ(shape.whole, (nvidia::TensorFormat{Precision::fp16, {1, 2, 4, 6}, {48, 1, 12, 2}}));
  EXPECT_EQ(shape.interior.format,
            (nvidia::TensorFormat{Precision::fp16, {1, 2, 3, 4}, {48, 1, 12, 2}}));
  EXPECT_EQ(shape.interior.offset, 12);
}

TEST(PadInput, OneSpatialAxisIsTheWidth) {
  const nvidia::TensorFormat input = dense(Precision::fp32, {2, 3, 5}, Layout::nchw);
  const PaddedShape shape =
      pad_input(input, Layout::nchw, {.symmetric = {0}, .begin = {2}, .end = {1}});
  EXPECT_EQ(shape.whole, (nvidia::TensorFormat{Precision::fp32, {2, 3, 1, 8}, {24, 8, 8, 1}}));
  EXPECT_EQ(shape.interior.offset, 2);
}

}  // namespace
}  // namespace benanza::cudnn
