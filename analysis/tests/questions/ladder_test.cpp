// floor <= bound with fusion <= bound <= framework.
#include "analysis/questions/bound/ladder.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/questions/bound/report.h"
#include "analysis/render/text.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::five;
using test::layer;
using test::measured;
using test::us;
using testing::AllOf;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Optional;

/// A product of 2 x 100 x 200 x 50 = 2e6 FLOP (10 us) and relu (4 us), which one call does in 12
/// us; at the peaks the product takes 2 us.
struct LadderCase {
  Graph graph{
      .model = "m",
      .batch = 1,
      .compulsory = Compulsory{.outputs = {.elements = 20'000}},
      .layers = {layer("fc", {}), layer("relu", {0})},
      .fusions = {
          {.pattern = "gemm_relu", .layers = {0, 1}, .problem = "gemm/m100_n200_k50_nn_w_relu"}}};
  MeasurementSet set = test::steady({{"relu", 4 * us}});
  DeviceRates rates{.flops_per_second = 1e12,
                    .bytes_per_second = 1e11,
                    .cache_bytes = 1e6,
                    .most_kept_bytes = 2e6};

  LadderCase() {
    graph.layers[0].op = "Gemm";
    graph.layers[0].problems = {"gemm/m100_n200_k50_nn_w"};
    set.add(measured("gemm/m100_n200_k50_nn_w/fp32/plain/cublas/x", five(10 * us)));
    set.add(measured("gemm/m100_n200_k50_nn_w_relu/fp32/plain/cublas/x", five(12 * us)));
  }
  BoundReport report() const {
    BoundReport made = make_report(graph, set, {}, Movement::exclude);
    made.ladder = make_ladder(graph, set, {}, Movement::exclude, made.times, rates);
    return made;
  }
};

std::string text_of(const BoundReport& report) {
  Page page{.command = "bound"};
  page.sections.push_back(bound_section(report));
  return page_table(page, 10);
}

json facts_of(const BoundReport& report) {
  Page page{.command = "bound"};
  page.sections.push_back(bound_section(report));
  return json::parse(page_json(page))["reports"][0];
}

TEST(Ladder, HoldsFromTheFloorToTheBound) {
  const LadderCase given;
  const BoundReport report = given.report();
  EXPECT_THAT(report.ladder.floor.model.seconds(), Optional(DoubleEq(2 * us)));
  EXPECT_DOUBLE_EQ(report.ladder.fused_seconds, 12 * us);
  EXPECT_DOUBLE_EQ(report.ladder.sequential_seconds, 14 * us);
  EXPECT_THAT(report.ladder.breaks(given.graph), IsEmpty());
  EXPECT_THAT(report.ladder.reaches(0), Optional(DoubleEq(0.2)));
  EXPECT_THAT(report.ladder.layer_floor(1), Optional(0.0));
  const std::string text = text_of(report);
  EXPECT_THAT(text, HasSubstr("floor 0.002 <= with fusion 0.012 <= LBL 0.014 ms\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("arithmetic 0.002 ms (0.002 GFLOP at 1e+12 FLOP/s)"),
                          HasSubstr("less 1 MB of cache")));
  // 8 us above the floor for the product, 4 for relu, whose data fit into the cache.
  EXPECT_THAT(
      text,
      HasSubstr("  fc     Gemm            8.0  10.0       2.0      5.00x    20.0%           1.00x  "
                "arithmetic\n"
                "  relu   Relu            4.0   4.0       0.0          -        -               -  "
                "fits the cache\n"));
  const json facts = facts_of(report);
  EXPECT_EQ(facts["ladder"]["holds"], true);
  EXPECT_DOUBLE_EQ(facts["ladder"]["floor"]["seconds"], 2 * us);
  EXPECT_DOUBLE_EQ(facts["layers"][0]["floor_seconds"], 2 * us);
  EXPECT_DOUBLE_EQ(facts["layers"][0]["reaches"], 0.2);
  EXPECT_DOUBLE_EQ(facts["layers"][0]["fewer_products"], 1);
  EXPECT_DOUBLE_EQ(facts["ladder"]["parallel_seconds"], 14 * us);
}

TEST(Ladder, ACallBelowItsFloorIsNamed) {
  LadderCase given;
  given.rates.flops_per_second = 1e11;  // 20 us for the product
  const BoundReport report = given.report();
  EXPECT_THAT(report.ladder.undercut(), ElementsAre(0));
  EXPECT_THAT(report.ladder.breaks(given.graph),
              ElementsAre(HasSubstr("fc takes 10.00 us, below its floor of 20.00 us by arithmetic"),
                          HasSubstr("the floor is above the bound with fusion"),
                          HasSubstr("LBL parallel 0.014 ms is below the floor of 0.020 ms, as LBL "
                                    "sequential is")));
  EXPECT_THAT(text_of(report), HasSubstr("floor 0.020 > with fusion 0.012 <= LBL"));
  EXPECT_EQ(facts_of(report)["ladder"]["holds"], false);
  EXPECT_THAT(facts_of(report)["ladder"]["undercut_layers"], ElementsAre("fc"));
}

// One token of a language model: the weights of a layer fit the caches, those of all do not.
TEST(Ladder, CallsFromTheCachesMayTakeLessThanTheFloor) {
  LadderCase given;
  given.graph.compulsory->outputs.elements = 20'000'000;  // 80 MB of 4 bytes, less 1 MB: 790 us
  const auto breaks = [&](bool cold) {
    BoundReport report = given.report();
    report.ladder.cold = cold;
    EXPECT_EQ(report.ladder.is_of_warm_calls(), !cold);
    return report.ladder.breaks(given.graph);
  };
  EXPECT_THAT(breaks(false), ElementsAre(AllOf(HasSubstr("no run can be below the floor"),
                                               HasSubstr("--sequence"), Not(HasSubstr("cold"))),
                                         HasSubstr("LBL parallel 0.014 ms")));
  EXPECT_THAT(breaks(true), ElementsAre(HasSubstr("the measured peaks, the times")));
  given.rates.flops_per_second = 1e11;  // a call below its own floor: a peak is wrong
  EXPECT_FALSE(given.report().ladder.is_of_warm_calls());
}

// Each call was timed from memory. A framework whose calls follow each other may take less.
TEST(Ladder, ASumOfColdCallsIsNoBound) {
  LadderCase given;
  given.set = {};
  for (const auto& [name, seconds] :
       {std::pair{"relu/relu/fp32/nchw/onednn/jit/cold", 4 * us},
        std::pair{"gemm/m100_n200_k50_nn_w/fp32/plain/cublas/x/cold", 10 * us},
        std::pair{"gemm/m100_n200_k50_nn_w_relu/fp32/plain/cublas/x/cold", 12 * us}}) {
    given.set.add(measured(name, five(seconds)));
  }
  const MeasurementFilter filter{.cold = true};
  BoundReport report = make_report(given.graph, given.set, filter, Movement::exclude);
  report.ladder =
      make_ladder(given.graph, given.set, filter, Movement::exclude, report.times, given.rates);
  Comparison comparison;
  comparison.profile = std::make_shared<const Profile>(
      Profile{.framework = "abacus", .latency_seconds = {8 * us}, .nodes = {{.name = "kernel"}}});
  comparison.mapping.layers_of_node = {{0}};
  comparison.latency =
      Latency{.seconds = 8 * us,
              .sequential_ratio = 14.0 / 8,
              .parallel_ratio = 14.0 / 8,
              .measured = ModelLatency{.seconds = 8 * us, .process_seconds = {8 * us}, .runs = 1}};
  report.comparisons = {comparison};
  add_frameworks(report.ladder, given.graph, report.comparisons);
  const std::string text = text_of(report);
  EXPECT_THAT(text, AllOf(HasSubstr("sum of cold calls           0.014 ms"),
                          HasSubstr("longest path of cold calls  0.014 ms"),
                          HasSubstr("not a bound: each call was timed alone, with cold caches"),
                          HasSubstr("their sum is 1.750 of it: no Benanza ratio")));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("LBL")), Not(HasSubstr("BR")), Not(HasSubstr("<=")),
                          Not(HasSubstr("above 1")), Not(HasSubstr("is below"))));
  const json facts = facts_of(report);
  EXPECT_EQ(facts["is_bound"], false);
  EXPECT_EQ(facts["sums_are"], "sums of cold calls, no bounds");
  EXPECT_TRUE(facts["ladder"]["holds"].is_null());
  EXPECT_TRUE(facts["profiles"][0]["benanza_ratio"].is_null());
  EXPECT_EQ(facts_of(given.report())["is_bound"], true);
}

