#include "analysis/questions/layouts/plans.h"

#include <gmock/gmock.h>

#include <random>

#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using test::measured;
using test::us;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Layout nchw = Layout::nchw;
constexpr Layout nhwc = Layout::nhwc;

/// Layers with times in both layouts, and transforms of their tensors, in microseconds.
struct LayoutsCase {
  Graph graph;
  MeasurementSet set;

  /// A time of 0 means not measured in that layout.
  void add(const std::string& name, std::vector<std::size_t> inputs, double in_nchw,
           double in_nhwc) {
    Layer layer = test::layer(name, std::move(inputs));
    layer.outputs = {{.shape = Dims{1, 8, 4, 4}}};
    graph.layers.push_back(layer);
    time("relu/" + name + "/fp32/nchw/cudnn/x", in_nchw);
    time("relu/" + name + "/fp32/nhwc/cudnn/x", in_nhwc);
  }
  void change(std::size_t layer, bool of_input, double to_nhwc, double to_nchw) {
    const std::string name = "copy/" + std::to_string(layer) + (of_input ? "i" : "o");
    graph.transforms.push_back({.layer = layer,
                                .of_input = of_input,
                                .to_nhwc = name + "_nhwc",
                                .to_nchw = name + "_nchw"});
    time(name + "_nhwc/fp32/plain/cudnn/t", to_nhwc);
    time(name + "_nchw/fp32/plain/cudnn/t", to_nchw);
  }
  void time(const std::string& name, double microseconds) {
    if (microseconds > 0) set.add(measured(name, {microseconds * us}));
  }
  LayoutPlans plans() const { return layout_plans(graph, set, {}, Movement::exclude); }
};

/// a -> b -> c; b is much faster in nhwc. Every transform costs 1 us.
LayoutsCase chain(double b_in_nhwc) {
  LayoutsCase given;
  given.add("a", {}, 2, 9);
  given.add("b", {0}, 8, b_in_nhwc);
  given.add("c", {1}, 3, 9);
  for (const std::size_t layer : {0, 1, 2}) given.change(layer, false, 1, 1);
  given.change(0, true, 1, 1);
  return given;
}

TEST(Layouts, AChainChangesWhereItPays) {
  const LayoutsCase given = chain(4);  // plans point into its graph
  const LayoutPlans plans = given.plans();
  // 2 + 1 + 4 + 1 + 3 = 11 us beats 2 + 8 + 3 = 13 us.
  EXPECT_THAT(plans.best.layouts, ElementsAre(nchw, nhwc, nchw));
  EXPECT_NEAR(plans.best.layer_seconds, 9 * us, 1e-12);
  EXPECT_NEAR(plans.best.transform_seconds, 2 * us, 1e-12);
  ASSERT_THAT(plans.best.transforms, SizeIs(2));
  EXPECT_EQ(plans.best.transforms[0].to, nhwc);
  EXPECT_EQ(plans.best.transforms[0].transform->layer, 0);
  EXPECT_EQ(plans.best.transforms[1].to, nchw);
  EXPECT_EQ(plans.best.transforms[1].transform->layer, 1);
  EXPECT_NEAR(plans.nchw.seconds(), 13 * us, 1e-12);
}

TEST(Layouts, AChainStaysWhereChangingCostsMore) {
  const LayoutPlans plans = chain(7).plans();  // 7 + 2 transforms against 8
  EXPECT_THAT(plans.best.layouts, ElementsAre(nchw, nchw, nchw));
  EXPECT_THAT(plans.best.transforms, IsEmpty());
}

TEST(Layouts, AllOfNhwcPaysForInputAndResult) {
  const LayoutPlans plans = chain(4).plans();
  EXPECT_THAT(plans.nhwc.layouts, ElementsAre(nhwc, nhwc, nhwc));
  EXPECT_NEAR(plans.nhwc.layer_seconds, 22 * us, 1e-12);
  EXPECT_NEAR(plans.nhwc.transform_seconds, 2 * us, 1e-12);  // the model's input and output
}

