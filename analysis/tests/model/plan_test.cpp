#include "analysis/model/plan.h"

#include <gmock/gmock.h>

#include "analysis/tests/build.h"
#include "analysis/tests/folder.h"

namespace benanza::analysis {
namespace {

using test::error_of;
using test::five;
using test::measured;
using test::us;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// x (8 floats) -> a: relu -> v: a reshape -> b: tanh; and both as one call.
struct Case {
  Graph graph{.model = "m",
              .batch = 1,
              .layers = {layer("a", "relu/8"), view("v"), layer("b", "tanh/2x4")},
              .fusions = {{.pattern = "chain", .layers = {0, 1, 2}, .problem = "relu/8_tanh"}},
              .metadata = {{"phase", "decode"}}};
  DataFlow flow{.model = "m",
                .batch = 1,
                .tensors = {tensor("x", {8}), tensor("a_out", {8}, 0), tensor("v_out", {2, 4}, 1),
                            tensor("b_out", {2, 4}, 2)},
                .layers = {{.outputs = {1}, .calls = {call("relu/8", 0)}},
                           {.outputs = {2}, .view_of = 1},
                           {.outputs = {3}, .calls = {call("tanh/2x4", 2)}}},
                .fusions = {{.calls = {call("relu/8_tanh", 0)}}},
                .results = {3}};
  MeasurementSet set;

  Case() {
    graph.layers[1].inputs = {0};
    graph.layers[2].inputs = {1};
    set.add(measured("relu/8/fp32/nchw/onednn/jit", five(3 * us)));
    set.add(measured("relu/8/fp32/any/onednn/jit", five(2 * us)));
    set.add(measured("tanh/2x4/fp32/nchw/onednn/jit", five(4 * us)));
  }
  static Layer layer(const std::string& name, const std::string& problem) {
    return {.name = name, .op = "Op", .cost = Cost::measured, .problems = {problem}};
  }
  static Layer view(const std::string& name) {
    return {.name = name, .op = "Reshape", .cost = Cost::free};
  }
  static FlowTensor tensor(const std::string& name, Dims shape,
                           std::optional<std::size_t> layer = {}) {
    return {.name = name, .type = "float", .shape = std::move(shape), .layer = layer};
  }
  static FlowCall call(const std::string& problem, std::size_t operand) {
    return {.problem = problem, .operands = {{.index = operand}}};
  }
  Plan plan(bool fused = true) const {
    return make_plan(graph, flow, planned_work(graph, flow, set, {}, fused), Precision::fp32,
                     {.overhead_seconds = 2 * us});
  }
};

TEST(MakePlan, TakesTheFastestCallsInOrder) {
  const Case given;
  const Plan plan = given.plan();
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_EQ(plan.steps[0].call, "relu/8/fp32/any/onednn/jit");
  EXPECT_THAT(plan.steps[0].layers, ElementsAre("a"));
  EXPECT_EQ(plan.steps[1].call, "tanh/2x4/fp32/nchw/onednn/jit");
  EXPECT_NEAR(plan.seconds, 6 * us, 1e-12);
  EXPECT_EQ(plan.metadata, given.graph.metadata);
  EXPECT_EQ(contradiction_of(plan), "");
  // The view is what it shows; x and y are needed to the end.
  EXPECT_EQ(plan.tensors[2].buffer, plan.tensors[1].buffer);
  EXPECT_THAT(plan.inputs, ElementsAre(0));
  EXPECT_THAT(plan.results, ElementsAre(3));
  EXPECT_EQ(plan.arena_bytes, 3 * 256);
}

TEST(MakePlan, FusesWhereThatIsFaster) {
  Case given;
  given.set.add(measured("relu/8_tanh/fp32/nchw/onednn/jit", five(5 * us)));
  const Plan plan = given.plan();
  ASSERT_THAT(plan.steps, SizeIs(1));
  EXPECT_THAT(plan.steps[0].layers, ElementsAre("a", "v", "b"));
  EXPECT_THAT(plan.steps[0].results, ElementsAre(3));
  EXPECT_THAT(given.plan(false).steps, SizeIs(2)) << "one call a layer";
}

TEST(MakePlan, TakesTheHeuristicsChoiceIfAsked) {
  Case given;
  Measurement first = measured("tanh/2x4/fp32/nchw/onednn/first", five(9 * us));
  first.heuristic_rank = 1;
  given.set.add(std::move(first));
  MeasurementFilter filter;
  filter.policy = AlgorithmPolicy::heuristic;
  const Plan plan = make_plan(given.graph, given.flow,
                              planned_work(given.graph, given.flow, given.set, filter, true),
                              Precision::fp32, {.overhead_seconds = 2 * us});
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_EQ(plan.steps[1].call, "tanh/2x4/fp32/nchw/onednn/first");
}

TEST(MakePlan, FusesNothingWhoseOperandsAreNotKnown) {
  Case given;
  given.set.add(measured("relu/8_tanh/fp32/nchw/onednn/jit", five(5 * us)));
  given.flow.fusions[0].calls.clear();
  EXPECT_THAT(given.plan().steps, SizeIs(2));
}

/// y = table[ids]: the embedding of three tokens.
struct Embedding {
  Graph graph{.model = "m", .batch = 1, .layers = {Case::layer("embed", "copy/24_f1_t1")}};
  DataFlow flow{
      .model = "m",
      .batch = 1,
      .tensors = {Case::tensor("table", {100, 8}), Case::tensor("ids", {1, 3}),
                  Case::tensor("y", {1, 3, 8}, 0)},
      .layers = {{.outputs = {2},
                  .calls = {{.problem = "copy/24_f1_t1",
                             .operands = {{.index = 0}, {.index = 1}},
                             .proxy = true,
                             .gather =
                                 GatheredRows{
                                     .outer = 1, .extent = 100, .count = 3, .inner = 8}}}}},
      .results = {2}};
  MeasurementSet set;

