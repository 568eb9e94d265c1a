// Copies that need no step because the calls that read them take strides.
#include <gmock/gmock.h>

#include "analysis/model/strided_reads.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::five;
using test::measured;
using test::us;
using testing::ElementsAre;
using testing::Eq;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

/// x (2 x 16 floats) -> a: relu -> halves: two copies of 2 x 8 -> b: tanh of each.
struct Halves {
  Graph graph{.model = "m",
              .batch = 1,
              .layers = {layer("a", {"relu/2x16"}), layer("halves", {copy, copy}),
                         layer("b", {"tanh/2x8"}), layer("c", {"tanh/2x8"})}};
  DataFlow flow{.model = "m",
                .batch = 1,
                .tensors = {tensor("x", {2, 16}), tensor("a", {2, 16}, 0), tensor("l", {2, 8}, 1),
                            tensor("r", {2, 8}, 1), tensor("b", {2, 8}, 2), tensor("c", {2, 8}, 3)},
                .layers = {{.outputs = {1}, .calls = {{.problem = "relu/2x16", .operands = {{}}}}},
                           {.outputs = {2, 3}, .calls = {half(0, 0), half(8, 1)}},
                           {.outputs = {4}, .calls = {tanh_of(2)}},
                           {.outputs = {5}, .calls = {tanh_of(3)}}},
                .results = {4, 5}};
  MeasurementSet set;

  Halves() {
    for (const std::size_t later : {1, 2, 3}) graph.layers[later].inputs = {later == 1 ? 0U : 1U};
    graph.layers[1].cost = Cost::movement;
    add("relu/2x16/fp32/nchw/cudnn/engine1", 3 * us);
    add(std::string(copy) + "/fp32/plain/cudnn/memcpy", 2 * us);
    add("tanh/2x8/fp32/nchw/cudnn/engine1", 4 * us, 3);
  }
  static constexpr const char* copy = "copy/2x8_f16.1_t8.1";
  static Layer layer(const std::string& name, std::vector<std::string> problems) {
    return {.name = name, .op = "Op", .cost = Cost::measured, .problems = std::move(problems)};
  }
  static FlowTensor tensor(const std::string& name, Dims shape,
                           std::optional<std::size_t> layer = {}) {
    return {.name = name, .type = "float", .shape = std::move(shape), .layer = layer};
  }
  static FlowCall half(std::int64_t from, std::size_t output) {
    return {.problem = copy, .operands = {{.index = 1}}, .from_offset = from, .output = output};
  }
  static FlowCall tanh_of(std::size_t tensor) {
    return {.problem = "tanh/2x8", .operands = {{.index = tensor}}};
  }
  void add(const std::string& name, double seconds, std::int64_t strided_axes = 0) {
    Measurement one = measured(name, five(seconds));
    one.strided_axes = strided_axes;
    set.add(std::move(one));
  }
  Plan plan() const {
    return make_plan(graph, flow, planned_work(graph, flow, set, {}, true), Precision::fp32, {});
  }
};

TEST(PlanInStrides, ReadsHalvesWhereTheyAre) {
  const Plan plan = Halves().plan();
  ASSERT_THAT(plan.steps, SizeIs(3));
  EXPECT_NEAR(plan.seconds, 11 * us, 1e-12);
  const FlowOperand& left = plan.steps[1].work.operands[0];
  const FlowOperand& right = plan.steps[2].work.operands[0];
  EXPECT_EQ(left.index, 1U);
  EXPECT_EQ(left.offset, 0);
  EXPECT_THAT(left.strides, ElementsAre(16, 1));
  EXPECT_EQ(right.index, 1U);
  EXPECT_EQ(right.offset, 8);
  EXPECT_THAT(right.strides, ElementsAre(16, 1));
  EXPECT_THAT(plan.tensors[2].part_of, Optional(1U));
  EXPECT_THAT(plan.tensors[2].buffer, Eq(std::nullopt));
  EXPECT_EQ(contradiction_of(plan), "");
}

TEST(PlanInStrides, CopiesForCallsThatTakeNone) {
  Halves given;
  given.set = {};
  given.add("relu/2x16/fp32/nchw/cudnn/engine1", 3 * us);
  given.add(std::string(Halves::copy) + "/fp32/plain/cudnn/memcpy", 2 * us);
  given.add("tanh/2x8/fp32/nchw/cudnn/engine1", 4 * us);
  EXPECT_THAT(given.plan().steps, SizeIs(5));
}