TEST(Ladder, ABoundOfMoreLayersIsNoContradiction) {
  LadderCase given;
  given.graph.layers[1] = layer("relu", {0}, Cost::unsupported, "no lowering");
  const BoundReport report = given.report();
  EXPECT_DOUBLE_EQ(report.ladder.fused_seconds, 12 * us);
  EXPECT_DOUBLE_EQ(report.ladder.sequential_seconds, 10 * us);
  EXPECT_THAT(report.ladder.only_fused, ElementsAre(1));
  EXPECT_THAT(report.ladder.breaks(given.graph),
              ElementsAre(HasSubstr("of 1 layers more, which no call does alone, as relu")));
}

TEST(Ladder, SeenBestStandsBelowTheBoundsUnlessItIsOfMoreLayers) {
  const LadderCase given;
  BoundReport report = given.report();
  report.ladder.seen_seconds = 11 * us;
  EXPECT_THAT(report.ladder.breaks(given.graph), IsEmpty());
  EXPECT_THAT(text_of(report),
              HasSubstr("floor 0.002 <= seen-best 0.011 <= with fusion 0.012 <= LBL 0.014 ms\n"));
  report.ladder.seen_seconds = 20 * us;
  EXPECT_THAT(report.ladder.breaks(given.graph), ElementsAre(HasSubstr("of more layers")));
  EXPECT_THAT(text_of(report), HasSubstr("seen-best 0.020 > with fusion"));
}

