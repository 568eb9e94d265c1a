#include "analysis/model/bounds.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::layer;
using test::measured;
using test::ms;
using test::steady;
using testing::ElementsAre;

TEST(CriticalPath, OfAChainIsTheWholeChain) {
  const std::vector<Layer> layers{layer("a", {}), layer("b", {0}), layer("c", {1})};
  const CriticalPath path = critical_path(layers, std::vector{1.0, 2.0, 4.0});
  EXPECT_DOUBLE_EQ(path.seconds, 7);
  EXPECT_THAT(path.layers, ElementsAre(0, 1, 2));
}

TEST(CriticalPath, OfADiamondTakesTheSlowerBranch) {
  // a=1, then b=5 parallel to c=2, then d=1: a-b-d = 7; sequentially 9.
  const std::vector<Layer> layers{layer("a", {}), layer("b", {0}), layer("c", {0}),
                                  layer("d", {1, 2})};
  const std::vector seconds{1.0, 5.0, 2.0, 1.0};
  const CriticalPath path = critical_path(layers, seconds);
  EXPECT_DOUBLE_EQ(path.seconds, 7);
  EXPECT_THAT(path.layers, ElementsAre(0, 1, 3));
  EXPECT_DOUBLE_EQ(sequential_seconds(seconds), 9);
}

TEST(CriticalPath, FollowsTheFlowAndNotTheOrderOfTheList) {
  // The diamond with its join listed first.
  const std::vector<Layer> layers{layer("d", {1, 2}), layer("b", {3}), layer("c", {3}),
                                  layer("a", {})};
  const CriticalPath path = critical_path(layers, std::vector{1.0, 5.0, 2.0, 1.0});
  EXPECT_DOUBLE_EQ(path.seconds, 7);
  EXPECT_THAT(path.layers, ElementsAre(3, 1, 0));
}

TEST(CriticalPath, OfAnInceptionModuleIsItsSlowestBranch) {
  // GoogLeNet's module: four branches between a pooling and a concatenation (free here), then one
  // more layer.
  const std::vector<Layer> layers{
      layer("pool", {}),         layer("1x1", {0}),        layer("3x3_reduce", {0}),
      layer("3x3", {2}),         layer("5x5_reduce", {0}), layer("5x5", {4}),
      layer("branch_pool", {0}), layer("projection", {6}), layer("concat", {1, 3, 5, 7}),
      layer("next_pool", {8})};
  const std::vector seconds{2.0, 3.0, 2.5, 9.0, 0.5, 3.0, 1.0, 1.5, 0.0, 1.0};
  const CriticalPath path = critical_path(layers, seconds);
  EXPECT_DOUBLE_EQ(path.seconds, 2 + 2.5 + 9 + 1);
  EXPECT_THAT(path.layers, ElementsAre(0, 2, 3, 8, 9));
  EXPECT_DOUBLE_EQ(sequential_seconds(seconds), 23.5);
}

TEST(CriticalPath, WithTwoOutputsEndsAtTheLaterOne) {
  const std::vector<Layer> layers{layer("a", {}), layer("early", {0}), layer("late", {0})};
  const CriticalPath path = critical_path(layers, std::vector{1.0, 2.0, 3.0});
  EXPECT_DOUBLE_EQ(path.seconds, 4);
  EXPECT_THAT(path.layers, ElementsAre(0, 2));
}

TEST(CriticalPath, OfPartsThatDoNotMeetIsTheLongestPart) {
  const std::vector<Layer> layers{layer("a", {}), layer("b", {0}), layer("c", {}), layer("d", {2})};
  const CriticalPath path = critical_path(layers, std::vector{1.0, 1.0, 4.0, 0.5});
  EXPECT_DOUBLE_EQ(path.seconds, 4.5);
  EXPECT_THAT(path.layers, ElementsAre(2, 3));
}

TEST(CriticalPath, OfEquallyLongBranchesTakesTheFirst) {
  const std::vector<Layer> layers{layer("a", {}), layer("b", {0}), layer("c", {0}),
                                  layer("d", {1, 2})};
  EXPECT_THAT(critical_path(layers, std::vector{1.0, 2.0, 2.0, 1.0}).layers, ElementsAre(0, 1, 3));
}

TEST(TopologicalOrder, OfACycleIsEmpty) {
  EXPECT_TRUE(topological_order({layer("a", {1}), layer("b", {0})}).empty());
}

Bounds bounds_of(const Graph& graph, const MeasurementSet& set,
                 Movement movement = Movement::exclude) {
  return bounds(graph, layer_times(graph, set, {}), movement);
}

TEST(Bounds, FreeLayersOnThePathCostNothingButCarryIt) {
  const Graph graph{.model = "m",
                    .layers = {layer("a", {}), layer("dropout", {0}, Cost::free, "no-op"),
                               layer("b", {1}), layer("c", {})}};
  const Bounds result = bounds_of(graph, steady({{"a", 2 * ms}, {"b", 3 * ms}, {"c", 4 * ms}}));
  EXPECT_DOUBLE_EQ(result.sequential.seconds, 9 * ms);
  EXPECT_DOUBLE_EQ(result.parallel.seconds, 5 * ms);  // a and b are one chain, through the dropout
  EXPECT_THAT(result.path, ElementsAre(0, 1, 2));
}

TEST(Bounds, MovementCountsOnlyWhereAsked) {
  const Graph graph{.model = "m", .layers = {layer("a", {}), layer("concat", {0}, Cost::movement)}};
  const MeasurementSet set = steady({{"a", 2 * ms}, {"concat", 1 * ms}});
  EXPECT_DOUBLE_EQ(bounds_of(graph, set).sequential.seconds, 2 * ms);
  EXPECT_DOUBLE_EQ(bounds_of(graph, set, Movement::include).sequential.seconds, 3 * ms);
  EXPECT_DOUBLE_EQ(bounds_of(graph, set, Movement::include).parallel.seconds, 3 * ms);
}