// 1 us more is less than the copy's 2, 3 us are not.
TEST(PlanInStrides, TakesASlowerCallIfTheCopyTakesLonger) {
  for (const auto& [faster, steps] : {std::pair{3 * us, 3U}, std::pair{1 * us, 5U}}) {
    Halves given;
    given.add("tanh/2x8/fp32/nchw/cudnn/softmax", faster);
    EXPECT_THAT(given.plan().steps, SizeIs(steps));
  }
}

TEST(PlanInStrides, CopiesWhatTheCallerReads) {
  Halves given;
  given.flow.results.push_back(3);
  EXPECT_THAT(given.plan().steps, SizeIs(4));
}

TEST(PlanInStrides, CopiesWhatIsNotAligned) {
  Halves given;
  given.flow.layers[1].calls[1].from_offset = 7;
  EXPECT_THAT(given.plan().steps, SizeIs(4)) << "28 bytes";
}

// The same inside of a layer: two heads of 2 x 4, moved and rotated.
TEST(PlanInStrides, ReadsWhatALayerMovesForItself) {
  const std::string turned = "copy/2x2x4_f4.8.1_t8.4.1";
  Halves given;
  given.graph.layers.resize(2);
  given.graph.layers[1].problems = {turned, "tanh/2x8"};
  given.flow.layers.resize(2);
  given.flow.layers[1] = {.outputs = {2},
                          .calls = {{.problem = turned, .operands = {{.index = 1}}},
                                    {.problem = "tanh/2x8",
                                     .operands = {{.kind = FlowOperand::Kind::call, .index = 0}}}}};
  given.flow.tensors.resize(3);
  given.flow.results = {2};
  given.add(turned + "/fp32/plain/cudnn/memcpy", 2 * us);
  EXPECT_THAT(given.plan().steps, SizeIs(3)) << "2 x 8 is no view of 2 x 2 x 4";
  given.flow.layers[1].calls[1].problem = given.graph.layers[1].problems[1] = "tanh/2x2x4";
  given.add("tanh/2x2x4/fp32/nchw/cudnn/engine1", 4 * us, 3);
  const Plan plan = given.plan();
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_THAT(plan.steps[1].work.operands[0].strides, ElementsAre(4, 8, 1));
  EXPECT_EQ(contradiction_of(plan), "");
}

TEST(PlanInStrides, CopiesForCallsThatTakeFewerAxes) {
  Halves given;
  given.set = {};
  given.add("relu/2x16/fp32/nchw/cudnn/engine1", 3 * us);
  given.add(std::string(Halves::copy) + "/fp32/plain/cudnn/memcpy", 2 * us);
  given.add("tanh/2x8/fp32/nchw/cudnn/engine1", 4 * us, 1);
  EXPECT_THAT(given.plan().steps, SizeIs(5));
}

// The right half is a table of the rotation.
TEST(PlanInStrides, CopiesWhatDoesNotHaveTheExtentsOfTheResult) {
  const std::string turn = "rotary/1x1x2x16_t1x1x2x8";
  Halves given;
  given.graph.layers[2].problems = {turn};
  given.flow.layers[2].calls = {
      {.problem = turn, .operands = {{.index = 1}, {.index = 2}, {.index = 3}}}};
  given.flow.tensors[4].shape = Dims{1, 1, 2, 16};
  given.add(turn + "/fp32/plain/cudnn/engine1", 4 * us, 3);
  const Plan plan = given.plan();
  EXPECT_THAT(plan.steps, SizeIs(5));
}

TEST(ReshapedStrides, FollowTheElements) {
  EXPECT_THAT(reshaped_strides({4, 6}, {12, 1}, {2, 2, 3, 2}), Optional(ElementsAre(24, 12, 2, 1)));
  EXPECT_THAT(reshaped_strides({2, 3, 4}, {12, 4, 1}, {24}), Optional(ElementsAre(1)));
  EXPECT_THAT(reshaped_strides({2, 3, 4}, {24, 4, 1}, {2, 12}), Optional(ElementsAre(24, 1)));
  EXPECT_THAT(reshaped_strides({2, 3, 4}, {24, 4, 1}, {6, 4}), Eq(std::nullopt));
  EXPECT_THAT(reshaped_strides({8}, {3}, {1, 2, 1, 4}), Optional(ElementsAre(24, 12, 12, 3)));
  EXPECT_THAT(reshaped_strides({8}, {1}, {7}), Eq(std::nullopt));
}

}  // namespace
}  // namespace benanza::analysis
