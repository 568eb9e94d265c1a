#include "analysis/model/plan_memory.h"

#include <gmock/gmock.h>

#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::measured;
using test::us;
using testing::ElementsAre;

constexpr const char* first = "gemm/m4_n8_k16_nt_w/fp32/plain/onednn/large";
constexpr const char* second = "relu/4x8/fp32/plain/onednn/jit";

Measurement with_workspace(const char* call, std::int64_t bytes) {
  Measurement made = measured(call, {us});
  made.workspace_bytes = bytes;
  return made;
}

// A product of 4x16 with 8x16 weights, and what follows it.
Plan two_steps() {
  Plan plan{.precision = "fp32", .arena_bytes = 1000};
  plan.tensors = {{.name = "x", .shape = Dims{4, 16}, .buffer = 0}, {.name = "w"}};
  FlowCall product{.problem = "gemm/m4_n8_k16_nt_w"};
  product.operands = {{.kind = FlowOperand::Kind::tensor, .index = 0},
                      {.kind = FlowOperand::Kind::tensor, .index = 1}};
  FlowCall relu{.problem = "relu/4x8"};
  relu.operands = {{.kind = FlowOperand::Kind::tensor, .index = 0}};
  plan.steps = {{.call = first, .work = product}, {.call = second, .work = relu}};
  return plan;
}

TEST(PlanMemory, HasTheArenaConstantsAndWorkspaces) {
  MeasurementSet set;
  set.add(with_workspace(first, 300));
  set.add(with_workspace(second, 200));
  EXPECT_EQ(memory_of(two_steps(), set, Workspaces::shared),
            (PlanMemory{.arena = 1000, .constants = 4 * 8 * 16, .workspace = 300}));
  EXPECT_EQ(memory_of(two_steps(), set, Workspaces::own).workspace, 500);
  EXPECT_EQ(memory_of(two_steps(), {}, Workspaces::own).total(), 1512);
  Measurement shared = with_workspace(first, 300);
  shared.shares_workspace = true;
  MeasurementSet libraries;
  libraries.add(std::move(shared));
  EXPECT_EQ(memory_of(two_steps(), libraries, Workspaces::own).workspace, 0);
  // Transformed weights.
  Measurement larger = with_workspace(first, 0);
  larger.constant_bytes = 2048;
  MeasurementSet transformed;
  transformed.add(std::move(larger));
  EXPECT_EQ(memory_of(two_steps(), transformed, Workspaces::own).constants, 2048);
}

TEST(PlanMemory, HasTensorsInOtherFormats) {
  Plan plan = two_steps();
  plan.tensors[1].shape = Dims{2, 4};
  plan.tensors[1].buffer = 1;
  plan.buffers = {{.elements = 64, .bytes = 256, .last = 0},
                  {.elements = 8, .bytes = 32, .last = 2}};
  plan.conversions = {{.before_step = 0, .tensor = 0}, {.before_step = 0, .tensor = 1}};
  EXPECT_EQ(memory_of(plan, {}, Workspaces::own).converted, 256 + 32);
  // The first tensor is over.
  plan.conversions[1].before_step = 1;
  EXPECT_EQ(memory_of(plan, {}, Workspaces::own).converted, 256);
}

TEST(PlanMemory, HasPartsThatAreWrittenInAnotherFormatFromThereOn) {
  // Two parts of one place: the first is converted to it before the last step, the second before.
  Plan plan{.precision = "fp32",
            .tensors = {{.shape = Dims{2}, .buffer = 0},
                        {.shape = Dims{4}, .buffer = 0, .offset = 2},
                        {.shape = Dims{6}, .buffer = 0, .joins = {{.tensor = 0}, {1, 2}}},
                        {.shape = Dims{2}, .buffer = 1}},
            .buffers = {{.elements = 6, .bytes = 24, .last = 3}, {.elements = 2, .bytes = 8}},
            .steps = {{.call = second, .work = {.problem = "relu/2"}, .results = {0}},
                      {.call = second, .work = {.problem = "relu/4"}, .results = {1}}},
            .conversions = {{.before_step = 2, .tensor = 0}, {.before_step = 2, .tensor = 1}}};
  EXPECT_EQ(memory_of(plan, {}, Workspaces::own).converted, 8 + 16);
  // One of a block that is free before the parts are converted, but not before they are written.
  plan.conversions.push_back({.before_step = 0, .tensor = 3});
  EXPECT_EQ(memory_of(plan, {}, Workspaces::own).converted, 8 + 8 + 16);
}

TEST(PlanMemory, HasTablesOfGatheredRows) {
  Plan plan = two_steps();
  plan.steps[0].work.gather = GatheredRows{.outer = 1, .extent = 30, .count = 4, .inner = 16};
  plan.steps[0].work.operands[0].index = 1;
  MeasurementSet set;
  set.add(with_workspace(first, 300));
  EXPECT_EQ(memory_of(plan, set, Workspaces::own),
            (PlanMemory{.arena = 1000, .constants = 30 * 16 * 4}))
      << "the call only stands for one that moves as much";
}

TEST(PlanMemory, SizesAreThoseOfCallsThatCouldBeChosen) {
  MeasurementSet set;
  set.add(with_workspace(first, 300));
  set.add(with_workspace("gemm/m4_n8_k16_nt_w/fp32/plain/onednn/other", 300));
  set.add(with_workspace(second, 200));
  set.add(with_workspace("relu/4x8/fp16/plain/onednn/jit", 999));
  EXPECT_THAT(workspace_sizes(set, Precision::fp32), ElementsAre(0, 200, 300));
}

MemoryPoint point(std::int64_t workspace, double seconds) {
  return {.seconds = seconds, .memory = {.workspace = workspace}};
}

TEST(MemoryFront, HasWhatIsFasterThanAllWithLessMemory) {
  std::vector<std::optional<std::int64_t>> asked;
  const auto front = memory_front({0, 10, 20, 30}, [&](std::optional<std::int64_t> limit) {
    asked.push_back(limit);
    std::optional<MemoryPoint> found;
    if (!limit) found = point(100, 1);
    if (limit == 10) found = point(10, 4);
    // Slower with more memory.
    if (limit == 20) found = point(20, 5);
    if (limit == 30) found = point(25, 2);
    return found;
  });
  EXPECT_THAT(asked, ElementsAre(0, 10, 20, 30, std::nullopt));
  std::vector<double> seconds;
  for (const MemoryPoint& one : front) seconds.push_back(one.seconds);
  EXPECT_THAT(seconds, ElementsAre(4, 2, 1));
}

TEST(MemoryFront, AsksForFewLimits) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 0; size < 100; ++size) sizes.push_back(size);
  std::vector<std::int64_t> asked;
  memory_front(sizes, [&](std::optional<std::int64_t> limit) {
    if (limit) asked.push_back(*limit);
    return std::optional<MemoryPoint>();
  });
  ASSERT_EQ(asked.size(), most_limits);
  EXPECT_EQ(asked.front(), 0);
  EXPECT_EQ(asked.back(), 99);
}

}  // namespace
}  // namespace benanza::analysis
