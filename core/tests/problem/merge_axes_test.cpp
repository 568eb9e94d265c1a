#include "core/problem/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace benanza {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MergeAxes, JoinsNeighboursThatBroadcastAlike) {
  EXPECT_THAT(merge_axes({{2, 3, 4, 5, 6, 7}, {1, 1, 1, 1, 6, 7}}),
              ElementsAre(Dims{120, 42}, Dims{1, 42}));
  EXPECT_THAT(merge_axes({{2, 4, 4, 8}, {2, 1, 1, 8}, {1, 1, 1, 8}}),
              ElementsAre(Dims{2, 16, 8}, Dims{2, 1, 8}, Dims{1, 1, 8}));
}

TEST(MergeAxes, LeavesOutAxesOfOneElement) {
  EXPECT_THAT(merge_axes({{2, 1, 3, 4, 5, 6}, {2, 1, 1, 1, 5, 6}}),
              ElementsAre(Dims{2, 12, 30}, Dims{2, 1, 30}));
  // Of two operands that both broadcast, neither has all extents.
  EXPECT_THAT(merge_axes({{8, 1, 1}, {1, 1, 4}}), ElementsAre(Dims{8, 1}, Dims{1, 4}));
  EXPECT_THAT(merge_axes({{1, 1}, {1, 1}}), ElementsAre(IsEmpty(), IsEmpty()));
}

}  // namespace
}  // namespace benanza