// Nothing but what two runs may differ by, 0.5%, normally.
TEST(Bounds, SteadySamplesHaveTheSpreadOfRuns) {
  const Graph graph{.model = "m", .layers = {layer("a", {}), layer("b", {0})}};
  const Bounds result = bounds_of(graph, steady({{"a", 0.25}, {"b", 0.5}}));
  for (const Bound& bound : {result.sequential, result.parallel}) {
    EXPECT_NEAR(bound.spread->low, 0.75 * std::exp(-1.959964 * 0.005), 1e-6);
    EXPECT_NEAR(bound.spread->high, 0.75 * std::exp(1.959964 * 0.005), 1e-6);
  }
}

TEST(Bounds, SpreadIsUnknownWhereALayerHasFewerThanFiveRepetitions) {
  const Graph graph{.model = "m", .layers = {layer("a", {}), layer("b", {0})}};
  MeasurementSet set = steady({{"a", 0.25}});
  set.add(test::measured_in_one_process("relu/b/fp32/nchw/onednn/jit", {0.5, 0.5, 0.5, 0.5}));
  EXPECT_EQ(bounds_of(graph, set).sequential.spread, std::nullopt);
  EXPECT_EQ(bounds_of(graph, set).parallel.spread, std::nullopt);
  EXPECT_DOUBLE_EQ(bounds_of(graph, set).sequential.seconds, 0.75);
}

// Processes of 1 to 5: mean 3; squares sum to 10; error sqrt(10 / (5 4)), with 0.5% between runs
// 0.70727, 4.0036 degrees of freedom with quantile 2.77546: 1.96299 of 3, in logarithms. Ten times
// that for ten layers of the same call.
TEST(Bounds, LayersThatShareAMeasurementMoveTogether) {
  Graph graph{.model = "m"};
  for (int i = 0; i < 10; ++i) {
    graph.layers.push_back(layer("same", {}));
    graph.layers.back().name = "layer" + std::to_string(i);
  }
  MeasurementSet set;
  set.add(measured("relu/same/fp32/nchw/onednn/jit", {5, 1, 3, 2, 4}));
  const Bounds result = bounds_of(graph, set);
  EXPECT_DOUBLE_EQ(result.sequential.seconds, 30);
  ASSERT_TRUE(result.sequential.spread && result.parallel.spread);
  EXPECT_NEAR(result.sequential.spread->high, 30 * std::exp(1.96299 / 3), 1e-2);
  EXPECT_NEAR(result.sequential.spread->low, 30 * std::exp(-1.96299 / 3), 1e-3);
  EXPECT_NEAR(result.parallel.spread->high, 3 * std::exp(1.96299 / 3), 1e-3);
}

// One repetition of one layer stalls for 12 ms.
TEST(Bounds, OneStallDoesNotMoveTheSpread) {
  const Graph graph{.model = "m", .layers = {layer("a", {}), layer("b", {0})}};
  MeasurementSet set = steady({{"a", 2 * ms}});
  set.add(
      measured("relu/b/fp32/nchw/onednn/jit", {1.0 * ms, 1.01 * ms, 13 * ms, 0.99 * ms, 1.0 * ms}));
  const Bounds result = bounds_of(graph, set);
  EXPECT_NEAR(result.sequential.seconds, 3 * ms, 0.01 * ms);
  ASSERT_TRUE(result.sequential.spread);
  EXPECT_LT(result.sequential.spread->high, 3.1 * ms);
}

/// Forty branches of 1 ms with 5% noise between repetitions.
MeasurementSet noisy_branches(std::mt19937& random) {
  std::normal_distribution<double> noise(1 * ms, 0.05 * ms);
  MeasurementSet set;
  for (int branch = 0; branch < 40; ++branch) {
    std::vector<double> repetitions(5);
    for (double& seconds : repetitions) seconds = noise(random);
    set.add(measured("relu/b" + std::to_string(branch) + "/fp32/nchw/onednn/jit",
                     std::move(repetitions)));
  }
  return set;
}

// The longest of forty equal branches is biased upwards; its interval still contains the truth, 1
// ms, and the bound itself.
TEST(Bounds, TheIntervalOfALongestPathHoldsTheTruthAndTheBound) {
  Graph graph{.model = "m"};
  for (int branch = 0; branch < 40; ++branch) {
    graph.layers.push_back(layer("b" + std::to_string(branch), {}));
  }
  std::mt19937 random(1);
  constexpr int runs = 400;
  int covered = 0;
  for (int run = 0; run < runs; ++run) {
    const Bounds result = bounds_of(graph, noisy_branches(random));
    ASSERT_TRUE(result.parallel.spread);
    EXPECT_LE(result.parallel.spread->low, result.parallel.seconds);
    EXPECT_GE(result.parallel.spread->high, result.parallel.seconds);
    covered += result.parallel.spread->low <= 1 * ms && 1 * ms <= result.parallel.spread->high;
  }
  EXPECT_GE(covered, runs * 93 / 100);
}

TEST(Bounds, OfNothingButFreeLayersAreZero) {
  const Graph graph{.model = "m", .layers = {layer("a", {}, Cost::free, "constant")}};
  const Bounds result = bounds_of(graph, {});
  EXPECT_EQ(result.sequential.seconds, 0);
  EXPECT_EQ(result.sequential.spread, std::nullopt);
}

}  // namespace
}  // namespace benanza::analysis
