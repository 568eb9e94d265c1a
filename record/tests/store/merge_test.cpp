#include "record/store/launches.h"

#include <gmock/gmock.h>

namespace benanza {
namespace {

using testing::ElementsAre;
using testing::Optional;
using Numbers = std::vector<std::uint32_t>;
bool anything(std::uint32_t, std::uint32_t) { return true; }

TEST(Merge, FindsTheOrderThatRepeats) {
  // A step calls 0 1, then 2 of the second list, then 0, then 3 of the second list; one kernel
  // each.
  Numbers kernels;
  Numbers first;
  Numbers second;
  for (int step = 0; step < 20; ++step) {
    kernels.insert(kernels.end(), {10, 11, 12, 10, 13});
    first.insert(first.end(), {0, 1, 0});
    second.insert(second.end(), {2, 3});
  }
  const auto found = merged(kernels, first, second, anything);
  ASSERT_TRUE(found);
  for (std::size_t at = 0; at < kernels.size(); ++at) {
    EXPECT_EQ((*found)[at], kernels[at] >= 12) << at;
  }
}

TEST(Merge, HasNoPairThatCannotBe) {
  const auto even = [](std::uint32_t kernel, std::uint32_t call) { return kernel % 2 == call % 2; };
  EXPECT_THAT(merged({0, 1, 0, 1}, {0, 0}, {1, 1}, even),
              Optional(ElementsAre(false, true, false, true)));
  EXPECT_EQ(merged({0, 0, 0, 1}, {0, 0}, {1, 1}, even), std::nullopt);
}

TEST(Merge, OfWhatIsAlikeHasTheFirstListFirst) {
  EXPECT_THAT(merged({0, 0, 0}, {1}, {1, 1}, anything), Optional(ElementsAre(false, true, true)));
  EXPECT_THAT(merged({0, 0}, {}, {1, 1}, anything), Optional(ElementsAre(true, true)));
  EXPECT_THAT(merged({}, {}, {}, anything), Optional(ElementsAre()));
}

TEST(Merge, NeedsAsManyCallsAsKernels) {
  EXPECT_EQ(merged({0, 0}, {1}, {}, anything), std::nullopt);
}

}  // namespace
}  // namespace benanza
