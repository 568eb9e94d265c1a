#include "analysis/model/fusion.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/tests/fusion_graphs.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::add;
using test::chain;
using test::chain_alone;
using test::diamond;
using test::diamond_alone;
using test::layer;
using test::measured;
using test::ms;
using test::refused;
using test::report_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Verdict> verdicts(const FusionReport& report) {
  std::vector<Verdict> all;
  for (const FusionRow& row : report.rows) all.push_back(row.verdict);
  return all;
}

TEST(Fusion, OfAChainSavesTheDifferenceOfTheBounds) {
  MeasurementSet set = chain_alone();
  add(set, "relu/conv_bn", 10.5 * ms);
  add(set, "relu/cbr", 10.75 * ms);
  const Graph graph = chain();
  const FusionReport report = report_of(graph, set);
  // 10 + 2 + 2 + 1 alone; 10.75 + 1 with the longer fusion (10.5 + 2 + 1 with the shorter one).
  EXPECT_DOUBLE_EQ(report.unfused.sequential.seconds, 15 * ms);
  EXPECT_DOUBLE_EQ(report.fused.sequential.seconds, 11.75 * ms);
  EXPECT_DOUBLE_EQ(report.profit_seconds(), 3.25 * ms);
  EXPECT_THAT(verdicts(report), ElementsAre(Verdict::outdone, Verdict::used));
  EXPECT_TRUE(report.cover.optimal);
  EXPECT_FALSE(report.is_partial());
  ASSERT_THAT(report.patterns, SizeIs(2));
  EXPECT_EQ(report.patterns[0].used, 0);
  EXPECT_DOUBLE_EQ(report.patterns[0].profit_seconds, 0);
  EXPECT_NEAR(report.patterns[0].profit_alone_seconds, 1.5 * ms, 1e-12);
  EXPECT_NEAR(report.patterns[1].profit_seconds, 3.25 * ms, 1e-12);
  EXPECT_NEAR(report.patterns[1].profit_alone_seconds, 3.25 * ms, 1e-12);
}

TEST(Fusion, NoCallOverwritesAResidualThatIsKept) {
  MeasurementSet set = chain_alone();
  set.add(measured("relu/cbr/fp32/nchw/onednn/sum.jit", {10.75 * ms}));
  Graph graph = chain();
  const auto times = [&] { return fusion_times(graph, set, {}); };
  EXPECT_DOUBLE_EQ(times().at(1).seconds.value(), 10.75 * ms);
  graph.fusions[1].keeps_residual = true;
  EXPECT_EQ(times().at(1).status, LayerStatus::unsupported);
  EXPECT_THAT(times().at(1).note, HasSubstr("residual"));
}

TEST(Fusion, IsUsedOnlyWhereItPays) {
  MeasurementSet set = chain_alone();
  add(set, "relu/conv_bn", 12.5 * ms);
  add(set, "relu/cbr", 14 * ms);
  const Graph graph = chain();
  const FusionReport report = report_of(graph, set);
  EXPECT_DOUBLE_EQ(report.profit_seconds(), 0);
  EXPECT_THAT(verdicts(report), ElementsAre(Verdict::does_not_pay, Verdict::does_not_pay));
}

TEST(Fusion, OfADiamondLetsOneBranchTakeTheSum) {
  MeasurementSet set = diamond_alone();
  add(set, "relu/left_fused", 11 * ms);    // saves 3
  add(set, "relu/right_fused", 6.5 * ms);  // saves 3.5
  const Graph graph = diamond();
  const FusionReport report = report_of(graph, set);
  EXPECT_THAT(verdicts(report), ElementsAre(Verdict::outdone, Verdict::used));
  EXPECT_DOUBLE_EQ(report.unfused.sequential.seconds, 21 * ms);
  EXPECT_DOUBLE_EQ(report.fused.sequential.seconds, 17.5 * ms);
  // In parallel: 1 + 10 + 3 + 1 alone. With the cover right waits for left: 1 + 10 + 6.5; with the
  // other fusion 1 + 6 + 11. Both are longer.
  EXPECT_DOUBLE_EQ(report.unfused.parallel.seconds, 15 * ms);
  EXPECT_DOUBLE_EQ(report.fused.parallel.seconds, 15 * ms);
  EXPECT_THAT(report.in_parallel, IsEmpty());
  EXPECT_EQ(
      parallel_fusions_text(report),
      "the parallel bound uses 0, 0 of them of this cover: those given up join branches and make "
      "its path longer");
  ASSERT_THAT(report.patterns, SizeIs(1));
  EXPECT_EQ(report.patterns[0].found, 2);
  EXPECT_EQ(report.patterns[0].used, 1);
}

