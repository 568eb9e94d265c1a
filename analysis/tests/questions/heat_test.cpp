// The share of the bound by operator and precision.

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/questions/common/question.h"
#include "analysis/tests/build.h"
#include "analysis/tests/program.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::layer;
using test::measured;
using test::ms;
using testing::AllOf;
using testing::HasSubstr;

/// At fp16, in ms: convolutions of 10 and 20, a softmax that is refused and takes 8 at fp32, a relu
/// of 2; a copy of 5 does not count. 40 in all: 75%, 20% and 5%.
class Heat : public testing::Test {
 protected:
  Heat() {
    Graph graph{.model = "m",
                .batch = 1,
                .layers = {layer("a", {}), layer("b", {0}), layer("soft", {1}), layer("relu", {2}),
                           layer("copy", {3}, Cost::movement)}};
    graph.layers[0].op = graph.layers[1].op = "Conv";
    graph.layers[2].op = "Softmax";
    inputs_.graphs = {graph};
    inputs_.filters = {{.precision = Precision::fp16, .fallback = Precision::fp32}};
    MeasurementSet& set = inputs_.results.measurements;
    set.add(measured("relu/a/fp16/nchw/onednn/jit", {10 * ms}));
    set.add(measured("relu/b/fp16/nchw/onednn/jit", {20 * ms}));
    set.add(test::refused("relu/soft/fp16/nchw/onednn/none", Status::unsupported, "no fp16"));
    set.add(measured("relu/soft/fp32/nchw/onednn/jit", {8 * ms}));
    set.add(measured("relu/relu/fp16/nchw/onednn/jit", {2 * ms}));
    set.add(measured("relu/copy/fp16/nchw/onednn/jit", {5 * ms}));
  }

  Page page() const {
    const auto all = questions();
    const auto heat = std::ranges::find(all, "heat", &Question::name);
    return page_of("heat", inputs_, heat->section);
  }

  Inputs inputs_;
};

TEST_F(Heat, SharesAddUpByOperatorAndPrecision) {
  const json report = json::parse(page_json(page()))["reports"][0];
  EXPECT_NEAR(report["sequential_seconds"].get<double>(), 40 * ms, 1e-12);
  EXPECT_EQ(report["partial"], false);
  const json& rows = report["operators"];
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[0]["op"], "Conv");
  EXPECT_EQ(rows[0]["precision"], "fp16");
  EXPECT_EQ(rows[0]["layers"], 2);
  EXPECT_NEAR(rows[0]["seconds"].get<double>(), 30 * ms, 1e-12);
  EXPECT_NEAR(rows[0]["share"].get<double>(), 0.75, 1e-12);
  EXPECT_EQ(rows[1]["op"], "Softmax");
  EXPECT_EQ(rows[1]["precision"], "fp32");
  EXPECT_NEAR(rows[1]["share"].get<double>(), 0.2, 1e-12);
  EXPECT_NEAR(rows[2]["share"].get<double>(), 0.05, 1e-12);
}

TEST_F(Heat, IsATableAndBarsInEveryFormat) {
  // 40 characters stand for the largest share: 20 of 75% are 11, 5 of 75% are 3.
  EXPECT_EQ(page_table(page(), 9), R"(m, batch 1, fp16, fallback fp32
  LBL sequential 40.000 ms

  Share of the sequential bound by operator and precision
  Conv, fp16     ######################################## 75.0 %
  Softmax, fp32  ########### 20.0 %
  Relu, fp16     ### 5.0 %

  operators, the largest share first
  operator  precision  layers       us  share
  Conv      fp16            2  30000.0  75.0%
  Softmax   fp32            1   8000.0  20.0%
  Relu      fp16            1   2000.0   5.0%
)");
  EXPECT_THAT(page_csv(page()), AllOf(HasSubstr("model,batch,op,precision,layers,seconds,share\n"),
                                      HasSubstr("\nm,1,Softmax,fp32,1,0.008,0.2\n")));
  EXPECT_THAT(page_html(page(), "m"),
              AllOf(HasSubstr("<svg "), HasSubstr("Softmax, fp32: 20.0 %"), HasSubstr("75.0%")));
}

TEST_F(Heat, WithMovementTheCopyCountsToo) {
  inputs_.movement = Movement::include;
  const json report = json::parse(page_json(page()))["reports"][0];
  EXPECT_NEAR(report["sequential_seconds"].get<double>(), 45 * ms, 1e-12);
  EXPECT_NEAR(report["operators"][2]["seconds"].get<double>(), 7 * ms, 1e-12);  // both named Relu
}

TEST_F(Heat, AMissingMeasurementIsAnErrorUnlessAllowed) {
  inputs_.graphs[0].layers[3].problems = {"relu/gone"};
  EXPECT_THAT(test::error_of([&] { page(); }), HasSubstr("relu/gone"));
  inputs_.allow_missing = true;
  EXPECT_THAT(page_table(page(), 9), AllOf(HasSubstr("38.000 ms  PARTIAL")));
}

TEST(HeatProgram, IsASubcommandAndAChapterOfTheReport) {
  const test::Folder folder;
  const std::string graph = test::data("small.graph.json").string();
  std::string rows;
  for (const std::string& key : problem_keys({read_graph(graph)})) {
    if (!rows.empty()) rows += ",\n";
    rows += test::row(key + "/fp32/any/onednn/jit", "[1e-5, 1e-5]");
  }
  const std::string results = folder.write("r.json", test::results_text(rows)).string();
  const std::string asked = " --graph " + graph + " --results " + results;
  const auto answer = test::run_program("heat" + asked, folder);
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, AllOf(HasSubstr("LBL sequential 0.190 ms"), HasSubstr("Conv")));
  const std::string page = (folder.path() / "page.html").string();
  ASSERT_EQ(test::run_program("report" + asked + " --out " + page, folder).status, 0);
  EXPECT_THAT(test::contents(page), HasSubstr(">heat</h3>"));
}

}  // namespace
}  // namespace benanza::analysis
