// Loops that compute when to stop, and those of which the user states how often they run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "generator/tests/onnx/model.h"

namespace benanza::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// While i < `bound`, i += 2 and s += x; i begins at 1.
Model counting(std::int64_t bound = 8) {
  Model model(17);
  model.input("x", {2, 3}).integers("most", {std::int64_t{1} << 62}).integers("one", {1});
  model.integers("two", {2}).integers("bound", {bound}).truths("go", {}, {true});
  model.node("Loop", {"most", "go", "one", "x"}, {"i_last", "last"});
  auto& body = body_of(model, "body");
  for (const char* name : {"n", "c", "i", "s"}) body.add_input()->set_name(name);
  add_node(body, "Add", {"i", "two"}, "i_next");
  add_node(body, "Add", {"s", "x"}, "s_next");
  add_node(body, "Less", {"i_next", "bound"}, "goes_on");
  for (const char* name : {"goes_on", "i_next", "s_next"}) body.add_output()->set_name(name);
  return model.output("last");
}

TEST(StoppingLoop, ALoopMayComputeWhenToStop) {
  const LoweredGraph graph = counting().import();
  int sums = 0;
  for (const LoweredLayer& layer : graph.layers) {
    EXPECT_NE(layer.cost, Cost::unsupported) << layer.name;
    sums += layer.cost == Cost::measured ? 1 : 0;
  }
  EXPECT_EQ(sums, 4) << "i: 3, 5, 7, 9";
}

TEST(StoppingLoop, ALoopThatTheDataStopIsUnsupported) {
  Model model = counting();
  model.input("given", {1}, ::onnx::TensorProto::INT64);
  body_of_last(model).mutable_node(2)->set_input(1, "given");
  EXPECT_EQ(model.layer().cost, Cost::unsupported);
  model.last().set_name("greedy");
  EXPECT_THAT(model.layer().reason, HasSubstr("state how often with --dim greedy:rounds=N"));
}

TEST(StoppingLoop, TheUserMayStateHowOftenALoopRuns) {
  Model model = counting();
  model.input("given", {1}, ::onnx::TensorProto::INT64);
  body_of_last(model).mutable_node(2)->set_input(1, "given");
  body_of_last(model).add_output()->set_name("s_next");
  model.last().add_output("all");
  model.last().set_name("greedy");
  model.output("all");
  for (const char* name : {"greedy:rounds", "all:0"}) {
    const LoweredGraph graph = model.import({.batch = {}, .dims = {{name, 3}}});
    EXPECT_EQ(std::ranges::count(graph.layers, "Add", &LoweredLayer::op), 6) << name;
    EXPECT_EQ(graph.layers.back().outputs[0].shape, (Dims{3, 2, 3})) << name;
    EXPECT_THAT(graph.bound_dims, ElementsAre(name));
  }
  const LoweredGraph none = model.import({.batch = {}, .dims = {{"greedy:rounds", 0}}});
  EXPECT_THAT(none.layers.back().reason, HasSubstr("0 times, and collects nothing"));
}

TEST(StoppingLoop, MoreRoundsThanALoopsLimitAreAnError) {
  Model model = counting();
  model.input("given", {1}, ::onnx::TensorProto::INT64).integers("few", {5});
  body_of_last(model).mutable_node(2)->set_input(1, "given");
  model.last().set_input(0, "few");
  model.last().set_name("greedy");
  EXPECT_THAT(
      [&] {
        model.import({.batch = {}, .dims = {{"greedy:rounds", 6}}});
      },
      testing::ThrowsMessage<Error>(HasSubstr("runs its body at most 5 times, not 6")));
}

TEST(StoppingLoop, AnInputThatDecidesWhetherALoopBeginsIsNamed) {
  Model model = counting();
  model.input("n", {}, ::onnx::TensorProto::BOOL);
  model.last().set_input(1, "n");
  EXPECT_THAT(model.layer().reason, HasSubstr("give --input n=true or --input n=false"));
}

TEST(StoppingLoop, FewerRoundsThanAreComputedMayBeStated) {
  Model model = counting(1 << 20);
  model.last().set_name("long");
  const LoweredGraph graph = model.import({.batch = {}, .dims = {{"long:rounds", 5}}});
  EXPECT_EQ(std::ranges::count(graph.layers, Cost::measured, &LoweredLayer::cost), 5);
}

TEST(StoppingLoop, TooManyRoundsOfACountThatIsComputedAreNamed) {
  EXPECT_THAT(counting(1 << 20).layer().reason, HasSubstr("runs its body more than 2731 times"));
}

// 1 + 2 * 2500 is the first number that is not below the bound; 7 steps a round are too many.
TEST(StoppingLoop, WhatTooManyComputedRoundsCollectHasAShape) {
  Model model = counting(5000);
  for (const char* name : {"i_next", "s_next"}) {
    body_of_last(model).add_output()->set_name(name);
    model.last().add_output(name);
  }
  const LoweredLayer layer = model.output("s_next").layer();
  EXPECT_EQ(layer.outputs.back().shape, (Dims{2500, 2, 3}));
  EXPECT_THAT(layer.reason,
              testing::StartsWith("runs its body 2500 times, too often to read every round"));
}

}  // namespace
}  // namespace benanza::onnx
