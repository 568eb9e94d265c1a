#include "suites/plan/accesses.h"

#include <gmock/gmock.h>

#include <array>

namespace benanza::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Memory {
  std::array<std::byte, 64> bytes{};
  Access read(std::int64_t first, std::int64_t count) const {
    return {bytes.data() + first, count, false};
  }
  Access write(std::int64_t first, std::int64_t count) const {
    return {bytes.data() + first, count, true};
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
}  // namespace benanza::plan
