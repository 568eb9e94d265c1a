#include "core/plan_file/plan.h"

#include <gtest/gtest.h>

namespace benanza {
namespace {

TEST(SpareBlocks, AreUsedAgainOnceTheirLastStepIsOver) {
  SpareBlocks blocks;
  EXPECT_EQ(blocks.take(100, 0, 2), 0);
  EXPECT_EQ(blocks.take(40, 0, 1), 1);
  EXPECT_EQ(blocks.take(30, 1, 3), 2) << "the second is needed up to this step";
  EXPECT_EQ(blocks.take(30, 2, 4), 1) << "the first is needed, the third as well";
  EXPECT_EQ(blocks.take(90, 3, 3), 0);
  EXPECT_EQ(blocks.take(50, 4, 4), 0) << "large enough, and free";
  EXPECT_EQ(blocks.take(101, 9, 9), 3) << "all are free, none is large enough";
  EXPECT_EQ(blocks.take(10, 10, 10), 2) << "the smallest";
  EXPECT_EQ(blocks.count(), 4);
  EXPECT_EQ(blocks.bytes(), 100 + 40 + 30 + 101);
}

}  // namespace
}  // namespace benanza