TEST(Fusion, TheFusedGraphKeepsTheFlow) {
  MeasurementSet set = diamond_alone();
  add(set, "relu/left_fused", 11 * ms);
  add(set, "relu/right_fused", 6.5 * ms);
  const Graph graph = diamond();
  const auto layers = layer_times(graph, set, {});
  const auto fusions = fusion_times(graph, set, {});
  const Cover cover = fusion_cover(graph, layers, fusions, Movement::exclude);
  const FusedGraph fused = fused_graph(graph, layers, fusions, cover.pieces);
  ASSERT_THAT(fused.graph.layers, SizeIs(3));
  EXPECT_EQ(fused.graph.layers[1].name, "left");
  EXPECT_EQ(fused.graph.layers[2].name, "right ... relu");
  EXPECT_EQ(fused.graph.layers[2].op, "conv_add_relu");
  EXPECT_THAT(fused.graph.layers[2].inputs, ElementsAre(0, 1));
  EXPECT_THAT(fused.graph.layers[0].inputs, IsEmpty());
  EXPECT_DOUBLE_EQ(fused.graph.layers[2].flops.value(), 3e6);
  EXPECT_EQ(fused.times[2].fusion, "conv_add_relu");
}

// Two recurrent layers in one call; the second one's initial state is made from the shape of the
// first one's result.
TEST(Fusion, OfWhatReadsAMereShapeDoesNotWaitForItself) {
  const auto made = [](const char* name, std::vector<std::size_t> inputs, Cost cost) {
    Layer layer{.name = name, .op = "op", .inputs = std::move(inputs), .cost = cost};
    if (cost == Cost::measured) layer.problems = {std::string("relu/") + name};
    return layer;
  };
  const Graph graph{
      .model = "stack",
      .layers = {made("first", {}, Cost::measured), made("shape", {0}, Cost::free),
                 made("zeros", {1}, Cost::free), made("second", {0, 2}, Cost::measured),
                 made("last", {3}, Cost::measured)},
      .fusions = {{.pattern = "pair", .layers = {0, 3}, .problem = "relu/pair"}}};
  EXPECT_THAT(inputs_without_loops(graph), ElementsAre(IsEmpty(), ElementsAre(0), ElementsAre(1),
                                                       ElementsAre(0), ElementsAre(3)));
  MeasurementSet set = test::steady({{"first", 2 * ms}, {"second", 3 * ms}, {"last", 1 * ms}});
  add(set, "relu/pair", 4 * ms);
  const FusionReport report = report_of(graph, set);
  EXPECT_DOUBLE_EQ(report.fused.sequential.seconds, 5 * ms);
  EXPECT_DOUBLE_EQ(report.fused.parallel.seconds, 5 * ms);
}

TEST(Fusion, ALaterLayerMayBeFusedWithAnEarlierOne) {
  // Data flow counts, not the order of the list: relu is listed before the layer that it reads.
  const Graph graph{
      .model = "m",
      .layers = {layer("relu", {1}), layer("conv", {}), layer("end", {0})},
      .fusions = {{.pattern = "conv_relu", .layers = {1, 0}, .problem = "relu/both"}}};
  MeasurementSet set = test::steady({{"relu", 2 * ms}, {"conv", 5 * ms}, {"end", 1 * ms}});
  add(set, "relu/both", 5 * ms);
  const FusionReport report = report_of(graph, set);
  EXPECT_DOUBLE_EQ(report.fused.sequential.seconds, 6 * ms);
  EXPECT_DOUBLE_EQ(report.fused.parallel.seconds, 6 * ms);
}

