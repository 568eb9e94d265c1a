#include "analysis/model/plan_regions.h"

#include <gmock/gmock.h>

namespace benanza::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A tensor of 64 floats in a buffer of its own, needed from `first` to `last`.
void add_tensor(Plan& plan, std::size_t first, std::size_t last) {
  plan.tensors.push_back({.type = "float", .shape = Dims{64}, .buffer = plan.buffers.size()});
  plan.buffers.push_back({.elements = 64, .bytes = 256, .first = first, .last = last});
}

PlanStep step(std::vector<std::size_t> reads, std::size_t result) {
  PlanStep made{.results = {result}};
  for (const std::size_t tensor : reads) made.work.operands.push_back({.index = tensor});
  return made;
}

// Of x: b over a, and d over c; then their sum.
Plan two_towers() {
  Plan plan;
  add_tensor(plan, 0, 4);  // x
  add_tensor(plan, 0, 1);  // a
  add_tensor(plan, 1, 4);  // b
  add_tensor(plan, 2, 3);  // c
  add_tensor(plan, 3, 4);  // d
  add_tensor(plan, 4, 4);  // y
  plan.steps = {step({0}, 1), step({1}, 2), step({0}, 3), step({3}, 4), step({2, 4}, 5)};
  return plan;
}

TEST(PlanRegions, AreStepsThatNeedNotWaitForEachOther) {
  EXPECT_THAT(regions_of(two_towers()), ElementsAre(Region{0, 4}));
}

TEST(PlanRegions, KeepWhatTheirStepsWorkOn) {
  Plan plan = two_towers();
  keep_regions(plan);
  // In order, c takes a's place: then its tower waits for b.
  EXPECT_EQ(plan.buffers[1].first, 0U);
  EXPECT_EQ(plan.buffers[1].last, 3U);
  EXPECT_EQ(plan.buffers[3].first, 0U);
  EXPECT_EQ(plan.buffers[2].last, 4U);
  // All but y, which takes the place of what the sum does not read.
  EXPECT_EQ(plan.arena_bytes, 5 * 256);
  for (std::size_t one = 0; one < 5; ++one) {
    for (std::size_t other = 0; other < one; ++other) {
      EXPECT_NE(plan.buffers[one].offset, plan.buffers[other].offset);
    }
  }
}

TEST(PlanRegions, AChainKeepsNothing) {
  Plan plan;
  add_tensor(plan, 0, 1);
  add_tensor(plan, 0, 1);
  add_tensor(plan, 1, 1);
  plan.steps = {step({0}, 1), step({1}, 2)};
  const std::vector<PlanBuffer> before = plan.buffers;
  EXPECT_THAT(regions_of(plan), IsEmpty());
  keep_regions(plan);
  EXPECT_EQ(plan.buffers[1].last, before[1].last);
}

TEST(PlanRegions, PartsOfATensorAreWrittenAtTheSameTime) {
  Plan plan;
  add_tensor(plan, 0, 2);
  add_tensor(plan, 0, 2);
  plan.tensors[1].shape = Dims{32};
  plan.tensors.push_back(plan.tensors[1]);
  plan.tensors.back().offset = 32;
  plan.tensors.push_back({.type = "float", .shape = Dims{64}, .buffer = 1});
  add_tensor(plan, 2, 2);
  plan.steps = {step({0}, 1), step({0}, 2), step({3}, 4)};
  EXPECT_THAT(regions_of(plan), ElementsAre(Region{0, 2}));
}

}  // namespace
}  // namespace benanza::analysis