TEST(Ladder, AFasterFrameworkIsNamedWithItsOperators) {
  const LadderCase given;
  BoundReport report = given.report();
  Comparison comparison;
  comparison.profile = std::make_shared<const Profile>(
      Profile{.framework = "abacus", .nodes = {{.name = "mul_kernel"}}});
  comparison.mapping.layers_of_node = {{0}};
  comparison.latency = Latency{.seconds = 20 * us};
  comparison.graph_latency = Latency{.seconds = 9 * us};
  comparison.losses.list = {{.node = 0, .bound_seconds = 10 * us, .lost_seconds = -5 * us}};
  add_frameworks(report.ladder, given.graph, {comparison});
  EXPECT_THAT(
      report.ladder.breaks(given.graph),
      ElementsAre("abacus, CUDA graph is below both bounds: it is faster at fc (5.0 us less)"));
  EXPECT_THAT(text_of(report), HasSubstr("LBL 0.014 > abacus, CUDA graph 0.009 ms\n"));
  report.ladder.frameworks[0].seconds = 30 * us;
  EXPECT_THAT(report.ladder.breaks(given.graph), IsEmpty());
  report.ladder.frameworks[0].seconds = 1 * us;
  EXPECT_THAT(report.ladder.breaks(given.graph).front(), HasSubstr("below the floor"));
}

TEST(Ladder, WithoutPeaksTheFloorIsNotKnown) {
  LadderCase given;
  given.rates = {};
  const BoundReport report = given.report();
  EXPECT_THAT(report.ladder.breaks(given.graph), IsEmpty());
  EXPECT_THAT(text_of(report), AllOf(HasSubstr("floor not known, with fusion 0.012 <= LBL 0.014"),
                                     Not(HasSubstr("could give back"))));
  EXPECT_TRUE(facts_of(report)["ladder"]["floor"]["seconds"].is_null());
}