TEST(Fusion, AMissingMeasurementIsNamedAndTheFusionLeftOut) {
  MeasurementSet set = chain_alone();
  add(set, "relu/conv_bn", 10.5 * ms);
  const Graph graph = chain();
  const FusionReport report = report_of(graph, set);
  EXPECT_THAT(verdicts(report), ElementsAre(Verdict::used, Verdict::missing));
  EXPECT_TRUE(report.is_partial());
  EXPECT_NEAR(report.profit_seconds(), 1.5 * ms, 1e-12);
  EXPECT_EQ(report.fusions[1].gaps.at(0).key, "relu/cbr");
  EXPECT_EQ(report.patterns[1].missing, 1);
}

TEST(Fusion, AFusionThatTheLibraryRefusesIsNoGap) {
  MeasurementSet set = chain_alone();
  add(set, "relu/conv_bn", 10.5 * ms);
  set.add(refused("relu/cbr/fp32/nchw/onednn/none", Status::unsupported, "no such post-op"));
  const Graph graph = chain();
  const FusionReport report = report_of(graph, set);
  EXPECT_THAT(verdicts(report), ElementsAre(Verdict::used, Verdict::unsupported));
  EXPECT_FALSE(report.is_partial());
}

TEST(Fusion, ALayerWithoutATimeIsDoneByAFusionAndTheBoundIsWhole) {
  MeasurementSet set = chain_alone();
  add(set, "relu/conv_bn", 10.5 * ms);
  add(set, "relu/cbr", 10.75 * ms);
  Graph graph = chain();
  graph.layers[2] = layer("relu", {1}, Cost::unsupported, "no lowering");
  const FusionReport report = report_of(graph, set);
  // Without fusion conv 10, bn 2 and pool 1, but no call does relu alone. The longer fusion does
  // it: 10.75 + 1. So the shorter one, which would be cheaper without relu (10.5 + 1), is outdone.
  EXPECT_THAT(verdicts(report), ElementsAre(Verdict::outdone, Verdict::used));
  EXPECT_EQ(report.rows[1].alone_seconds, std::nullopt);
  EXPECT_NEAR(report.unfused.sequential.seconds, 13 * ms, 1e-12);
  EXPECT_NEAR(report.fused.sequential.seconds, 11.75 * ms, 1e-12);
  EXPECT_NEAR(report.cover.seconds, 11.75 * ms, 1e-12);
  EXPECT_NEAR(report.fused.parallel.seconds, 11.75 * ms, 1e-12);
  EXPECT_THAT(report.only_fused, ElementsAre(2));
  EXPECT_TRUE(report.is_partial_unfused());
  EXPECT_FALSE(report.is_partial_fused());
  EXPECT_DOUBLE_EQ(report.patterns[1].profit_seconds, 0);
  EXPECT_DOUBLE_EQ(report.patterns[1].profit_alone_seconds, 0);
}

TEST(Fusion, ALayerThatNoFusionDoesStaysAHole) {
  MeasurementSet set = chain_alone();
  add(set, "relu/conv_bn", 10.5 * ms);
  Graph graph = chain();
  graph.layers[2] = layer("relu", {1}, Cost::unsupported, "no lowering");
  graph.fusions.pop_back();
  const FusionReport report = report_of(graph, set);
  EXPECT_NEAR(report.fused.sequential.seconds, 11.5 * ms, 1e-12);
  EXPECT_THAT(report.only_fused, IsEmpty());
  EXPECT_THAT(report.in_neither, ElementsAre(2));
  EXPECT_TRUE(report.is_partial_fused());
}

TEST(Fusion, FreeLayersInsideCostNothingAlone) {
  Graph graph = chain();
  graph.layers[1] = layer("bn", {0}, Cost::free, "the same tensor by another name");
  MeasurementSet set = chain_alone();
  add(set, "relu/conv_bn", 9.5 * ms);
  add(set, "relu/cbr", 11.5 * ms);
  const FusionReport report = report_of(graph, set);
  // Alone 10 + 0 + 2: the longer one saves 0.5 ms, as does the shorter one followed by relu.
  EXPECT_NEAR(report.profit_seconds(), 0.5 * ms, 1e-12);
  EXPECT_EQ(report.cover.pieces.size(), 1);
}

