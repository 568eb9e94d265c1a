// Layers that a plan does by parts, leaves to its caller, or whose constants their calls take.
#include <gmock/gmock.h>

#include "analysis/model/plan.h"
#include "analysis/tests/build.h"
#include "analysis/tests/folder.h"
#include "core/problem/problem.h"

namespace benanza::analysis {
namespace {

using test::error_of;
using test::five;
using test::measured;
using test::us;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Layers one after the other; each reads tensors by their numbers and makes the next one.
struct LayersInOrder {
  Graph graph{.model = "m", .batch = 1};
  DataFlow flow{.model = "m", .batch = 1};
  MeasurementSet set;

  std::size_t tensor(const std::string& name, const std::string& type, Dims shape) {
    flow.tensors.push_back({.name = name, .type = type, .shape = std::move(shape)});
    return flow.tensors.size() - 1;
  }
  std::size_t constant(const std::string& name, Dims shape) {
    const std::size_t made = tensor(name, "float", std::move(shape));
    flow.tensors[made].constant = true;
    return made;
  }
  /// Returns its result. Each call takes 1 us.
  std::size_t layer(const std::string& name, const std::string& problem,
                    const std::vector<std::size_t>& operands, const std::string& type = "float") {
    FlowCall call{.problem = problem};
    for (const std::size_t operand : operands) call.operands.push_back({.index = operand});
    const std::size_t made = tensor(name, type, output(parse(problem)));
    flow.tensors[made].layer = graph.layers.size();
    graph.layers.push_back(
        {.name = name, .op = "Op", .cost = Cost::measured, .problems = {problem}});
    flow.layers.push_back({.outputs = {made}, .calls = {call}});
    flow.results = {made};
    measure(problem);
    return made;
  }
  void measure(const std::string& problem) {
    set.add(measured(problem + "/fp32/plain/onednn/jit", five(1 * us)));
  }
  FlowOperand& operand(std::size_t layer, std::size_t index) {
    return flow.layers[layer].calls[0].operands[index];
  }
  Plan plan() const {
    return make_plan(graph, flow, planned_work(graph, flow, set, {}, true), Precision::fp32, {});
  }
};

// Its own call is faster, but only stands for its work: that of a cache with gaps, say.
TEST(PlanOfLayers, DoesALayerAsAWholeIfItsOwnCallsDoNotMakeItsResult) {
  LayersInOrder given;
  given.layer("a", "relu/2x4", {given.tensor("x", "float", {2, 4})});
  given.flow.layers[0].calls[0].proxy = true;
  EXPECT_THAT(error_of([&] { given.plan(); }), HasSubstr("a: its call stands for its work"));
  given.graph.fusions = {{.pattern = "whole", .layers = {0}, .problem = "relu/8", .whole = true}};
  given.flow.fusions = {{.calls = {{.problem = "relu/8", .operands = {{.index = 0}}}}}};
  given.set.add(measured("relu/8/fp32/plain/onednn/jit", five(5 * us)));
  const Plan plan = given.plan();
  ASSERT_THAT(plan.steps, SizeIs(1));
  EXPECT_EQ(plan.steps[0].work.problem, "relu/8");
}

TEST(PlanOfLayers, DoesALayerByPartsIfNothingElseDoes) {
  LayersInOrder given;
  given.layer("n", "rmsnorm/2x4_e1e-05", {given.tensor("x", "float", {2, 4})});
  given.set = {};
  given.graph.fusions = {{.pattern = "parts",
                          .layers = {0},
                          .problem = "mul/2x4_2x4",
                          .also = {"reducemean/2x4_a1"},
                          .whole = true}};
  given.flow.fusions = {{}};
  for (const char* problem : {"mul/2x4_2x4", "reducemean/2x4_a1"}) given.measure(problem);
  EXPECT_THAT(error_of([&] { given.plan(); }), HasSubstr("n: "));
  using Kind = FlowOperand::Kind;
  given.flow.fusions[0].calls = {
      {.problem = "mul/2x4_2x4", .operands = {{.index = 0}, {.index = 0}}},
      {.problem = "reducemean/2x4_a1", .operands = {{.kind = Kind::call, .index = 0}}}};
  const Plan plan = given.plan();
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_THAT(plan.steps[1].results, ElementsAre(1));
  EXPECT_EQ(plan.steps[1].work.operands[0].index, plan.steps[0].results[0]);
  EXPECT_EQ(contradiction_of(plan), "");
}

TEST(PlanOfLayers, LeavesIntegersAndMasksToTheCaller) {
  LayersInOrder given;
  const std::size_t seen = given.tensor("seen", "int64", {1, 4});
  const std::size_t x = given.tensor("x", "float", {2, 4});
  const std::size_t hidden = given.layer("hidden", "linear/1x4_a-1_b1", {seen});
  const std::size_t lowest = given.constant("lowest", {1});
  const std::size_t mask = given.layer("mask", "mul/1x4_1x1_w", {hidden, lowest});
  given.layer("y", "add/2x4_1x4", {x, mask});
  const Plan plan = given.plan();
  ASSERT_THAT(plan.steps, SizeIs(1));
  EXPECT_THAT(plan.steps[0].layers, ElementsAre("y"));
  EXPECT_THAT(plan.inputs, ElementsAre(x, mask));
  EXPECT_THAT(plan.prepared, ElementsAre("hidden", "mask"));
  EXPECT_NEAR(plan.prepared_seconds, 2 * us, 1e-12);
  EXPECT_NEAR(plan.seconds, 1 * us, 1e-12);
  // A vector may be learned: no mask.
  given.flow.tensors[lowest].shape = Dims{4};
  EXPECT_THAT(given.plan().prepared, ElementsAre("hidden"));
  EXPECT_THAT(given.plan().steps, SizeIs(2));
}

TEST(PlanOfLayers, AddsTruthValuesAsWhatTheyHide) {
  LayersInOrder given;
  const std::size_t seen = given.tensor("seen", "bool", {1, 4});
  const std::size_t x = given.tensor("x", "float", {2, 4});
  const std::size_t y = given.layer("y", "add/2x4_1x4", {x, seen});
  Plan plan = given.plan();
  EXPECT_TRUE(plan.tensors[seen].hides);
  EXPECT_EQ(plan.buffers.at(plan.tensors[seen].buffer.value()).bytes, 16) << "fp32";
  given.layer("z", "mul/2x4_1x4", {y, seen});
  EXPECT_THAT(error_of([&] { given.plan(); }), HasSubstr("z: masks by truth values that others"));
  given.operand(0, 1).index = x;
  EXPECT_FALSE(given.plan().tensors[seen].hides) << "1 and 0";
}

TEST(PlanOfLayers, AddsIntegersAsWhatTheyHide) {
  LayersInOrder given;
  const std::size_t seen = given.tensor("seen", "int64", {1, 4});
  given.layer("y", "add/2x4_1x4", {given.tensor("x", "float", {2, 4}), seen});
  const Plan plan = given.plan();
  EXPECT_TRUE(plan.tensors[seen].hides);
  EXPECT_EQ(plan.buffers.at(plan.tensors[seen].buffer.value()).bytes, 16) << "fp32";
}

TEST(PlanOfLayers, MakesNoIntegers) {
  LayersInOrder given;
  const std::size_t x = given.tensor("x", "float", {2, 4});
  const std::size_t ids = given.tensor("ids", "int64", {1, 4});
  given.layer("y", "add/2x4_1x4", {x, ids}, "int64");
  EXPECT_THAT(error_of([&] { given.plan(); }), HasSubstr("y: makes int64"));
}

TEST(PlanOfLayers, SaysIfNobodyMakesAResult) {
  LayersInOrder given;
  given.layer("y", "relu/2x4", {given.tensor("x", "float", {2, 4})});
  given.flow.results.push_back(given.tensor("kept", "float", {2, 4}));
  EXPECT_EQ(contradiction_of(given.plan()), "no step makes the result kept");
}

TEST(PlanOfLayers, LeavesAFactorToItsProduct) {
  LayersInOrder given;
  const std::size_t q = given.tensor("q", "float", {2, 4});
  const std::size_t k = given.tensor("k", "float", {4, 2});
  given.layer("scores", "gemm/m2_n2_k4_nn", {q, k});
  given.operand(0, 0).scale = 0.5;
  EXPECT_EQ(given.plan().steps.at(0).work.operands[0].scale, 0.5);
  LayersInOrder other;
  other.layer("y", "relu/2x4", {other.tensor("x", "float", {2, 4})});
  other.operand(0, 0).scale = 0.5;
  EXPECT_THAT(error_of([&] { other.plan(); }), HasSubstr("y: scales what is no constant"));
}

TEST(PlanOfLayers, HandsOutWhatALayerReadsItself) {
  LayersInOrder given;
  given.layer("y", "tanh/4", {given.tensor("x", "float", {4})});
  const std::size_t kept = given.tensor("kept", "float", {4});
  FlowLayer& layer = given.flow.layers[0];
  layer.outputs.push_back(kept);
  layer.calls.insert(layer.calls.begin(),
                     FlowCall{.problem = "relu/4", .operands = {{.index = 0}}, .output = 1});
  layer.calls[1].operands[0] = {.kind = FlowOperand::Kind::call, .index = 0};
  given.graph.layers[0].problems = {"relu/4", "tanh/4"};
  given.measure("relu/4");
  given.flow.results.push_back(kept);
  const Plan plan = given.plan();
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_THAT(plan.steps[0].results, ElementsAre(kept));
  EXPECT_EQ(plan.steps[1].work.operands[0].index, kept);
  EXPECT_EQ(contradiction_of(plan), "");
}

/// Rows of two, gathered and read by a product that wants each twice.
struct GatheredTable : LayersInOrder {
  std::size_t rows = 0;
  GatheredTable() {
    const std::size_t table = constant("table", {8, 2});
    const std::size_t ids = tensor("ids", "int64", {1});
    rows = layer("rows", "copy/2_f1_t1", {table, ids});
    flow.layers[0].calls[0].proxy = true;
    flow.layers[0].calls[0].gather = GatheredRows{.extent = 8, .count = 1, .inner = 2};
    layer("y", "mul/3x4_1x4", {tensor("x", "float", {3, 4}), rows});
    operand(1, 1).numbers = {-1, 1};
  }
};

TEST(PlanOfLayers, GathersRowsThatAreRepeated) {
  GatheredTable given;
  const Plan plan = given.plan();
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_EQ(plan.steps[0].work.gather->inner, 4);
  EXPECT_THAT(plan.steps[0].work.operands[0].numbers, ElementsAre(-1, 1));
  EXPECT_THAT(plan.steps[1].work.operands[1].numbers, IsEmpty());
  EXPECT_EQ(plan.buffers.at(plan.tensors[given.rows].buffer.value()).bytes, 16);
  EXPECT_EQ(plan.tensors[given.rows].name, "") << "no tensor of the model";
  given.layer("z", "relu/1x2", {given.rows});
  EXPECT_THAT(error_of([&] { given.plan(); }), HasSubstr("z: needs rows of"));
}

TEST(PlanOfLayers, RefusesBands) {
  LayersInOrder given;
  const std::size_t x = given.tensor("x", "float", {2, 4});
  given.layer("y", "add/2x4_2x4", {x, x});
  given.operand(0, 1).kind = FlowOperand::Kind::band;
  EXPECT_THAT(error_of([&] { given.plan(); }), HasSubstr("y: masks a band"));
}

}  // namespace
}  // namespace benanza::analysis