/// Two products of 10 us side by side; at the peaks each takes 2 us, or 8 with a slower device.
TEST(Ladder, AParallelBoundBelowTheFloorIsNamed) {
  LadderCase given;
  given.graph.layers = {given.graph.layers[0], given.graph.layers[0]};
  given.graph.layers[1].name = "fc2";
  given.graph.fusions.clear();
  EXPECT_THAT(given.report().ladder.breaks(given.graph), IsEmpty());
  given.rates.flops_per_second = 2.5e11;
  const BoundReport report = given.report();
  EXPECT_THAT(report.ladder.floor.model.seconds(), Optional(DoubleEq(16 * us)));
  EXPECT_DOUBLE_EQ(report.ladder.parallel_seconds, 10 * us);
  EXPECT_THAT(report.ladder.breaks(given.graph),
              ElementsAre("LBL parallel 0.010 ms is below the floor of 0.016 ms, because layers "
                          "side by side share the device, and the bound gives each all of it: no "
                          "run takes that little"));
  EXPECT_THAT(text_of(report), HasSubstr("    but           LBL parallel 0.010 ms is below"));
}

/// One 3x3 convolution of 8 channels and 8 filters of 56x56: 2 x 64 x 166^2 FLOP of products not on
/// padding, 2 x 64 x 58^2 by the known algorithms.
struct Convolved : LadderCase {
  static constexpr double direct = 2.0 * 64 * 166 * 166;
  static constexpr double least = 2.0 * 64 * 58 * 58;

  explicit Convolved(const std::string& algorithm, double seconds) {
    const std::string key = "conv/1x8x56x56_k8x3x3_p1.1.1.1_s1x1_d1x1_g1";
    graph.layers = {given_layer(key)};
    graph.fusions.clear();
    set.add(measured(key + "/fp32/nchw/onednn/" + algorithm, five(seconds)));
  }
  static Layer given_layer(const std::string& key) {
    Layer made = layer("c", {});
    made.op = "Conv";
    made.problems = {key};
    return made;
  }
};

TEST(Ladder, ReachesIsByTheMultiplicationsDone) {
  // At 95% of the peak.
  const double seconds = Convolved::direct / 1e12 / 0.95;
  const Ladder ladder = Convolved("jit:avx2", seconds).report().ladder;
  EXPECT_THAT(ladder.reaches(0), Optional(DoubleEq(0.95)));
  EXPECT_THAT(ladder.fewer_products(0), Optional(DoubleEq(Convolved::direct / Convolved::least)));
  EXPECT_THAT(ladder.layer_floor(0), Optional(DoubleEq(Convolved::least / 1e12)));
  EXPECT_THAT(ladder.head_room(0),
              Optional(DoubleEq(*ladder.fewer_products(0) / *ladder.reaches(0))));
}

// Nobody says how many multiplications a transform takes.
TEST(Ladder, WhatACallOfTransformsReachesIsNotKnown) {
  const double seconds = Convolved::direct / 1e12 / 0.95;
  Convolved by_name("winograd.jit_wino_4x3:avx512_core", seconds);
  EXPECT_EQ(by_name.report().ladder.reaches(0), std::nullopt);
  EXPECT_EQ(by_name.report().ladder.fewer_products(0), std::nullopt);
  EXPECT_NE(by_name.report().ladder.head_room(0), std::nullopt);
  // Three times the peak without a word.
  const Convolved silent("engine7", Convolved::direct / 1e12 / 3);
  EXPECT_EQ(silent.report().ladder.reaches(0), std::nullopt);
}

// A memory floor: a relu of 2e6 elements, 16 MB read and written, which exceed the cache.
TEST(Ladder, MemoryOfALayer) {
  LadderCase given;
  given.graph.layers[1].problems = {"relu/1x2000000"};
  given.set.add(measured("relu/1x2000000/fp32/plain/cudnn/x", five(160 * us)));
  const BoundReport report = given.report();
  // 16 MB less 1 MB at 1e11.
  EXPECT_THAT(report.ladder.layer_floor(1), Optional(DoubleEq(150 * us)));
  EXPECT_THAT(text_of(report), HasSubstr("93.8%           1.00x  memory"));
}

}  // namespace
}  // namespace benanza::analysis