/// A convolution with a bias is two calls or one: the bound uses the cheaper even without fusion.
Graph with_bias() {
  Graph graph{
      .model = "bias",
      .batch = 1,
      .layers = {layer("conv", {}), layer("relu", {0})},
      .fusions = {{.pattern = "conv_bias", .layers = {0}, .problem = "relu/biased"},
                  {.pattern = "conv_bias_relu", .layers = {0, 1}, .problem = "relu/biased_relu"}}};
  graph.layers[0].problems = {"relu/conv", "relu/bias"};
  return graph;
}

TEST(Fusion, ABiasInOneCallIsPartOfTheBoundAlready) {
  MeasurementSet set =
      test::steady({{"conv", 5 * ms}, {"bias", 2 * ms}, {"relu", 2 * ms}, {"biased", 6 * ms}});
  add(set, "relu/biased_relu", 6.5 * ms);
  const Graph graph = with_bias();
  const FusionReport report = report_of(graph, set);
  // 6 + 2 without fusion, not 5 + 2 + 2.
  EXPECT_DOUBLE_EQ(report.unfused.sequential.seconds, 8 * ms);
  EXPECT_NEAR(report.profit_seconds(), 1.5 * ms, 1e-12);
  EXPECT_THAT(verdicts(report), ElementsAre(Verdict::in_bound, Verdict::used));
  EXPECT_EQ(report.patterns[0].used, 0);
  EXPECT_NEAR(report.patterns[0].in_bound_seconds, 1 * ms, 1e-12);
}

TEST(Fusion, ABiasInOneCallThatIsSlowerDoesNotPay) {
  MeasurementSet set =
      test::steady({{"conv", 5 * ms}, {"bias", 2 * ms}, {"relu", 2 * ms}, {"biased", 8 * ms}});
  add(set, "relu/biased_relu", 10 * ms);
  const Graph graph = with_bias();
  EXPECT_THAT(verdicts(report_of(graph, set)),
              ElementsAre(Verdict::does_not_pay, Verdict::does_not_pay));
}

TEST(Fusion, IsChosenAtThePrecisionThatIsAsked) {
  MeasurementSet set = chain_alone();
  add(set, "relu/conv_bn", 1 * ms, "/fp16/nchw/onednn/jit");
  add(set, "relu/cbr", 1 * ms, "/fp16/nchw/onednn/jit");
  const Graph graph = chain();
  EXPECT_THAT(verdicts(report_of(graph, set)), ElementsAre(Verdict::missing, Verdict::missing));
  // Nor does the layers' fallback apply to fusions.
  const MeasurementFilter filter{.precision = Precision::fp32, .fallback = Precision::fp16};
  EXPECT_THAT(verdicts(report_of(graph, set, filter)),
              ElementsAre(Verdict::missing, Verdict::missing));
}

TEST(Fusion, TheSpreadIsThatOfTheFusedCalls) {
  MeasurementSet set = chain_alone();
  set.add(measured("relu/conv_bn/fp32/nchw/onednn/jit", test::five(20 * ms)));
  set.add(measured("relu/cbr/fp32/nchw/onednn/jit", test::five(8 * ms)));
  const Graph graph = chain();
  const FusionReport report = report_of(graph, set);
  ASSERT_TRUE(report.fused.sequential.spread);
  // Two runs may differ by 0.5%.
  EXPECT_NEAR(report.fused.sequential.spread->low, 9 * ms * std::exp(-1.959964 * 0.005), 1e-8);
  EXPECT_NEAR(report.fused.sequential.spread->high, 9 * ms * std::exp(1.959964 * 0.005), 1e-8);
}

Page page_of(const FusionReport& report) {
  return {.command = "fusion", .sections = {fusion_section(report)}};
}

Page chain_page(const Graph& graph) {
  MeasurementSet set = chain_alone();
  add(set, "relu/conv_bn", 10.5 * ms);
  add(set, "relu/cbr", 10.75 * ms);
  Page page = page_of(report_of(graph, set));
  page.systems["onednn"] = {{"threads", "2"}};
  return page;
}