TEST(Layouts, ATensorIsChangedOnceForAllItsReaders) {
  // a only in nchw; b and c read it, both much faster in nhwc; d joins them.
  LayoutsCase given;
  given.add("a", {}, 2, 0);
  given.add("b", {0}, 8, 4);
  given.add("c", {0}, 8, 4);
  given.add("d", {1, 2}, 9, 1);
  given.change(0, false, 5, 5);
  given.change(1, false, 5, 5);
  given.change(2, false, 5, 5);
  given.change(3, false, 5, 5);
  const LayoutPlans plans = given.plans();
  // 2 + 5 + 4 + 4 + 1 + 5 = 21 us against 27 us in nchw; 26 us if a were transformed twice.
  EXPECT_THAT(plans.best.layouts, ElementsAre(nchw, nhwc, nhwc, nhwc));
  EXPECT_NEAR(plans.best.seconds(), 21 * us, 1e-12);
  EXPECT_THAT(plans.best.transforms, SizeIs(2));
  // Critical path: a and its transform, b, d and its transform: 2 + 5 + 4 + 1 + 5.
  EXPECT_NEAR(plans.best.parallel_seconds, 17 * us, 1e-12);
}

TEST(Layouts, AnUnknownChangeIsNotMade) {
  LayoutsCase given;
  given.add("a", {}, 2, 0);
  given.add("b", {0}, 50, 1);
  given.change(1, false, 1, 1);
  EXPECT_THAT(given.plans().best.layouts, ElementsAre(nchw, nchw));
  given.change(0, false, 0, 0);  // named, but not measured
  EXPECT_THAT(given.plans().best.layouts, ElementsAre(nchw, nchw));
  EXPECT_THAT(given.plans().best.unmeasured, IsEmpty());
}

TEST(Layouts, AChangeThatCannotBeAvoidedMakesThePlanPartial) {
  LayoutsCase given;
  given.add("a", {}, 2, 0);
  given.add("b", {0}, 0, 1);  // only in nhwc
  given.change(1, false, 1, 1);
  EXPECT_THAT(given.plans().best.unmeasured, ElementsAre("of what a writes"));
  given.change(0, false, 0, 0);
  EXPECT_THAT(given.plans().best.unmeasured, ElementsAre("copy/0o_nhwc"));
}

TEST(Layouts, EqualOrdersNeedNoChange) {
  LayoutsCase given;
  given.add("a", {}, 2, 0);
  given.add("b", {0}, 50, 1);
  given.graph.transforms = {{.layer = 0}, {.layer = 1}};
  const LayoutPlans plans = given.plans();
  EXPECT_THAT(plans.best.layouts, ElementsAre(nchw, nhwc));
  EXPECT_THAT(plans.best.transforms, IsEmpty());
  EXPECT_NEAR(plans.best.seconds(), 3 * us, 1e-12);
}

TEST(Layouts, FreeLayersThatKeepTheExtentsWorkOnEither) {
  LayoutsCase given;
  given.add("a", {}, 9, 1);
  given.change(0, true, 1, 1);
  given.change(0, false, 1, 1);
  Layer dropout = test::layer("dropout", {0}, Cost::free, "no-op");
  dropout.outputs = {{.shape = Dims{1, 8, 4, 4}}};
  given.graph.layers.push_back(dropout);
  given.change(1, false, 1, 1);
  given.add("b", {1}, 9, 1);
  given.change(2, false, 1, 1);
  EXPECT_THAT(given.plans().best.layouts, ElementsAre(nhwc, nhwc, nhwc));
  given.graph.layers[1].outputs = {{.shape = Dims{1, 128}}};  // a Flatten
  EXPECT_THAT(given.plans().best.layouts, ElementsAre(nhwc, nchw, nhwc));
}

TEST(Layouts, WeightsAreInAnyOrder) {
  LayoutsCase given;
  Layer weights = test::layer("weights", {}, Cost::free, "constant");
  given.graph.layers.push_back(weights);
  given.add("a", {0}, 9, 1);
  given.change(1, true, 1, 1);
  given.change(1, false, 2, 2);
  const LayoutPlans plans = given.plans();
  EXPECT_THAT(plans.best.layouts, ElementsAre(nchw, nhwc));
  EXPECT_NEAR(plans.best.seconds(), 4 * us, 1e-12);
}

