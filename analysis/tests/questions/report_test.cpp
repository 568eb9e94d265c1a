#include "analysis/questions/bound/report.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/render/text.h"
#include "analysis/tests/build.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::layer;
using test::ms;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// A diamond with layers of every standing: a (1 ms) -> b (5 ms) parallel to c (2 ms) -> d (1 ms),
/// then a copy (0.5 ms), a free and an unsupported layer, and one that was not measured.
struct ReportCase {
  Graph graph{.model = "diamond",
              .batch = 2,
              .layers = {layer("a", {}), layer("b", {0}), layer("c", {0}), layer("d", {1, 2}),
                         layer("copy", {3}, Cost::movement),
                         layer("dropout", {4}, Cost::free, "no-op at inference"),
                         layer("einsum", {5}, Cost::unsupported, "no lowering for Einsum"),
                         layer("gone, \"x\"", {6})}};
  MeasurementSet set = test::steady(
      {{"a", 1 * ms}, {"b", 5 * ms}, {"c", 2 * ms}, {"d", 1 * ms}, {"copy", 0.5 * ms}});
  std::vector<BoundReport> reports;

  Page page() const {
    Page page{.command = "bound", .systems = {{"onednn", {{"threads", "2"}}}}};
    for (const BoundReport& report : reports) page.sections.push_back(bound_section(report));
    return page;
  }

  explicit ReportCase(Movement movement = Movement::exclude) {
    graph.layers.back().problems = {"relu/gone"};
    reports.push_back(make_report(graph, set, {}, movement));
  }
};

TEST(BoundTable, IsAlignedAndSaysItsUnits) {
  const ReportCase given;
  EXPECT_EQ(page_table(given.page(), 2), R"(onednn: threads 2

diamond, batch 2, fp32
  LBL sequential  9.000 ms  (95%: 8.912 to 9.089)  PARTIAL
  LBL parallel    7.000 ms  (95%: 6.932 to 7.069)  PARTIAL
  with movement   sequential 9.500 ms  (95%: 9.407 to 9.594), parallel 7.500 ms  (95%: 7.427 to 7.574)  PARTIAL

  coverage
  layers that are  layers     arithmetic
  measured              4    4.000 MFLOP
  movement              1    1.000 MFLOP  not in the bound
  free                  1         0 FLOP
  unsupported           1  FLOPs unknown  not in the bound: it is PARTIAL
  missing               1    1.000 MFLOP  not in the bound: it is PARTIAL

  layers without a time, not in the bound
  layer      op       arithmetic     MB  why
  einsum     Relu  FLOPs unknown  0.001  no lowering for Einsum
  gone, "x"  Relu    1.000 MFLOP  0.001  relu/gone not measured at fp32

  layers
  layer  op        us  share  GFLOP/s  critical path  layout/backend/algorithm
  b      Relu  5000.0  55.6%      0.2  yes            nchw/onednn/jit
  c      Relu  2000.0  22.2%      0.5                 nchw/onednn/jit
  the largest 2 of 5, 77.8% of the sequential bound; --rows all shows all

  critical path, 3 of 4 layers in the bound: a, b and 1 more
  layers off the critical path: c
)");
}

TEST(BoundTable, ARatioAboveOneIsNotLeftWithoutAWord) {
  ReportCase given;
  const auto profile =
      std::make_shared<const Profile>(Profile{.framework = "abacus", .latency_seconds = {1 * ms}});
  Comparison comparison{.profile = profile,
                        .latency = Latency{.seconds = 1 * ms, .sequential_ratio = 0.9}};
  given.reports[0].comparisons = {comparison};
  EXPECT_THAT(page_table(given.page(), 2), Not(HasSubstr("above 1")));
  given.reports[0].comparisons[0].latency->sequential_ratio = 9;
  EXPECT_THAT(page_table(given.page(), 2), HasSubstr("above 1"));
}

TEST(BoundTable, SaysWhatRestsOnAssumedExtents) {
  // b and c are assumed, 5 and 2 of 9 ms; the copy counts only if movement does: 7.5 of 9.5 ms.
  for (const Movement movement : {Movement::exclude, Movement::include}) {
    ReportCase given;
    for (const std::size_t index : {1, 2, 4, 5}) given.graph.layers[index].assumed = "nz:1=20";
    given.graph.layers[1].assumed = "keep:0=7";
    given.reports = {make_report(given.graph, given.set, {}, movement)};
    const bool moves = movement == Movement::include;
    const std::string line = moves ? "  assumed         78.9% of sequential, 3 layers: "
                                     "data-dependent sizes, maximum assumed"
                                   : "  assumed         77.8% of sequential, 2 layers: "
                                     "data-dependent sizes, maximum assumed";
    EXPECT_THAT(page_table(given.page(), 2), AllOf(HasSubstr(line), HasSubstr("first keep:0=7")));
    const json report = json::parse(page_json(given.page()))["reports"][0]["assumed"];
    EXPECT_EQ(report["layers"], moves ? 3 : 2);
    EXPECT_DOUBLE_EQ(report["seconds"], moves ? 7.5 * ms : 7 * ms);
    EXPECT_EQ(report["first"], "keep:0=7");
  }
  EXPECT_THAT(page_table(ReportCase().page(), 2), Not(HasSubstr("assumed")));
}

