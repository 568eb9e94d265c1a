// Operators that the exporter decomposed: one call or several.
#include "analysis/model/whole.h"

#include <gmock/gmock.h>

#include <array>

#include "analysis/model/fusion.h"
#include "analysis/questions/joint.h"
#include "analysis/questions/layouts/plans.h"
#include "analysis/questions/tensor_cores/profit.h"
#include "analysis/tests/fusion_graphs.h"

namespace benanza::analysis {
namespace {

using test::add;
using test::layer;
using test::ms;
using test::refused;
using test::report_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// conv (10 ms) -> a GELU in three layers div, erf, mul (2, 3 and 1 ms), whose div and erf are also
/// an operator of their own -> pool (1 ms).
Graph apart() {
  return {
      .model = "apart",
      .batch = 1,
      .layers = {layer("conv", {}), layer("div", {0}), layer("erf", {1}), layer("mul", {0, 2}),
                 layer("pool", {3})},
      .fusions = {{.pattern = "gelu", .layers = {1, 2, 3}, .problem = "relu/gelu", .whole = true},
                  {.pattern = "half", .layers = {1, 2}, .problem = "relu/half", .whole = true},
                  {.pattern = "conv_div", .layers = {0, 1}, .problem = "relu/conv_div"}}};
}

MeasurementSet pieces() {
  return test::steady(
      {{"conv", 10 * ms}, {"div", 2 * ms}, {"erf", 3 * ms}, {"mul", 1 * ms}, {"pool", 1 * ms}});
}

std::vector<LayerStatus> statuses(const std::vector<LayerTime>& times) {
  std::vector<LayerStatus> all;
  for (const LayerTime& time : times) all.push_back(time.status);
  return all;
}

TEST(Whole, OneCallCountsWhereItIsCheaper) {
  MeasurementSet set = pieces();
  add(set, "relu/gelu", 2.5 * ms);
  add(set, "relu/half", 1 * ms);
  add(set, "relu/conv_div", 1 * ms);  // not an operator of the model: not in this bound
  const Graph graph = apart();
  const OperatorTimes operators = operators_of(graph, set, {}, Movement::exclude);
  // Layer by layer 2 + 3 + 1 = 6; the inner operator and mul 1 + 1 = 2; the outer one 2.5.
  EXPECT_THAT(operators.used(), ElementsAre(1));
  EXPECT_THAT(statuses(operators.layers),
              ElementsAre(LayerStatus::measured, LayerStatus::part, LayerStatus::measured,
                          LayerStatus::measured, LayerStatus::measured));
  EXPECT_THAT(operators.layers[1].note, HasSubstr("erf"));
  EXPECT_EQ(operators.layers[2].fusion, "half");
  EXPECT_THAT(operators.layers[2].does, ElementsAre(1, 2));
  EXPECT_DOUBLE_EQ(operators.wholes[0].apart_seconds.value(), 6 * ms);
  EXPECT_DOUBLE_EQ(operators.wholes[1].apart_seconds.value(), 5 * ms);
  const Bounds found = bounds(graph, operators.layers, Movement::exclude);
  EXPECT_NEAR(found.sequential.seconds, 13 * ms, 1e-12);
  EXPECT_NEAR(found.parallel.seconds, 13 * ms, 1e-12);
  // Shared in the ratio 2 to 3.
  const std::vector<double> shared = shared_seconds(operators.layers, Movement::exclude);
  EXPECT_NEAR(shared[1], 0.4 * ms, 1e-12);
  EXPECT_NEAR(shared[2], 0.6 * ms, 1e-12);
  EXPECT_NEAR(sequential_seconds(shared), 13 * ms, 1e-12);
}

// Attention in a training step: the call for the attention stores nothing that the layers of its
// gradient could read.
TEST(Whole, TwoCallsCountTogether) {
  Graph graph = apart();
  graph.fusions = {{.pattern = "attention_step",
                    .layers = {1, 3},
                    .problem = "relu/forward",
                    .also = {"relu/backward"},
                    .whole = true}};
  MeasurementSet set = pieces();
  add(set, "relu/forward", 0.5 * ms);
  // One call alone is no way to do the layers.
  EXPECT_THAT(operators_of(graph, set, {}, Movement::exclude).used(), IsEmpty());
  add(set, "relu/backward", 1.5 * ms);
  // 2 instead of 2 + 1 ms; the path through erf, which both calls surround, loses nothing.
  const OperatorTimes operators = operators_of(graph, set, {}, Movement::exclude);
  EXPECT_THAT(operators.used(), ElementsAre(0));
  EXPECT_EQ(operators.layers[3].calls.size(), 2U);
  const Bounds found = bounds(graph, operators.layers, Movement::exclude);
  EXPECT_NEAR(found.sequential.seconds, 16 * ms, 1e-12);
  EXPECT_NEAR(found.parallel.seconds, 16 * ms, 1e-12);
  MeasurementSet dear = pieces();
  add(dear, "relu/forward", 0.5 * ms);
  add(dear, "relu/backward", 3 * ms);
  EXPECT_THAT(operators_of(graph, dear, {}, Movement::exclude).used(), IsEmpty());
  MeasurementSet half = pieces();
  add(half, "relu/forward", 0.5 * ms);
  half.add(refused("relu/backward/fp32/plain/cudnn/x", Status::unsupported, "no"));
  EXPECT_THAT(operators_of(graph, half, {}, Movement::exclude).used(), IsEmpty());
}

TEST(Whole, TheLayersCountWhereTheyAreCheaper) {
  MeasurementSet set = pieces();
  add(set, "relu/gelu", 6.5 * ms);
  const Graph graph = apart();
  const OperatorTimes operators = operators_of(graph, set, {}, Movement::exclude);
  EXPECT_THAT(operators.used(), IsEmpty());
  EXPECT_NEAR(bounds(graph, operators.layers, Movement::exclude).sequential.seconds, 17 * ms,
              1e-12);
  EXPECT_EQ(operators.wholes[1].time.status, LayerStatus::missing);
}

TEST(Whole, OneCallFillsAHole) {
  MeasurementSet set = pieces();
  add(set, "relu/gelu", 60 * ms);
  for (const Cost cost : {Cost::unsupported, Cost::measured}) {
    Graph graph = apart();
    graph.layers[2] = layer("unknown", {1}, cost, "no lowering");
    const OperatorTimes operators = operators_of(graph, set, {}, Movement::exclude);
    EXPECT_THAT(operators.used(), ElementsAre(0));
    EXPECT_FALSE(is_partial(operators.layers, Movement::exclude));
    EXPECT_EQ(operators.wholes[0].apart_seconds, std::nullopt);
    EXPECT_NEAR(bounds(graph, operators.layers, Movement::exclude).sequential.seconds, 71 * ms,
                1e-12);
    // The three layers' own times are unknown: equal shares.
    EXPECT_NEAR(shared_seconds(operators.layers, Movement::exclude)[2], 20 * ms, 1e-12);
    EXPECT_THAT(operators.layers[2].gaps, IsEmpty());
  }
}

// The library refuses the transpose (8 ms if it counted), and the call of both layers takes longer
// than the product alone.
TEST(Whole, OneCallFillsAHoleOfMovementWhereMovementCounts) {
  Graph graph{
      .model = "m",
      .batch = 1,
      .layers = {layer("t", {}, Cost::movement), layer("mm", {0})},
      .fusions = {
          {.pattern = "attention", .layers = {0, 1}, .problem = "relu/attention", .whole = true}}};
  MeasurementSet set = test::steady({{"mm", 5 * ms}});
  add(set, "relu/attention", 7 * ms);
  set.add(refused("relu/t/fp32/nchw/onednn/none", Status::unsupported, "no such call"));
  const auto bound = [&](Movement movement) {
    const std::vector<LayerTime> times = operator_times(graph, set, {}, movement);
    EXPECT_FALSE(is_partial(times, movement));
    return bounds(graph, times, movement);
  };
  EXPECT_DOUBLE_EQ(bound(Movement::exclude).sequential.seconds, 5 * ms);
  EXPECT_DOUBLE_EQ(bound(Movement::include).sequential.seconds, 7 * ms);
  EXPECT_DOUBLE_EQ(bound(Movement::include).parallel.seconds, 7 * ms);
  const auto fused = [&](Movement movement) {
    return fusion_cover(graph, layer_times(graph, set, {}), fusion_times(graph, set, {}), movement);
  };
  EXPECT_DOUBLE_EQ(fused(Movement::exclude).seconds, 5 * ms);
  EXPECT_DOUBLE_EQ(fused(Movement::include).seconds, 7 * ms);
  EXPECT_THAT(fused(Movement::include).pieces, ElementsAre(0));
  // Without a time of the call, the hole remains.
  const MeasurementSet less = [] {
    MeasurementSet some = test::steady({{"mm", 5 * ms}});
    some.add(refused("relu/t/fp32/nchw/onednn/none", Status::unsupported, "no such call"));
    return some;
  }();
  EXPECT_TRUE(is_partial(operator_times(graph, less, {}, Movement::include), Movement::include));
}

TEST(Whole, ThePathGoesThroughTheCall) {
  // div and a slow side branch (4 ms) meet in mul: the call waits for both.
  Graph graph{
      .model = "joins",
      .layers = {layer("div", {}), layer("side", {}), layer("mul", {0, 1})},
      .fusions = {{.pattern = "silu", .layers = {0, 2}, .problem = "relu/silu", .whole = true}}};
  MeasurementSet set = test::steady({{"div", 2 * ms}, {"side", 4 * ms}, {"mul", 3 * ms}});
  add(set, "relu/silu", 1 * ms);
  const auto times = operator_times(graph, set, {}, Movement::exclude);
  const Bounds found = bounds(graph, times, Movement::exclude);
  EXPECT_NEAR(found.sequential.seconds, 5 * ms, 1e-12);
  EXPECT_NEAR(found.parallel.seconds, 5 * ms, 1e-12);
}

TEST(Whole, FreeAndMovedLayersInside) {
  Graph graph = apart();
  graph.layers[1] = layer("div", {0}, Cost::free, "the same tensor by another name");
  graph.layers[2] = layer("erf", {1}, Cost::movement);
  graph.fusions.resize(1);
  MeasurementSet set = pieces();
  add(set, "relu/gelu", 2 * ms);
  // Without movement its layers take 1 ms, with it 4 ms.
  EXPECT_THAT(operators_of(graph, set, {}, Movement::exclude).used(), IsEmpty());
  const OperatorTimes operators = operators_of(graph, set, {}, Movement::include);
  EXPECT_THAT(operators.used(), ElementsAre(0));
  EXPECT_EQ(operators.layers[1].status, LayerStatus::free);
  EXPECT_EQ(operators.layers[2].status, LayerStatus::part);
  EXPECT_NEAR(bounds(graph, operators.layers, Movement::include).sequential.seconds, 13 * ms,
              1e-12);
  EXPECT_NEAR(shared_seconds(operators.layers, Movement::include)[1], 0, 1e-15);
  EXPECT_NEAR(shared_seconds(operators.layers, Movement::include)[2], 1.5 * ms, 1e-12);
}

TEST(Whole, TheBoundWithFusionChoosesFromAll) {
  MeasurementSet set = pieces();
  add(set, "relu/gelu", 2 * ms);
  add(set, "relu/half", 4 * ms);
  add(set, "relu/conv_div", 6 * ms);
  const Graph graph = apart();
  const FusionReport report = report_of(graph, set);
  // Operators: 10 + 2 + 1. With fusion 6 + 3 + 1 + 1.
  EXPECT_NEAR(report.unfused.sequential.seconds, 13 * ms, 1e-12);
  EXPECT_NEAR(report.fused.sequential.seconds, 11 * ms, 1e-12);
  EXPECT_EQ(report.rows[0].verdict, Verdict::outdone);
  EXPECT_EQ(report.rows[2].verdict, Verdict::used);
}

TEST(Whole, AnOperatorInBothBoundsIsNoProfitOfFusion) {
  MeasurementSet set = pieces();
  add(set, "relu/gelu", 2 * ms);
  const Graph graph = apart();
  FusionReport report = report_of(graph, set);
  EXPECT_EQ(report.rows[0].verdict, Verdict::in_bound);
  EXPECT_DOUBLE_EQ(report.profit_seconds(), 0);
  EXPECT_DOUBLE_EQ(report.patterns[0].profit_seconds, 0);
  EXPECT_NEAR(report.patterns[0].in_bound_seconds, 4 * ms, 1e-12);
}

// Two towers that meet: if fusions that join branches are given up, operators stay.
TEST(Whole, TheParallelBoundWithFusionIsNeverAboveThatOfOperators) {
  Graph graph = apart();
  graph.layers.push_back(layer("right", {}));
  graph.layers[4].inputs = {3, 5};
  graph.fusions.push_back({.pattern = "mul_pool", .layers = {3, 4}, .problem = "relu/mul_pool"});
  MeasurementSet set = pieces();
  set.add(test::measured("relu/right/fp32/nchw/onednn/jit", test::five(12 * ms)));
  add(set, "relu/gelu", 2 * ms);
  // The order of layers: right has index 5 and runs before pool.
  std::swap(graph.layers[4], graph.layers[5]);
  graph.layers[5].inputs = {3, 4};
  graph.layers[4].inputs = {};
  graph.fusions[3].layers = {3, 5};
  const FusionReport report = report_of(graph, set);
  EXPECT_LE(report.fused.parallel.seconds, report.unfused.parallel.seconds + 1e-15);
  EXPECT_NEAR(report.unfused.parallel.seconds, 13 * ms, 1e-12);
}

TEST(Whole, LayersOfACallAreLeftOutTogether) {
  const Graph graph = apart();
  MeasurementSet whole = pieces();
  add(whole, "relu/gelu", 2 * ms);
  MeasurementSet lacking =
      test::steady({{"conv", 10 * ms}, {"div", 2 * ms}, {"mul", 1 * ms}, {"pool", 1 * ms}});
  const std::array both{operator_times(graph, whole, {}, Movement::exclude),
                        operator_times(graph, lacking, {}, Movement::exclude)};
  EXPECT_THAT(one_sided_layers(both, Movement::exclude), ElementsAre(1, 2, 3));
  const std::array same{both[0], operator_times(graph, pieces(), {}, Movement::exclude)};
  EXPECT_THAT(one_sided_layers(same, Movement::exclude), IsEmpty());
}

TEST(Whole, JointCountsOperatorsInEverySubset) {
  MeasurementSet set = pieces();
  add(set, "relu/gelu", 2 * ms);
  const Graph graph = apart();
  const JointAnswer answer = joint(graph, set, {}, Precision::fp32, Movement::exclude);
  for (const JointRow& row : answer.rows) EXPECT_NEAR(row.seconds, 13 * ms, 1e-12);
  EXPECT_FALSE(answer.partial);
}

TEST(Whole, JointFillsNoHoleWithFusionAlone) {
  MeasurementSet set = pieces();
  add(set, "relu/conv_div", 6 * ms);
  Graph graph = apart();
  graph.layers[1] = layer("div", {0}, Cost::unsupported, "no lowering");
  const JointAnswer answer = joint(graph, set, {}, Precision::fp32, Movement::exclude);
  // 10 + 3 + 1 + 1 without div, in all subsets.
  for (const JointRow& row : answer.rows) EXPECT_NEAR(row.seconds, 15 * ms, 1e-12);
  EXPECT_TRUE(answer.partial);
}

TEST(Whole, TensorCoresCompareOneCallWithItsLayers) {
  MeasurementSet set = pieces();
  for (const char* name : {"conv", "div", "erf", "mul", "pool"}) {
    set.add(
        test::measured("relu/" + std::string(name) + "/fp16/nchw/onednn/jit", test::five(1 * ms)));
  }
  add(set, "relu/gelu", 1.5 * ms, "/fp16/nchw/onednn/jit");
  const Graph graph = apart();
  const TensorCoreProfit profit = tensor_core_profit(graph, set, {.precision = Precision::fp16},
                                                     Precision::fp32, Movement::exclude);
  EXPECT_THAT(profit.left_out, IsEmpty());
  EXPECT_NEAR(profit.with_bounds.sequential.seconds, 3.5 * ms, 1e-12);
  double sum = 0;
  for (const TensorCoreRow& row : profit.rows) sum += row.profit_seconds().value();
  EXPECT_NEAR(sum, 13.5 * ms, 1e-12);
}

TEST(Whole, LayoutsTakeAnOperatorAsOneLayer) {
  MeasurementSet set = pieces();
  add(set, "relu/gelu", 2 * ms, "/fp32/plain/onednn/jit");
  Graph graph = apart();
  graph.transforms = {{.layer = 1, .to_nhwc = "relu/t1", .to_nchw = "relu/t1"},
                      {.layer = 3, .to_nhwc = "relu/t3", .to_nchw = "relu/t3"}};
  const LayoutPlans plans = layout_plans(graph, set, {}, Movement::exclude);
  ASSERT_EQ(plans.graph->layers.size(), 3);
  EXPECT_EQ(plans.graph->layers[1].name, "div ... mul");
  ASSERT_EQ(plans.graph->transforms.size(), 1);
  EXPECT_EQ(plans.graph->transforms[0].layer, 1);
  EXPECT_NEAR(plans.best.seconds(), 13 * ms, 1e-12);
  // A call that exists only in another layout removes none.
  MeasurementSet other = pieces();
  add(other, "relu/gelu", 2 * ms, "/fp32/nhwc/onednn/jit");
  EXPECT_NEAR(layout_plans(graph, other, {}, Movement::exclude).nchw.seconds(), 17 * ms, 1e-12);
}

}  // namespace
}  // namespace benanza::analysis
