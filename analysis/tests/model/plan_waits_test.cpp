#include "analysis/model/plan_memory.h"

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

TEST(PlanWaits, AreForThoseWhoMakeWhatAStepReads) {
  EXPECT_THAT(waits_of(two_towers()),
              ElementsAre(IsEmpty(), ElementsAre(0), IsEmpty(), ElementsAre(2), ElementsAre(1, 3)));
}

// In order, c takes a's place: then its tower waits for b.
TEST(PlanWaits, MemoryOfABranchIsNotThatOfAnother) {
  Plan plan = two_towers();
  EXPECT_EQ(place_buffers(plan.buffers), 4 * 256);
  place_for_branches(plan);
  const auto place = [&](std::size_t tensor) { return plan.buffers[tensor].offset; };
  EXPECT_NE(place(1), place(3));
  EXPECT_NE(place(1), place(4)) << "a is read while d is written";
  EXPECT_EQ(plan.arena_bytes, 5 * 256) << "y takes the place of a or c";
}

// x -> a -> b -> c: every buffer is needed by two steps, and two places do beside x's.
TEST(PlanWaits, AChainUsesMemoryAgain) {
  Plan plan;
  add_tensor(plan, 0, 3);
  add_tensor(plan, 0, 1);
  add_tensor(plan, 1, 2);
  add_tensor(plan, 2, 3);
  plan.steps = {step({0}, 1), step({1}, 2), step({2}, 3), step({3}, 3)};
  place_for_branches(plan);
  EXPECT_EQ(plan.arena_bytes, 3 * 256);
}

TEST(PlanWaits, PartsOfATensorAreWrittenAtTheSameTime) {
  Plan plan;
  add_tensor(plan, 0, 2);
  add_tensor(plan, 0, 2);
  plan.tensors[1].shape = Dims{32};
  plan.tensors.push_back(plan.tensors[1]);
  plan.tensors.back().offset = 32;
  plan.tensors.push_back({.type = "float", .shape = Dims{64}, .buffer = 1});
  add_tensor(plan, 2, 2);
  plan.steps = {step({0}, 1), step({0}, 2), step({3}, 4)};
  EXPECT_THAT(waits_of(plan), ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(0, 1)));
}

// Steps read a tensor whose parts lie elsewhere.
TEST(PlanWaits, AJoinedTensorWaitsForItsParts) {
  Plan plan;
  add_tensor(plan, 0, 1);
  add_tensor(plan, 0, 1);
  add_tensor(plan, 1, 1);
  plan.tensors[1].joins = {{.tensor = 0}};
  plan.steps = {step({}, 0), step({1}, 2)};
  EXPECT_THAT(waits_of(plan)[1], ElementsAre(0));
}

}  // namespace
}  // namespace benanza::analysis
