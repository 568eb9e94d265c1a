#include "analysis/model/plan_memory.h"

#include <gtest/gtest.h>

namespace benanza::analysis {
namespace {

static_assert(arena_alignment == 256);

// Of 300, 256 and 200 bytes: the first two are needed at the same time, the third after the first.
TEST(Arena, GivesMemoryAgainWhenNobodyNeedsIt) {
  std::vector<PlanBuffer> buffers{{.bytes = 300, .first = 0, .last = 1},
                                  {.bytes = 256, .first = 1, .last = 3},
                                  {.bytes = 200, .first = 2, .last = 3}};
  EXPECT_EQ(place_buffers(buffers), 768);
  EXPECT_EQ(buffers[0].offset, 0);
  EXPECT_EQ(buffers[1].offset, 512);
  EXPECT_EQ(buffers[2].offset, 0);
}

// The gap of 768 bytes between two large ones takes one of 257 (512) and one of 256.
TEST(Arena, FillsGaps) {
  std::vector<PlanBuffer> buffers{{.bytes = 1024, .first = 0, .last = 5},
                                  {.bytes = 768, .first = 0, .last = 1},
                                  {.bytes = 512, .first = 0, .last = 5},
                                  {.bytes = 256, .first = 2, .last = 5},
                                  {.bytes = 257, .first = 2, .last = 5}};
  EXPECT_EQ(place_buffers(buffers), 2304);
  EXPECT_EQ(buffers[2].offset, 1792);
  EXPECT_EQ(buffers[4].offset, 1024);
  EXPECT_EQ(buffers[3].offset, 1536);
}

TEST(Arena, OfNothingIsEmpty) {
  std::vector<PlanBuffer> none;
  EXPECT_EQ(place_buffers(none), 0);
}

}  // namespace
}  // namespace benanza::analysis
