// Concatenations whose parts are written where they are joined.
#include <gmock/gmock.h>

#include "analysis/model/joined_tensors.h"
#include "analysis/model/plan.h"
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

/// A model of one channel axis: images of 1 x channels x 4 x 4.
class ChannelModel {
 public:
  explicit ChannelModel(std::int64_t batch = 1) : batch_(batch) { tensor("x", 16); }

  std::size_t tensor(const std::string& name, std::int64_t channels,
                     std::optional<std::size_t> layer = {}) {
    flow.tensors.push_back(
        {.name = name, .type = "float", .shape = Dims{batch_, channels, 4, 4}, .layer = layer});
    return flow.tensors.size() - 1;
  }
  /// op(from); 1 us.
  std::size_t map(const std::string& op, std::size_t from) {
    const Dims shape = flow.tensors[from].shape.value();
    const std::string problem = op + '/' + join(shape, 'x');
    set.add(measured(problem + "/fp32/nchw/onednn/jit", five(1 * us)));
    return layer({{.problem = problem, .operands = {{.index = from}}}}, {shape[1]}).front();
  }
  /// 10 us.
  std::size_t concat(const std::vector<std::size_t>& parts) {
    FlowCall call{.problem = "concat/"};
    std::int64_t channels = 0;
    for (const std::size_t part : parts) {
      const Dims shape = flow.tensors[part].shape.value();
      call.problem += join(shape, 'x') + '_';
      call.operands.push_back({.index = part});
      channels += shape[1];
    }
    call.problem += "a1";
    set.add(measured(call.problem + "/fp32/nchw/onednn/simple", five(10 * us)));
    return layer({call}, {channels}).front();
  }
  std::vector<std::size_t> halves(std::size_t from) {
    const std::int64_t channels = flow.tensors[from].shape->at(1) / 2;
    const std::string copy = "copy/" + std::to_string(channels * 16) + "_f1_t1";
    set.add(measured(copy + "/fp32/plain/onednn/jit", five(2 * us)));
    return layer({{.problem = copy, .operands = {{.index = from}}},
                  {.problem = copy,
                   .operands = {{.index = from}},
                   .from_offset = channels * 16,
                   .output = 1}},
                 {channels, channels});
  }
  void add(const std::string& name, double seconds, std::vector<std::string> operands,
           std::string result) {
    Measurement one = measured(name, five(seconds));
    one.operand_formats = std::move(operands);
    one.result_formats = {std::move(result)};
    set.add(std::move(one));
  }
  Plan plan(std::vector<std::size_t> results) {
    flow.results = std::move(results);
    Plan made = make_plan(graph, flow, planned_work(graph, flow, set, {}, true), Precision::fp32,
                          {.overhead_seconds = 3 * us});
    EXPECT_EQ(contradiction_of(made), "");
    return made;
  }

  Graph graph{.model = "m", .batch = 1};
  DataFlow flow{.model = "m", .batch = 1};
  MeasurementSet set;

 private:
  std::vector<std::size_t> layer(const std::vector<FlowCall>& calls,
                                 const std::vector<std::int64_t>& channels) {
    const std::size_t index = graph.layers.size();
    Layer made{.name = "layer" + std::to_string(index), .op = "Op", .cost = Cost::measured};
    for (const FlowCall& call : calls) made.problems.push_back(call.problem);
    graph.layers.push_back(made);
    std::vector<std::size_t> outputs;
    for (const std::int64_t count : channels) {
      outputs.push_back(tensor("t" + std::to_string(flow.tensors.size()), count, index));
    }
    flow.layers.push_back({.outputs = outputs, .calls = calls});
    return outputs;
  }

  std::int64_t batch_;
};

/// Of a tensor, its buffer and its first element there.
std::pair<std::size_t, std::int64_t> place_of(const Plan& plan, std::size_t tensor) {
  return {plan.tensors[tensor].buffer.value(), plan.tensors[tensor].offset};
}

/// That many channels behind the beginning of `whole`.
std::pair<std::size_t, std::int64_t> channels_behind(const Plan& plan, std::size_t whole,
                                                     std::int64_t channels) {
  auto [buffer, first] = place_of(plan, whole);
  return {buffer, first + channels * 16};
}

TEST(PlanJoins, WhatItsCallsWriteInPlace) {
  ChannelModel model;
  const std::size_t left = model.map("relu", 0);
  const std::size_t right = model.map("tanh", 0);
  const std::size_t whole = model.concat({left, right});
  const std::size_t y = model.map("relu", whole);
  const Plan plan = model.plan({y});
  ASSERT_THAT(plan.steps, SizeIs(3));
  EXPECT_NEAR(plan.seconds, 3 * us, 1e-12);
  EXPECT_THAT(plan.conversions, IsEmpty());
  EXPECT_EQ(place_of(plan, left), place_of(plan, whole));
  EXPECT_EQ(place_of(plan, right), channels_behind(plan, whole, 16));
  EXPECT_THAT(plan.tensors[whole].joins, ElementsAre(JoinedPart{.tensor = left, .first = 0},
                                                     JoinedPart{.tensor = right, .first = 256}));
  const PlanBuffer& buffer = plan.buffers[plan.tensors[whole].buffer.value()];
  EXPECT_EQ(buffer.first, 0U);
  EXPECT_EQ(buffer.last, 2U);
  EXPECT_EQ(buffer.bytes, 32 * 16 * 4);
}

