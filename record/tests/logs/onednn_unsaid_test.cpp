// What lines of oneDNN's log say besides a problem.
#include <gmock/gmock.h>

#include "record/tests/logs/onednn_lines.h"

namespace benanza::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CallProblems, ResultsOfOtherTypesAreTold) {
  for (const std::string kind : {"layer_normalization", "softmax"}) {
    const std::string end = kind == "softmax" ? ",,alg:softmax_accurate axis:1,64x768"
                                              : " stats_undef::undef:::,,flags:CH,64x768";
    EXPECT_THAT(reason(kind +
                       ",x,forward_inference,src_f32::blocked:ab::f0 "
                       "dst_s8::blocked:ab::f0" +
                       end),
                HasSubstr("a result of another type than f32"));
  }
  const std::string product = "matmul,x,undef,src_u8::blocked:ab::f0 wei_s8::blocked:ab::f0 dst_";
  const std::string end = "::blocked:ab::f0,,,2x4:4x8";
  EXPECT_TRUE(problems_of(call(product + "f32" + end)).taken_as_operands);
  EXPECT_FALSE(problems_of(call(product + "s8" + end)).taken_as_operands);
  EXPECT_THAT(keys(product + "f32" + end), ElementsAre("gemm/m2_n8_k4_nn_u8"));
}

TEST(CallProblems, WhatChangesTheResultIsNotPassedOver) {
  const std::string floats = "matmul,x,undef,src_f32::blocked:ab::f0 wei_f32::blocked:ab::f0 ";
  const std::string bytes = "matmul,x,undef,src_u8::blocked:ab::f0 wei_s8::blocked:ab::f0 ";
  const std::string end = ",,2x4:4x8";
  const std::string row = "dst_f32::blocked:ab::f0,";
  EXPECT_THAT(reason(floats + row + "attr-post-ops:eltwise_relu:0:0:0.5" + end),
              HasSubstr("eltwise_relu with a scale"));
  EXPECT_THAT(reason(floats + row + "attr-post-ops:sum:1:0:s8" + end), HasSubstr("sum of s8"));
  EXPECT_THAT(reason(floats + row + "attr-post-ops:binary_add:bf16:2" + end),
              HasSubstr("binary_add of bf16"));
  EXPECT_THAT(reason(bytes + row + "attr-zero-points:wei:0:3" + end),
              HasSubstr("attr-zero-points:wei"));
  EXPECT_THAT(reason(bytes + row + "attr-scales:wei:3:f32:32x1" + end), HasSubstr("32x1"));
  EXPECT_THAT(reason("matmul,x,undef,src_u8::blocked:ab::f0 wei_u8::blocked:ab::f0 " + row + end),
              HasSubstr("wei of u8"));
  EXPECT_THAT(reason("softmax,x,forward_inference,src_f32::blocked:ab::f0 " + row +
                     ",alg:softmax_accurate_inf_as_zero axis:1,2x4"),
              HasSubstr("inf_as_zero"));
  EXPECT_THAT(
      reason("reorder,x,undef,src_f32::blocked:ab::f0 " + row + "attr-post-ops:sum:0.5,,2x4"),
      HasSubstr("a conversion with a post-operation"));
  EXPECT_EQ(problems_of(call("reorder,x,undef,src_s8::blocked:ab::f0 " + row + ",,2x4")).precision,
            Precision::fp32)
      << "the floats' precision";
}

TEST(CallProblems, APartOfAConcatenationHasTheResultsTypeAndScale) {
  const auto joined = [](const std::string& second, const std::string& scales) {
    return "concat,x,undef,src_u8::blocked:ab:f0 src_" + second +
           "::blocked:ab:f0 dst_u8::blocked:ab:f0," + scales + ",axis:1,2x3:2x4";
  };
  EXPECT_THAT(keys(joined("u8", "")), testing::ElementsAre("concat/2x3_2x4_a1"));
  EXPECT_THAT(reason(joined("s8", "")), HasSubstr("tensors of u8 and s8"));
  EXPECT_THAT(reason(joined("u8", "attr-scales:src0:0:f32")), HasSubstr("with scales"));
}

TEST(CallProblems, StridesAndBlocksOfNothingAreNoProblem) {
  EXPECT_THAT(reason("convolution,x,forward_inference,src_f32::blocked:abcd:f0 "
                     "wei_f32::blocked:abcd:f0 dst_f32::blocked:abcd:f0,,alg:convolution_direct,"
                     "mb1_ic4oc8_ih8oh8kh3sh0dh0ph1_iw8ow8kw3sw1dw0pw1"),
              HasSubstr("a stride below 1"));
  EXPECT_THAT(reason("reorder,x,undef,src_f32::blocked:abcd:f0 dst_f32::blocked:ABcd0b16a:f0,,,"
                     "32x16x3x3"),
              HasSubstr("ABcd0b16a"));
}

TEST(CallProblems, OtherEnginesHaveNoSuite) {
  CallText text = call(
      "eltwise,x,forward_inference,src_f32::blocked:ab::f0 dst_f32::blocked:ab::f0"
      ",,alg:eltwise_relu alpha:0 beta:0,2x4");
  EXPECT_FALSE(problems_of(text).problems.empty());
  text.engine = "gpu";
  EXPECT_THAT(problems_of(text).reason, HasSubstr("on engine gpu"));
}

}  // namespace
}  // namespace benanza::record