TEST(FusionTable, IsAlignedAndSaysItsUnits) {
  const Graph graph = chain();
  EXPECT_EQ(page_table(chain_page(graph), 5), R"(onednn: threads 2

chain, batch 1, fp32
  LBL sequential  15.000 ms  (95%: 14.854 to 15.148)
    with fusion   11.750 ms  (95%: 11.635 to 11.866)
    profit        3.250 ms, 21.7%
  LBL parallel    15.000 ms  (95%: 14.854 to 15.148)
    with fusion   11.750 ms  (95%: 11.635 to 11.866)
    profit        3.250 ms, 21.7%
  fusions used    1 of 2; no other choice gives a lower sequential bound

  patterns of fusions
  pattern       found  measured  unsupported  missing  used  saves us  saves if alone us  in the bound us
  conv_bn           1         1            0        0     0       0.0             1500.0              0.0
  conv_bn_relu      1         1            0        0     1    3250.0             3250.0              0.0

  fusions that are used, those that save most first
  layers         pattern       alone us  fused us  saves us  layout/backend/algorithm
  conv ... relu  conv_bn_relu   14000.0   10750.0    3250.0  nchw/onednn/jit
)");
}

TEST(FusionTable, NamesWhatIsMissing) {
  const Graph graph = chain();
  const MeasurementSet set = chain_alone();
  const Page page = page_of(report_of(graph, set));
  const std::string text = page_table(page, 5);
  EXPECT_THAT(text, HasSubstr("PARTIAL"));
  EXPECT_THAT(text, HasSubstr("missing: relu/conv_bn (not measured at fp32), relu/cbr"));
}

TEST(FusionJson, HoldsBoundsPatternsAndEveryFusion) {
  const Graph graph = chain();
  const json root = json::parse(page_json(chain_page(graph)));
  EXPECT_EQ(root["schema"], 1);
  EXPECT_EQ(root["command"], "fusion");
  const json& report = root["reports"][0];
  EXPECT_DOUBLE_EQ(report["unfused"]["sequential"]["seconds"], 15 * ms);
  EXPECT_DOUBLE_EQ(report["fused"]["sequential"]["seconds"], 11.75 * ms);
  EXPECT_NEAR(report["profit_seconds"].get<double>(), 3.25 * ms, 1e-12);
  EXPECT_EQ(report["optimal"], true);
  EXPECT_EQ(report["partial"], false);
  EXPECT_EQ(report["patterns"][1]["pattern"], "conv_bn_relu");
  EXPECT_EQ(report["patterns"][1]["used"], 1);
  EXPECT_EQ(report["fusions"][0]["verdict"], "outdone");
  EXPECT_THAT(report["fusions"][1]["layers"], ElementsAre("conv", "bn", "relu"));
  EXPECT_EQ(report["fusions"][1]["call"], "relu/cbr/fp32/nchw/onednn/jit");
  EXPECT_NEAR(report["fusions"][1]["alone_seconds"].get<double>(), 14 * ms, 1e-12);
}

TEST(FusionCsv, IsOneRowAFusionWithUnknownsEmpty) {
  Graph graph = chain();
  graph.fusions[1].problem = "relu/never";
  MeasurementSet set = test::steady({{"conv", 0.5}, {"bn", 0.25}, {"relu", 0.25}, {"pool", 1.0}});
  add(set, "relu/conv_bn", 0.5);
  const Page page = page_of(report_of(graph, set));
  EXPECT_EQ(page_csv(page),
            "model,batch,precision,pattern,layers,problem,verdict,seconds,alone_seconds,"
            "saves_seconds,call,note\n"
            "chain,1,fp32,conv_bn,conv bn,relu/conv_bn,used,0.5,0.75,0.25,"
            "relu/conv_bn/fp32/nchw/onednn/jit,\n"
            "chain,1,fp32,conv_bn_relu,conv bn relu,relu/never,missing,,1,,,"
            "not measured at fp32\n");
}

}  // namespace
}  // namespace benanza::analysis