TEST(PlanJoins, TheResultOfTheModel) {
  ChannelModel model;
  const std::size_t left = model.map("relu", 0);
  const std::size_t whole = model.concat({left, model.map("tanh", left)});
  const Plan plan = model.plan({whole});
  EXPECT_THAT(plan.steps, SizeIs(2));
  EXPECT_THAT(plan.results, ElementsAre(whole));
}

TEST(PlanJoins, NothingBetweenImages) {
  ChannelModel model(2);
  const std::size_t left = model.map("relu", 0);
  const std::size_t whole = model.concat({left, model.map("tanh", left)});
  EXPECT_THAT(model.plan({whole}).steps, SizeIs(3)) << "a part of each of two images";
}

// The input lies where the caller fills it.
TEST(PlanJoins, ACopyOfWhatLiesElsewhere) {
  ChannelModel model;
  const std::size_t right = model.map("tanh", 0);
  const std::size_t y = model.map("relu", model.concat({0, right, right}));
  const Plan plan = model.plan({y});
  ASSERT_THAT(plan.steps, SizeIs(2));
  EXPECT_THAT(plan.conversions, SizeIs(2)) << "the input, and the second time";
  EXPECT_NEAR(plan.seconds, 2 * us + 2 * 3 * us, 1e-12);
  EXPECT_EQ(plan.buffers[plan.tensors[0].buffer.value()].last, 1U);
  EXPECT_THAT(plan.inputs, ElementsAre(0));
}

TEST(PlanJoins, AnInputThatNothingElseReads) {
  ChannelModel model;
  const std::size_t other = model.tensor("x2", 16);
  const std::size_t y = model.map("relu", model.concat({model.map("relu", 0), other}));
  EXPECT_THAT(model.plan({y}).inputs, ElementsAre(0, other));
}

TEST(PlanJoins, NothingIfCopiesTakeLonger) {
  ChannelModel model;
  const std::size_t right = model.map("tanh", 0);
  const std::size_t y = model.map("relu", model.concat({0, right, 0, 0, 0}));
  EXPECT_THAT(model.plan({y}).steps, SizeIs(3)) << "4 times 3 us instead of 10";
}

TEST(PlanJoins, ChainsInOnePlace) {
  ChannelModel model;
  const std::size_t a = model.map("relu", 0);
  const std::size_t b = model.map("tanh", a);
  const std::size_t first = model.concat({a, b});
  const std::size_t c = model.map("relu", first);
  const std::size_t second = model.concat({first, c});
  const std::size_t y = model.map("tanh", second);
  const Plan plan = model.plan({y});
  EXPECT_THAT(plan.steps, SizeIs(4));
  EXPECT_EQ(place_of(plan, first), place_of(plan, second));
  EXPECT_EQ(place_of(plan, b), channels_behind(plan, second, 16));
  EXPECT_EQ(place_of(plan, c), channels_behind(plan, second, 32));
}

// As some exporters write a dense block.
TEST(PlanJoins, ADenseBlockInOnePlace) {
  ChannelModel model;
  const std::size_t a = model.map("relu", 0);
  const std::size_t b = model.map("tanh", a);
  const std::size_t first = model.concat({a, b});
  const std::size_t c = model.map("relu", first);
  const std::size_t second = model.concat({a, b, c});
  const std::size_t y = model.map("tanh", second);
  const Plan plan = model.plan({y});
  EXPECT_THAT(plan.steps, SizeIs(4));
  EXPECT_THAT(plan.conversions, IsEmpty());
  EXPECT_EQ(place_of(plan, first), place_of(plan, second));
  EXPECT_THAT(plan.tensors[second].joins, ElementsAre(JoinedPart{.tensor = first, .first = 0},
                                                      JoinedPart{.tensor = c, .first = 512}));
}

// Both halves and what is made of the second, as in networks that pass a part of each stage on.
TEST(PlanJoins, HalvesAsTheWholeThatTheyAre) {
  ChannelModel model;
  const std::size_t a = model.map("relu", 0);
  const std::vector<std::size_t> halves = model.halves(a);
  const std::size_t b = model.map("tanh", halves[1]);
  const std::size_t whole = model.concat({halves[0], halves[1], b});
  const Plan plan = model.plan({model.map("relu", whole)});
  EXPECT_THAT(plan.steps, SizeIs(3));
  EXPECT_EQ(place_of(plan, a), place_of(plan, whole));
  EXPECT_EQ(place_of(plan, halves[1]), channels_behind(plan, whole, 8));
  EXPECT_EQ(place_of(plan, b), channels_behind(plan, whole, 16));
}