  Embedding() {
    flow.tensors[0].constant = true;
    flow.tensors[1].type = "int64";
    set.add(measured("copy/24_f1_t1/fp16/plain/onednn/jit", five(3 * us)));
  }
  Plan plan() const {
    MeasurementFilter filter;
    filter.precision = Precision::fp16;
    return make_plan(graph, flow, planned_work(graph, flow, set, filter, true), Precision::fp16,
                     {});
  }
};

TEST(MakePlan, GathersRowsInPlaceOfTheCallThatStandsForThem) {
  Embedding given;
  const Plan plan = given.plan();
  ASSERT_THAT(plan.steps, SizeIs(1));
  EXPECT_EQ(plan.steps[0].work.gather->extent, 100);
  EXPECT_THAT(plan.inputs, ElementsAre(1));
  EXPECT_EQ(plan.buffers.at(plan.tensors[1].buffer.value()).bytes, 3 * 8) << "int64";
  EXPECT_EQ(plan.buffers.at(plan.tensors[2].buffer.value()).bytes, 24 * 2) << "fp16";
  EXPECT_FALSE(plan.tensors[0].buffer) << "the call keeps the table";
  EXPECT_NEAR(plan.seconds, 3 * us, 1e-12);
  EXPECT_EQ(contradiction_of(plan), "");
  given.flow.tensors[1].type = "float";
  EXPECT_THAT(error_of([&] { given.plan(); }), HasSubstr("embed: chooses rows by float"));
}

/// y = relu(x[first : first + 4]) of 8 numbers.
Plan plan_of_a_part(std::int64_t first) {
  const Graph graph{.model = "m",
                    .batch = 1,
                    .layers = {Case::layer("part", "copy/4_f1_t1"), Case::layer("b", "relu/4")}};
  FlowCall copy = Case::call("copy/4_f1_t1", 0);
  copy.from_offset = first;
  const DataFlow flow{
      .model = "m",
      .batch = 1,
      .tensors = {Case::tensor("x", {8}), Case::tensor("part", {4}, 0), Case::tensor("y", {4}, 1)},
      .layers = {{.outputs = {1}, .calls = {copy}},
                 {.outputs = {2}, .calls = {Case::call("relu/4", 1)}}},
      .results = {2}};
  MeasurementSet set;
  set.add(measured("copy/4_f1_t1/fp32/plain/onednn/jit", five(1 * us)));
  set.add(measured("relu/4/fp32/nchw/onednn/jit", five(3 * us)));
  return make_plan(graph, flow, planned_work(graph, flow, set, {}, true), Precision::fp32, {});
}

/// A cache of 8 numbers, whose last 4 become x, in its own memory, before y = relu(cache).
/// `made`: another layer makes the cache.
Plan plan_of_a_cache(bool made) {
  const Graph graph{
      .model = "m", .batch = 1, .layers = {Case::layer("attend", "copy/4_f1_t1"), Case::view("v")}};
  FlowCall copy = Case::call("copy/4_f1_t1", 0);
  copy.to_offset = 4;
  copy.output = 1;
  copy.into = 1;
  FlowCall relu = Case::call("relu/8", 0);
  relu.operands.front().kind = FlowOperand::Kind::call;
  Graph whole = graph;
  whole.layers[0].problems.push_back("relu/8");
  DataFlow flow{.model = "m",
                .batch = 1,
                .tensors = {Case::tensor("x", {4}), Case::tensor("past", {8}),
                            Case::tensor("y", {8}, 0), Case::tensor("present", {8}, 0)},
                .layers = {{.outputs = {2, 3}, .calls = {copy, relu}}, {}},
                .results = {2, 3}};
  if (made) flow.tensors[1].layer = 1;
  MeasurementSet set;
  set.add(measured("copy/4_f1_t1/fp32/plain/onednn/jit", five(1 * us)));
  set.add(measured("relu/8/fp32/nchw/onednn/jit", five(3 * us)));
  return make_plan(whole, flow, planned_work(whole, flow, set, {}, true), Precision::fp32, {});
}

TEST(MakePlan, AddsToACacheInItsOwnMemory) {
  const Plan plan = plan_of_a_cache(false);
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_THAT(plan.steps[0].results, ElementsAre(3));
  EXPECT_EQ(plan.tensors[3].buffer, plan.tensors[1].buffer);
  EXPECT_EQ(plan.tensors[3].offset, 0);
  EXPECT_EQ(plan.steps[1].work.operands[0].index, 3);
  EXPECT_THAT(plan.inputs, ElementsAre(0, 1));
  EXPECT_THAT(plan.results, ElementsAre(2, 3));
  EXPECT_EQ(contradiction_of(plan), "");
  EXPECT_THAT(error_of([] { plan_of_a_cache(true); }), HasSubstr("another layer makes"));
}

TEST(MakePlan, ReadsAPartOfATensorWhereItIs) {
  const Plan plan = plan_of_a_part(4);
  ASSERT_THAT(plan.steps, SizeIs(1));
  EXPECT_EQ(plan.tensors[1].buffer, plan.tensors[0].buffer);
  EXPECT_EQ(plan.tensors[1].offset, 4);
  EXPECT_EQ(plan.tensors[1].part_of, 0);
  EXPECT_THAT(plan.inputs, ElementsAre(0));
  EXPECT_NEAR(plan.seconds, 3 * us, 1e-12);
  EXPECT_EQ(contradiction_of(plan), "");
}

TEST(MakePlan, CopiesAPartThatIsNotAligned) {
  EXPECT_THAT(plan_of_a_part(2).steps, SizeIs(2)) << "8 bytes";
}

TEST(MakePlan, NeedsACall) {
  Case given;
  given.graph.layers = {Case::view("v")};
  given.graph.fusions.clear();
  given.flow.layers = {{.outputs = {2}, .view_of = 0}};
  given.flow.fusions.clear();
  given.flow.results = {2};
  EXPECT_THAT(error_of([&] { given.plan(); }), HasSubstr("no layer needs a call"));
}

TEST(MakePlan, NamesWhatItCannotDo) {
  Case given;
  given.graph.layers[2].problems = {"tanh/9"};
  EXPECT_THAT(error_of([&] { given.plan(); }), HasSubstr("b"));
  Case integers;
  integers.flow.tensors[0].type = "uint8";
  EXPECT_THAT(error_of([&] { integers.plan(); }), HasSubstr("works on uint8"));
  Case scaled;
  scaled.flow.layers[0].calls[0].operands[0].scale = 0.125;
  EXPECT_THAT(error_of([&] { scaled.plan(); }), HasSubstr("a: scales what is no constant"));
  scaled.flow.tensors[0].constant = true;
  EXPECT_THAT(scaled.plan().steps, SizeIs(2));
  Case packed;
  constexpr const char* product = "gemm/m1_n8_k8_nt_w_packed.int8.c";
  packed.graph.layers[0].problems = {product};
  packed.flow.layers[0].calls[0].problem = product;
  packed.set.add(measured(std::string(product) + "/fp32/plain/cublas/w", five(us)));
  EXPECT_THAT(error_of([&] { packed.plan(false); }), HasSubstr("a: multiplies by packed weights"));
  Case other;
  other.flow.layers.pop_back();
  EXPECT_THAT(error_of([&] { other.plan(); }), HasSubstr("generate both again"));
}

}  // namespace
}  // namespace benanza::analysis