TEST(BoundTable, AllLayersAreInTheModelsOrder) {
  const ReportCase given;
  const std::string text = page_table(given.page(), 100);
  EXPECT_LT(text.find("\n  a  "), text.find("\n  b  "));
  EXPECT_LT(text.find("\n  b  "), text.find("\n  c  "));
  EXPECT_LT(text.find("\n  d  "), text.find("\n  copy  "));
  EXPECT_THAT(text, Not(HasSubstr("the largest")));
  EXPECT_THAT(text, HasSubstr(": a, b, d\n"));
}

TEST(BoundTable, IsTheSameEveryTime) {
  EXPECT_EQ(page_table(ReportCase().page(), 9), page_table(ReportCase().page(), 9));
}

TEST(BoundJson, HoldsBoundsCoverageAndEveryLayer) {
  const ReportCase given;
  const json root = json::parse(page_json(given.page()));
  EXPECT_EQ(root["schema"], 1);
  EXPECT_EQ(root["systems"]["onednn"]["threads"], "2");
  const json& report = root["reports"][0];
  EXPECT_EQ(report["model"], "diamond");
  EXPECT_EQ(report["batch"], 2);
  EXPECT_EQ(report["partial"], true);
  EXPECT_DOUBLE_EQ(report["bounds"]["sequential"]["seconds"], 9 * ms);
  EXPECT_DOUBLE_EQ(report["bounds"]["parallel"]["seconds"], 7 * ms);
  EXPECT_THAT(report["bounds"]["parallel"]["critical_path"], ElementsAre("a", "b", "d"));
  // The processes agree; two runs may differ by 0.5%, normally.
  EXPECT_NEAR(report["bounds"]["sequential"]["spread_seconds"][1].get<double>(),
              9 * ms * std::exp(1.959964 * 0.005), 1e-9);
  EXPECT_DOUBLE_EQ(report["bounds_with_movement"]["sequential"]["seconds"], 9.5 * ms);
  EXPECT_EQ(report["coverage"]["measured"]["layers"], 4);
  EXPECT_TRUE(report["coverage"]["unsupported"]["flops"].is_null());
  ASSERT_EQ(report["layers"].size(), 8);
  EXPECT_EQ(report["layers"][1]["on_critical_path"], true);
  EXPECT_EQ(report["layers"][2]["on_critical_path"], false);
  EXPECT_EQ(report["layers"][1]["calls"][0]["name"], "relu/b/fp32/nchw/onednn/jit");
  EXPECT_TRUE(report["layers"][4]["share"].is_null());    // movement: not part of the bound
  EXPECT_EQ(report["layers"][5]["seconds"], 0.0);         // free: known to be zero
  EXPECT_TRUE(report["layers"][6]["seconds"].is_null());  // unsupported: unknown
  EXPECT_TRUE(report["layers"][7]["seconds"].is_null());  // missing: unknown
  EXPECT_EQ(report["layers"][7]["missing"][0]["key"], "relu/gone");
  EXPECT_TRUE(report["layers"][0]["fusion"].is_null());
}

TEST(BoundCsv, IsOneRowALayerWithUnknownsEmpty) {
  const ReportCase given(Movement::include);
  EXPECT_EQ(
      page_csv(given.page()),
      R"(model,batch,precision,layer,op,standing,seconds,share,flops,bytes,flops_per_second,floor_seconds,reaches,fewer_products,on_critical_path,fusion,calls,note
)"
      "diamond,2,fp32,a,Relu,measured,0.001,0.105263,1000000,1000,1000000000,,,,yes,,"
      "relu/a/fp32/nchw/onednn/jit,\n"
      "diamond,2,fp32,b,Relu,measured,0.005,0.526316,1000000,1000,200000000,,,,yes,,"
      "relu/b/fp32/nchw/onednn/jit,\n"
      "diamond,2,fp32,c,Relu,measured,0.002,0.210526,1000000,1000,500000000,,,,no,,"
      "relu/c/fp32/nchw/onednn/jit,\n"
      "diamond,2,fp32,d,Relu,measured,0.001,0.105263,1000000,1000,1000000000,,,,yes,,"
      "relu/d/fp32/nchw/onednn/jit,\n"
      "diamond,2,fp32,copy,Relu,movement,0.0005,0.0526316,1000000,1000,2000000000,,,,"
      "yes,,relu/copy/fp32/nchw/onednn/jit,\n"
      "diamond,2,fp32,dropout,Relu,free,0,,,1000,,,,,no,,,no-op at inference\n"
      "diamond,2,fp32,einsum,Relu,unsupported,,,,1000,,,,,no,,,no lowering for Einsum\n"
      "diamond,2,fp32,\"gone, \"\"x\"\"\",Relu,missing,,,1000000,1000,,,,,no,,,"
      "relu/gone: not measured at fp32\n");
}