TEST(PlanJoins, InTheLargestOfSeveral) {
  ChannelModel model;
  const std::size_t a = model.map("relu", 0);
  const std::size_t b = model.map("tanh", a);
  const std::size_t small = model.concat({b, a});
  const std::size_t large = model.concat({a, b, 0});
  const Plan plan = model.plan({model.map("relu", small), model.map("relu", large)});
  EXPECT_EQ(place_of(plan, a), place_of(plan, large));
  EXPECT_THAT(plan.steps, SizeIs(5)) << "the small one is a call: it has nothing in place";
}

/// Both parts in blocks of 16 channels, faster.
void add_block_calls(ChannelModel& model) {
  const std::string part = "1x16x4x4:s256.64.16:b16:a1";
  for (const char* op : {"relu", "tanh"}) {
    model.add(std::string(op) + "/1x16x4x4/fp32/any/onednn/jit", 0.5 * us, {part}, part);
  }
}

TEST(PlanJoins, BlocksThatFollowEachOther) {
  ChannelModel model;
  const std::size_t left = model.map("relu", 0);
  const std::size_t right = model.map("tanh", left);
  const std::size_t whole = model.concat({left, right});
  const std::size_t y = model.map("relu", whole);
  add_block_calls(model);
  const std::string format = "1x32x4x4:s256.64.16:b16:a1";
  model.add("relu/1x32x4x4/fp32/any/onednn/jit", 0.5 * us, {format}, "row-major");
  model.set.add(measured("relu/1x32x4x4/fp32/nchw/onednn/jit", five(9 * us)));
  const Plan plan = model.plan({y});
  ASSERT_THAT(plan.steps, SizeIs(3));
  EXPECT_THAT(plan.conversions, SizeIs(1)) << "of x";
  EXPECT_EQ(plan.tensors[whole].joined_format, format);
  EXPECT_EQ(plan.tensors[whole].joins[1].format, "1x16x4x4:s256.64.16:b16:a1");
}

// Row-major with a conversion of each part: 2 x 3 us, and the call takes 10.
TEST(PlanJoins, ConversionsThatGoToTheirPlace) {
  ChannelModel model;
  const std::size_t left = model.map("relu", 0);
  const std::size_t right = model.map("tanh", left);
  const std::size_t whole = model.concat({left, right});
  const std::size_t y = model.map("relu", whole);
  model.set = {};
  const std::string part = "1x16x4x4:s1.64.16";
  for (const char* op : {"relu", "tanh"}) {
    model.add(std::string(op) + "/1x16x4x4/fp32/any/onednn/jit", 1 * us, {part}, part);
  }
  model.set.add(measured("relu/1x32x4x4/fp32/nchw/onednn/jit", five(1 * us)));
  model.set.add(measured("concat/1x16x4x4_1x16x4x4_a1/fp32/nchw/onednn/simple", five(10 * us)));
  const Plan joined = model.plan({y});
  EXPECT_THAT(joined.steps, SizeIs(3));
  EXPECT_NEAR(joined.seconds, 3 * us + 3 * 3 * us, 1e-12) << "x and both parts";
  EXPECT_EQ(joined.tensors[whole].joined_format, "");
  // A call that takes them as they are is better.
  model.add("concat/1x16x4x4_1x16x4x4_a1/fp32/nhwc/onednn/simple", 1 * us, {part, part},
            "row-major");
  const Plan called = model.plan({y});
  EXPECT_THAT(called.steps, SizeIs(4));
  EXPECT_THAT(called.tensors[whole].joins, IsEmpty());
  EXPECT_NE(called.tensors[left].buffer, called.tensors[right].buffer);
}

TEST(JoinedFormat, HasWholeBlocks) {
  const std::string like = "1x32x28x28:s12544.448.16:b16:a1";
  EXPECT_THAT(joined_format(like, {1, 96, 28, 28}, 1),
              Optional(Eq("1x96x28x28:s12544.448.16:b16:a1")));
  EXPECT_THAT(joined_format(like, {1, 24, 28, 28}, 1), Eq(std::nullopt)) << "half a block";
  EXPECT_THAT(joined_format(like, {1, 32, 28, 28}, 2), Eq(std::nullopt)) << "of another axis";
  EXPECT_THAT(joined_format("1x32x28x28:s1.896.32", {1, 96, 28, 28}, 1), Eq(std::nullopt))
      << "channels last";
  EXPECT_THAT(joined_format("", {1, 96, 28, 28}, 1), Eq(std::nullopt));
}

}  // namespace
}  // namespace benanza::analysis
