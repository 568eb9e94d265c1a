#include "suites/harness/run/fastest.h"

#include <gtest/gtest.h>

#include "suites/harness/outcome.h"

namespace benanza::harness {
namespace {

Row fastest_so_far_row(const std::string& name, std::vector<double> samples,
                       Status status = Status::ok) {
  return make_row(name, 0, {}, {.status = status, .samples = std::move(samples)});
}

TEST(FastestSoFar, AreTheFastestOfAllLayoutsAndAlgorithms) {
  FastestSoFar fastest;
  EXPECT_FALSE(fastest.seconds("relu/8/fp32/nchw/fake/a"));
  fastest.add(fastest_so_far_row("relu/8/fp32/nchw/fake/a", {5, 1, 4}));
  EXPECT_EQ(fastest.seconds("relu/8/fp32/nhwc/fake/b"), 4);
  fastest.add(fastest_so_far_row("relu/8/fp32/nhwc/fake/b", {3}));
  fastest.add(fastest_so_far_row("relu/8/fp32/any/fake/c", {9}));
  EXPECT_EQ(fastest.seconds("relu/8/fp32/nchw/fake/a"), 3);
}

TEST(FastestSoFar, AVariantIsNotItsOwnRival) {
  FastestSoFar fastest;
  fastest.add(fastest_so_far_row("relu/8/fp32/nchw/fake/a", {1}));
  EXPECT_FALSE(fastest.seconds("relu/8/fp32/nchw/fake/a"));
  fastest.add(fastest_so_far_row("relu/8/fp32/nchw/fake/b", {2}));
  fastest.add(fastest_so_far_row("relu/8/fp32/nchw/fake/c", {3}));
  fastest.add(
      fastest_so_far_row("relu/8/fp32/nchw/fake/a", {9}));  // a slower repetition changes nothing
  EXPECT_EQ(fastest.seconds("relu/8/fp32/nchw/fake/a"), 2);
  EXPECT_EQ(fastest.seconds("relu/8/fp32/nchw/fake/b"), 1);
}

TEST(FastestSoFar, AnswerTheSameQuestion) {
  FastestSoFar fastest;
  fastest.add(fastest_so_far_row("relu/8/fp32/nchw/fake/a", {1}));
  for (const char* const name : {"relu/9/fp32/nchw/fake/a", "relu/8/bf16/nchw/fake/a",
                                 "relu/8/fp32/nchw/fake/a/cold", "tanh/8/fp32/nchw/fake/a"}) {
    EXPECT_FALSE(fastest.seconds(name)) << name;
  }
}

TEST(FastestSoFar, OnlyOkRowsCount) {
  FastestSoFar fastest;
  fastest.add(fastest_so_far_row("relu/8/fp32/nchw/fake/a", {}, Status::incorrect));
  EXPECT_FALSE(fastest.seconds("relu/8/fp32/nchw/fake/a"));
}

}  // namespace
}  // namespace benanza::harness
