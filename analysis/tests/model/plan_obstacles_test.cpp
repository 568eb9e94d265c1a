#include "analysis/model/plan_obstacles.h"

#include <gtest/gtest.h>

namespace benanza::analysis {
namespace {

TEST(PlanObstacles, NamesALayersReasonOnce) {
  PlanObstacles obstacles;
  EXPECT_TRUE(obstacles.empty());
  for (int call = 0; call < 5; ++call) obstacles.add("moe", "stands for its work");
  EXPECT_STREQ(obstacles.error("net").what(), "net: no plan: moe: stands for its work");
  for (const char* layer : {"a", "b", "c", "d"}) obstacles.add(layer, "is not known");
  EXPECT_STREQ(obstacles.error("net").what(),
               "net: no plan: moe: stands for its work; a: is not known; b: is not known and 2 "
               "more");
}

}  // namespace
}  // namespace benanza::analysis
