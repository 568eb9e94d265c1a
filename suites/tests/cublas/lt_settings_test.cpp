#include "suites/cublas/ops/lt/lt.h"

#include <gmock/gmock.h>

namespace benanza::cublas {
namespace {

using testing::ElementsAre;

const LtIdentity whole{.config = 66,
                       .tile = 20,
                       .stages = 35,
                       .split_k = 4,
                       .reduction = 2,
                       .swizzle = 1,
                       .custom = 3,
                       .inner = 5,
                       .cluster = 7};

TEST(LtName, IsTheWholeIdentity) {
  EXPECT_EQ(algorithm_name(whole), "a66.t20.s35.k4.r2.z1.o3.i5.c7");
  EXPECT_EQ(parse_algorithm_name("a66.t20.s35.k4.r2.z1.o3.i5.c7"), whole);
  EXPECT_EQ(parse_algorithm_name(algorithm_name({})), LtIdentity());
}

TEST(LtName, IsNoOtherText) {
  for (const char* const text :
       {"", "a66", "a66.t20.s35.k4.r2.z1.o3.i5", "a66.t20.s35.k4.r2.z1.o3.i5.c7.",
        "a066.t20.s35.k4.r2.z1.o3.i5.c7", "a66.t-1.s35.k4.r2.z1.o3.i5.c7", "gemm_ex"}) {
    EXPECT_FALSE(parse_algorithm_name(text)) << text;
  }
}

TEST(LtNear, HaveAnotherValueOfOneSetting) {
  const LtIdentity own{.config = 6, .tile = 20, .stages = 3};
  const LtRanges ranges{
      .tiles = {19, 20}, .stages = {3, 4}, .most_custom = 1, .swizzles = true, .clusters = 2};
  std::vector<std::string> names;
  for (const LtIdentity& other : near(own, ranges)) names.push_back(algorithm_name(other));
  EXPECT_THAT(names, ElementsAre("a6.t20.s4.k1.r0.z0.o0.i0.c0", "a6.t19.s3.k1.r0.z0.o0.i0.c0",
                                 "a6.t20.s3.k1.r0.z1.o0.i0.c0", "a6.t20.s3.k1.r0.z0.o1.i0.c0",
                                 "a6.t20.s3.k1.r0.z0.o0.i0.c1"));
}

// A sum of one slice adds up nothing; of several, in one of the ways that keep fp32.
TEST(LtNear, SplitSumsSayHowTheyAreAdded) {
  const LtIdentity own{.config = 6, .split_k = 2, .reduction = 2};
  std::vector<std::string> names;
  for (const LtIdentity& other : near(own, {.reductions = {1, 2}})) {
    names.push_back(algorithm_name(other).substr(std::string("a6.t0.s0.").size(), 5));
  }
  ASSERT_EQ(names.size(), 1 + 7 * 2 - 1);
  EXPECT_THAT(std::vector(names.begin(), names.begin() + 4),
              ElementsAre("k1.r0", "k2.r1", "k3.r1", "k3.r2"));
}

}  // namespace
}  // namespace benanza::cublas
