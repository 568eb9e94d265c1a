#include "generator/fusion/strided_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace benanza::fusion {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(StridedView, ATranspositionSwapsStrides) {
  // 2 x 3 becomes 3 x 2: element (i, j) was element (j, i).
  StridedView view({3, 2}, {2, 1});
  ASSERT_TRUE(view.back_through({{2, 3}, {3, 1}, {1, 2}}, 0, 0));
  EXPECT_THAT(view.strides(), Optional(ElementsAre(1, 3)));
  EXPECT_EQ(view.offset(), 0);
}

TEST(StridedView, ASliceHasAnOffset) {
  // The columns 1 and 2 of 4 x 5.
  StridedView view({4, 2}, {2, 1});
  ASSERT_TRUE(view.back_through({{4, 2}, {5, 1}, {2, 1}}, 1, 0));
  EXPECT_THAT(view.strides(), Optional(ElementsAre(5, 1)));
  EXPECT_EQ(view.offset(), 1);
}

TEST(StridedView, APartOfWhatACopyMadeStartsWhereItsFirstElementWas) {
  // Row 2 of the transposed 2 x 3: column 2.
  StridedView view({2}, {1});
  ASSERT_TRUE(view.back_through({{2, 3}, {3, 1}, {1, 2}}, 0, -4));
  EXPECT_THAT(view.strides(), Optional(ElementsAre(3)));
  EXPECT_EQ(view.offset(), 2);
}

TEST(StridedView, AnAxisMayBeAPartOfACopysAxis) {
  // 12 elements as 3 x 4, copied from every second of 24: both axes lie in the copy's one axis.
  StridedView view({3, 4}, {4, 1});
  ASSERT_TRUE(view.back_through({{12}, {2}, {1}}, 0, 0));
  EXPECT_THAT(view.strides(), Optional(ElementsAre(8, 2)));
}

TEST(StridedView, AnAxisOverSeveralAxesOfACopyHasAStrideOnlyIfTheyFollowEachOther) {
  // 6 elements in a row from 2 x 3 with rows 4 apart.
  StridedView apart({6}, {1});
  ASSERT_TRUE(apart.back_through({{2, 3}, {4, 1}, {3, 1}}, 0, 0));
  EXPECT_EQ(apart.strides(), std::nullopt);
  StridedView together({6}, {1});
  ASSERT_TRUE(together.back_through({{2, 3}, {6, 2}, {3, 1}}, 0, 0));
  EXPECT_THAT(together.strides(), Optional(ElementsAre(2)));
}

TEST(StridedView, RepeatedElementsHaveTheStrideZero) {
  StridedView view({2, 3}, {3, 1});
  ASSERT_TRUE(view.back_through({{2, 3}, {1, 0}, {3, 1}}, 0, 0));
  EXPECT_THAT(view.strides(), Optional(ElementsAre(1, 0)));
}

TEST(StridedView, GoesThroughSeveralCopies) {
  // 5 tokens x 3 parts x 2 heads x 4, transposed to 3 x 2 x 5 x 4; part 1 of it.
  StridedView view({1, 2, 5, 4}, {40, 20, 4, 1});
  ASSERT_TRUE(view.back_through({{40}, {1}, {1}}, 40, 0));
  ASSERT_TRUE(view.back_through({{5, 6, 4}, {24, 4, 1}, {4, 20, 1}}, 0, 0));
  EXPECT_EQ(view.offset(), 8);
  EXPECT_THAT(view.strides(), Optional(ElementsAre(8, 4, 24, 1)));
}

TEST(StridedView, StridesThatCrossAxesAreNone) {
  // Rows of 4 in a copy's rows of 6.
  StridedView view({3, 4}, {4, 1});
  EXPECT_FALSE(view.back_through({{2, 6}, {10, 1}, {6, 1}}, 0, 0));
  // Two axes that together go beyond the copy's axis: 3 + 2 of 4.
  StridedView carries({4, 3}, {1, 1});
  EXPECT_FALSE(carries.back_through({{2, 4}, {10, 1}, {4, 1}}, 0, 0));
}

TEST(StridedView, ACopyWithGapsOrFewerElementsIsRefused) {
  StridedView gaps({2, 3}, {3, 1});
  EXPECT_FALSE(gaps.back_through({{2, 3}, {3, 1}, {4, 1}}, 0, 0));
  StridedView more({4}, {1});
  EXPECT_FALSE(more.back_through({{2}, {1}, {1}}, 0, 0));
  StridedView before({2}, {1});
  EXPECT_FALSE(before.back_through({{2}, {1}, {1}}, 0, 1));
}

TEST(StridedView, AReversedTranspositionGoesForward) {
  // The result 2 heads x 5 x 4 in 5 x 2 x 4.
  StridedView view({1, 2, 5, 4}, {40, 20, 4, 1});
  const Copy copy{{5, 2, 4}, {4, 20, 1}, {8, 4, 1}};
  ASSERT_TRUE(view.back_through(reversed(copy), 0, 0));
  EXPECT_THAT(view.strides(), Optional(ElementsAre(8, 4, 8, 1)));
}

}  // namespace
}  // namespace benanza::fusion
