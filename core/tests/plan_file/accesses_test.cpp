#include "core/plan_file/accesses.h"

#include <gmock/gmock.h>

#include <cstdint>

namespace benanza {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Memory {
  static constexpr std::uintptr_t begin = 4096;
  static Access read(std::uintptr_t first, std::int64_t count) {
    return {begin + first, count, false};
  }
  static Access write(std::uintptr_t first, std::int64_t count) {
    return {begin + first, count, true};
  }
};

TEST(Dependencies, BranchesWaitForTheirSourceAlone) {
  const Memory at;
  // a -> b, a -> c, b and c -> d
  const auto found = dependencies({{at.write(0, 8)},
                                   {at.read(0, 8), at.write(8, 8)},
                                   {at.read(0, 8), at.write(16, 8)},
                                   {at.read(8, 16), at.write(24, 8)}});
  EXPECT_THAT(found, ElementsAre(IsEmpty(), ElementsAre(0), ElementsAre(0), ElementsAre(1, 2)));
}

TEST(Dependencies, WhoWritesWaitsForThoseWhoReadAndWriteThere) {
  const Memory at;
  const auto found = dependencies({{at.read(0, 8)}, {at.write(4, 8)}, {at.write(11, 4)}});
  EXPECT_THAT(found, ElementsAre(IsEmpty(), ElementsAre(0), ElementsAre(1)));
}

TEST(Dependencies, NeighboursDoNotMeet) {
  const Memory at;
  const auto found = dependencies({{at.write(0, 8)}, {at.write(8, 8)}, {at.read(16, 0)}});
  EXPECT_THAT(found, ElementsAre(IsEmpty(), IsEmpty(), IsEmpty()));
}

TEST(Dependencies, ThoseOverOthersAreLeftOut) {
  const Memory at;
  // 2 needs 1 and 0, and 1 needs 0 itself.
  const auto found = dependencies(
      {{at.write(0, 8)}, {at.read(0, 8), at.write(8, 8)}, {at.read(0, 16), at.write(16, 8)}});
  EXPECT_THAT(found, ElementsAre(IsEmpty(), ElementsAre(0), ElementsAre(1)));
}

}  // namespace
}  // namespace benanza
