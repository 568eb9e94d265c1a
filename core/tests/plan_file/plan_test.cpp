#include "core/plan_file/plan.h"

#include <gmock/gmock.h>

#include "core/tests/folder.h"

namespace benanza {
namespace {

using test::error_of;
using test::Folder;
using testing::HasSubstr;

PlanStep relu(std::size_t from, std::size_t to) {
  return {.layers = {"r" + std::to_string(to)},
          .call = "relu/4/fp32/plain/onednn/jit",
          .seconds = 1e-6,
          .work = {.problem = "relu/4", .operands = {{.index = from}}},
          .results = {to}};
}

PlanTensor tensor(const std::string& name, std::optional<std::size_t> buffer) {
  return {.name = name, .type = "float", .shape = Dims{4}, .buffer = buffer};
}

/// x -> a -> b -> y, four floats each; b lies where x was.
Plan chain() {
  return {.model = "m",
          .batch = 1,
          .precision = "fp32",
          .metadata = {{"phase", "decode"}},
          .arena_bytes = 192,
          .seconds = 3e-6,
          .tensors = {tensor("x", 0), tensor("a", 1), tensor("b", 2), tensor("y", 3)},
          .buffers = {{.elements = 4, .bytes = 16, .offset = 0, .first = 0, .last = 0},
                      {.elements = 4, .bytes = 16, .offset = 64, .first = 0, .last = 1},
                      {.elements = 4, .bytes = 16, .offset = 0, .first = 1, .last = 2},
                      {.elements = 4, .bytes = 16, .offset = 128, .first = 2, .last = 2}},
          .steps = {relu(0, 1), relu(1, 2), relu(2, 3)},
          .inputs = {0},
          .results = {3}};
}

TEST(Plan, IsReadAsItWasWritten) {
  const Folder folder;
  Plan plan = chain();
  FlowCall& work = plan.steps[1].work;
  work.operands.push_back({.kind = FlowOperand::Kind::factor,
                           .scale = 0.5,
                           .statistics = Statistics{0, 1, 2, 3, 1e-5}});
  work.operands.push_back({.kind = FlowOperand::Kind::causal, .window = 7});
  work.folds.push_back({.kind = Fold::Kind::linear, .alpha = 2, .beta = -1});
  work.folds.push_back({.kind = Fold::Kind::rsub, .tensor = 3, .scale = 4});
  work.part = true;
  work.to_offset = 5;
  EXPECT_EQ(read_plan(folder.write("plan.json", plan_json(plan))), plan);
}

TEST(Plan, OfSoundStepsHasNoContradiction) { EXPECT_EQ(contradiction_of(chain()), ""); }

TEST(Plan, FreesNothingTooEarly) {
  Plan plan = chain();
  plan.buffers[1].last = 0;
  EXPECT_THAT(contradiction_of(plan), HasSubstr("reads what is not there: a"));
}

TEST(Plan, LetsNoTwoBuffersShareMemory) {
  Plan plan = chain();
  plan.buffers[2].offset = 64;
  EXPECT_THAT(contradiction_of(plan),
              HasSubstr("buffers 1 and 2 share memory while both are needed"));
}

TEST(Plan, ReadsOnlyWhatWasWritten) {
  Plan plan = chain();
  plan.inputs.clear();
  EXPECT_THAT(contradiction_of(plan), HasSubstr("reads what no step has written: x"));
  plan = chain();
  std::swap(plan.steps[0], plan.steps[1]);
  EXPECT_NE(contradiction_of(plan), "");
}

/// y is a and b, one behind the other, which nobody joins; c reads it. a lies there already.
Plan joined() {
  Plan plan = chain();
  plan.tensors[1].buffer = 3;
  plan.tensors[3] = {.name = "y",
                     .type = "float",
                     .shape = Dims{8},
                     .buffer = 3,
                     .joins = {{.tensor = 1, .first = 0}, {.tensor = 2, .first = 4}}};
  plan.tensors.push_back(tensor("c", 1));
  plan.buffers[1] = {.elements = 4, .bytes = 16, .offset = 64, .first = 2, .last = 2};
  plan.buffers[3] = {.elements = 8, .bytes = 32, .offset = 128, .first = 0, .last = 2};
  plan.steps[2] = relu(3, 4);
  plan.results = {4};
  return plan;
}

TEST(Plan, JoinsPartsThatAreWritten) {
  const Folder folder;
  const Plan plan = joined();
  EXPECT_EQ(contradiction_of(plan), "");
  EXPECT_EQ(read_plan(folder.write("plan.json", plan_json(plan))), plan);
  EXPECT_TRUE(is_in_place(plan, 3, plan.tensors[3].joins[0]));
  EXPECT_FALSE(is_in_place(plan, 3, plan.tensors[3].joins[1]));
}

TEST(Plan, JoinsNothingThatIsNotThere) {
  Plan plan = joined();
  plan.steps[1].results = {1};
  EXPECT_THAT(contradiction_of(plan), HasSubstr("reads what no step has written: y"));
  plan = joined();
  plan.buffers[2].last = 1;
  EXPECT_THAT(contradiction_of(plan), HasSubstr("reads what is not there: y"));
  plan = joined();
  plan.tensors[3].joins[1].first = 3;
  EXPECT_THAT(contradiction_of(plan), HasSubstr("that is not there")) << "the parts overlap";
}

TEST(Plan, StaysInItsArena) {
  Plan plan = chain();
  plan.arena_bytes = 140;
  EXPECT_THAT(contradiction_of(plan), HasSubstr("buffer 3 is not in the arena"));
}

TEST(Plan, ThatIsBrokenIsOneLine) {
  const Folder folder;
  Plan plan = chain();
  plan.steps[0].results = {9};
  EXPECT_THAT(error_of([&] { read_plan(folder.write("p.json", plan_json(plan))); }),
              HasSubstr("p.json: "));
  EXPECT_THAT(error_of([&] { read_plan(folder.write("g.json", "{\"schema\": 1}")); }),
              HasSubstr("g.json: "));
  EXPECT_THAT(error_of([&] { read_plan(folder.write("n.json", "{\"schema\": 99}")); }),
              HasSubstr("99"));
}

TEST(Flow, IsReadAsItWasWritten) {
  const Folder folder;
  const DataFlow flow{
      .model = "m",
      .batch = 2,
      .tensors = {{.name = "x", .type = "float", .shape = Dims{2, 4}},
                  {.name = "w", .type = "float", .shape = Dims{4, 4}, .constant = true},
                  {.name = "y", .type = "float", .shape = {}, .layer = 0}},
      .layers = {{.outputs = {2}, .view_of = 0},
                 {.outputs = {2},
                  .calls = {{.problem = "gemm/m2_n4_k4_nn_w",
                             .operands = {{.index = 0}, {.index = 1}}},
                            {.problem = "relu/2x4",
                             .operands = {{.kind = FlowOperand::Kind::call, .index = 0}},
                             .proxy = true}}}},
      .fusions = {{}, {.calls = {{.problem = "relu/2x4", .operands = {{.index = 0}}}}}},
      .results = {2}};
  EXPECT_EQ(read_flow(folder.write("m.flow.json", flow_json(flow))), flow);
}

}  // namespace
}  // namespace benanza
