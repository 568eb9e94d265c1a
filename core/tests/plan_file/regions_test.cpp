#include "core/plan_file/accesses.h"

#include <gmock/gmock.h>

namespace benanza {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// 0 -> {1 -> 2, 3} -> 4 -> 5 -> {6, 7} -> 8
TEST(Regions, LieBetweenStepsThatAllOthersWaitFor) {
  EXPECT_THAT(parallel_regions({{}, {0}, {1}, {0}, {2, 3}, {4}, {5}, {5}, {6, 7}}),
              ElementsAre(Region{1, 4}, Region{6, 8}));
}

TEST(Regions, AChainHasNone) {
  // The sum of 0 and 2 waits for all.
  EXPECT_THAT(parallel_regions({{}, {0}, {1}, {0, 2}}), IsEmpty());
  EXPECT_THAT(parallel_regions({}), IsEmpty());
}

TEST(Regions, MayBeAllOfAPlan) {
  EXPECT_THAT(parallel_regions({{}, {}, {0}}), ElementsAre(Region{0, 3}));
}

}  // namespace
}  // namespace benanza