// a has no call in nchw: the model cannot run in nchw alone, and 5 us is not its time.
TEST(Layouts, AnUnsupportedLayerMakesItsLayoutImpossible) {
  LayoutsCase given;
  given.add("a", {}, 0, 100);
  given.set.add(test::refused("relu/a/fp32/nchw/cudnn/none", Status::unsupported, "no"));
  given.add("b", {0}, 5, 5);
  for (const std::size_t layer : {0, 1}) given.change(layer, false, 1, 1);
  given.change(0, true, 1, 1);
  const LayoutPlans plans = given.plans();
  EXPECT_THAT(plans.nchw.impossible, ElementsAre(0));
  EXPECT_THAT(plans.nchw.unknown, IsEmpty());
  EXPECT_THAT(plans.best.impossible, IsEmpty());
  EXPECT_NEAR(plans.best.seconds(), 107 * us, 1e-12);  // both ends are transformed
}

TEST(Layouts, RefusedMovementIsAHoleWhereMovementCounts) {
  LayoutsCase given;
  given.add("a", {}, 2, 0);
  given.add("turned", {0}, 0, 0);
  given.graph.layers[1].cost = Cost::movement;
  for (const char* layout : {"nchw", "nhwc"}) {
    given.set.add(test::refused("relu/turned/fp32/" + std::string(layout) + "/cudnn/none",
                                Status::unsupported, "no such call"));
  }
  EXPECT_THAT(given.plans().nchw.unknown, IsEmpty());
  EXPECT_THAT(layout_plans(given.graph, given.set, {}, Movement::include).nchw.unknown,
              ElementsAre(1));
}

TEST(Layouts, CallsWithoutAChannelOrderWorkOnNchw) {
  LayoutsCase given;
  given.add("a", {}, 0, 0);
  given.time("relu/a/fp32/plain/cublas/x", 3);
  const LayoutPlans plans = given.plans();
  EXPECT_THAT(plans.best.layouts, ElementsAre(nchw));
  EXPECT_NEAR(plans.best.seconds(), 3 * us, 1e-12);
}

TEST(Layouts, AMissingMeasurementIsNamed) {
  LayoutsCase given;
  given.add("a", {}, 0, 0);
  EXPECT_THAT(given.plans().best.unknown, ElementsAre(0));
}

/// Cost of an assignment to sides, by definition.
std::int64_t cost_of(const std::vector<std::array<std::int64_t, 2>>& things,
                     const std::vector<std::array<std::int64_t, 3>>& pairs,
                     const std::vector<bool>& right) {
  std::int64_t cost = 0;
  for (std::size_t i = 0; i < things.size(); ++i) cost += things[i][right[i] ? 1 : 0];
  for (const auto& [a, b, add_edge] : pairs) {
    const bool cut = !right[static_cast<std::size_t>(a)] && right[static_cast<std::size_t>(b)];
    if (cut) cost += add_edge;
  }
  return cost;
}

TEST(MinCut, IsAsCheapAsTheCheapestOfAllArrangements) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::array<std::int64_t, 2>> things(2 + random() % 7);
    for (auto& [left, right] : things) {
      left = static_cast<std::int64_t>(random() % 20);
      right = static_cast<std::int64_t>(random() % 20);
    }
    std::vector<std::array<std::int64_t, 3>> pairs(random() % 15);
    MinCut sides;
    for (const auto& [left, right] : things) sides.add(left, right);
    for (auto& [a, b, add_edge] : pairs) {
      a = static_cast<std::int64_t>(random() % things.size());
      b = static_cast<std::int64_t>(random() % things.size());
      add_edge = static_cast<std::int64_t>(random() % 10);
      sides.add_edge(static_cast<std::size_t>(a), static_cast<std::size_t>(b), add_edge);
    }
    std::int64_t least = MinCut::forbidden;
    std::vector<bool> right(things.size());
    for (std::size_t bits = 0; bits < std::size_t{1} << things.size(); ++bits) {
      for (std::size_t i = 0; i < things.size(); ++i) right[i] = (bits >> i & 1U) != 0;
      least = std::min(least, cost_of(things, pairs, right));
    }
    EXPECT_EQ(cost_of(things, pairs, sides.solve()), least) << trial;
  }
}

}  // namespace
}  // namespace benanza::analysis