TEST(BoundHtml, HasTheSameTablesAndPlots) {
  const ReportCase given;
  const std::string html = page_html(given.page(), "bound");
  EXPECT_THAT(html, AllOf(HasSubstr("<dt>LBL sequential</dt><dd>9.000 ms"),
                          HasSubstr("<summary>layers without a time, not in the bound (2 rows)"),
                          HasSubstr("gone, &quot;x&quot;"), HasSubstr("roofline"),
                          HasSubstr("<summary>layers off the critical path (1)</summary>")));
  // The slowest layer is first.
  EXPECT_LT(html.find("<summary>b</summary>"), html.find("<summary>a</summary>"));
}

TEST(BoundHtml, ALayerOpensItsCallsAndAllVariants) {
  ReportCase given;
  Measurement other = test::measured("relu/b/fp32/nhwc/onednn/ref", test::five(6 * ms));
  other.heuristic_rank = 1;
  other.workspace_bytes = 1'000'000;
  given.set.add(other);
  given.set.add(test::measured("relu/b/int8/nhwc/onednn/ref", test::five(1 * ms)));
  given.set.add(test::refused("relu/b/fp32/any/onednn/jit", Status::unsupported, "no such layout"));
  given.reports = {make_report(given.graph, given.set, {}, Movement::exclude)};
  EXPECT_THAT(page_html(given.page(), "bound"),
              HasSubstr("<pre>relu/b: 3 variants measured\n"
                        "      us  workspace MB  layout/backend/algorithm\n"
                        "  5000.0                nchw/onednn/jit           in the bound\n"
                        "  6000.0         1.000  nhwc/onednn/ref           the library's choice\n"
                        "       -                any/onednn/jit            unsupported: no such "
                        "layout\n</pre>"));
}

TEST(PageText, EntriesAreAlignedAndListsShortened) {
  Section section{.heading = "m"};
  section.add(Entry{"one", "1"});
  section.add(Entry{"", "more of it"});
  section.add(Entry{"longer", "2"});
  section.add("a sentence");
  section.add(Names{.title = "names", .names = {"a", "b", "c"}, .most = 1});
  section.add(Names{.title = "rows", .names = {"a", "b", "c"}});
  EXPECT_EQ(page_table({.sections = {section}}, 2),
            "m\n"
            "  one     1\n"
            "          more of it\n"
            "  longer  2\n"
            "  a sentence\n"
            "  names: a and 2 more\n"
            "  rows: a, b and 1 more\n");
}

TEST(PageJson, TablesWithANameAreListsAndCostlyFactsAreMadeThereAlone) {
  int made = 0;
  Section section;
  section.more_facts = [&](auto& facts) { facts["costly"] = ++made; };
  section.add(Sheet{
      .name = "rows", .columns = {{"time us", "seconds", true}}, .rows = {{cell(2e-6, micro)}}});
  section.add(Sheet{.columns = {{"for people", ""}}, .rows = {{cell("x")}}});
  const Page page{.command = "db list", .sections = {section}, .flat = true};
  EXPECT_THAT(page_table(page, 9), HasSubstr("2.0"));
  EXPECT_EQ(made, 0);
  const json root = json::parse(page_json(page));
  EXPECT_EQ(root["costly"], 1);
  EXPECT_EQ(root["rows"], json::parse(R"([{"seconds": 2e-6}])"));
  EXPECT_EQ(root.size(), 5);  // schema, command, systems
}

TEST(PageCsv, SectionsWithOtherColumnsAreLeftOut) {
  Section section;
  section.facts["model"] = "a, b";
  section.add(Sheet{.name = "rows", .columns = {{"x", "x"}}, .rows = {{cell("\"1\"")}}});
  Section other;
  other.add(Sheet{.name = "rows", .columns = {{"y", "y"}}, .rows = {{cell("2")}}});
  EXPECT_EQ(page_csv({.sections = {section, other}}),
            "model,batch,precision,x\n\"a, b\",,,\"\"\"1\"\"\"\n");
}

TEST(TextTable, NumbersStandRightAndLinesEndWithoutSpaces) {
  TextTable table({{"name"}, {"n", true}, {""}});
  table.add({"a", "100", ""});
  table.add({"longer", "2", "x"});
  EXPECT_EQ(table.text(),
            "  name      n\n"
            "  a       100\n"
            "  longer    2  x\n");
}

TEST(Shortened, KeepsTheEndsOfANameThatIsTooLong) {
  EXPECT_EQ(shortened("conv1", 8), "conv1");
  EXPECT_EQ(shortened("abcdefghijklmnop", 12), "abc...klmnop");
}

TEST(Enumerated, SaysHowManyAreLeftOut) {
  EXPECT_EQ(enumerated({"a", "b", "c"}, 3), "a, b, c");
  EXPECT_EQ(enumerated({"a", "b", "c"}, 1), "a and 2 more");
  EXPECT_EQ(enumerated({}, 1), "");
}

}  // namespace
}  // namespace benanza::analysis
