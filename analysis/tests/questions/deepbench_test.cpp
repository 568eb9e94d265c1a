// DeepBench's rows and their published times.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/questions/deepbench/published.h"
#include "analysis/tests/program.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::expect_error;
using test::Folder;
using test::Outcome;
using test::results_text;
using test::row;
using test::run_program;
using testing::HasSubstr;

Layer listed_layer(const std::string& op, const std::string& name) {
  Layer made;
  made.op = op;
  made.name = name;
  return made;
}

TEST(ListedProblem, IsTheRowWithoutPassAndApplication) {
  EXPECT_EQ(listed_problem(
                listed_layer("deepbench.gemm", "m=35 n=700 k=2048 NN (speech (output layer))")),
            (ListedProblem{"gemm", "m=35 n=700 k=2048 NN"}));
  EXPECT_EQ(listed_problem(listed_layer("deepbench.conv", "n=8 c=3 fwd (ocr)")),
            (ListedProblem{"conv", "n=8 c=3"}));
  EXPECT_EQ(listed_problem(listed_layer("deepbench.conv.bwd_data", "n=8 c=3 bwd_data (ocr)")),
            (ListedProblem{"conv.bwd_data", "n=8 c=3"}));
  EXPECT_EQ(listed_problem(listed_layer("Conv", "conv1")), std::nullopt);
}

TEST(PublishedTimes, AreInSecondsByPrecision) {
  const Published published(
      "# a comment\nop\trow\tA/fp32\tA/fp16\tB/fp32\ndeepbench.gemm\tm=1\t2\t0.5\t-\n");
  const ListedProblem known{"gemm", "m=1"};
  EXPECT_EQ(published.times(known, Precision::fp32), (PublishedTimes{{"A", 2e-3}}));
  EXPECT_EQ(published.times(known, Precision::fp16), (PublishedTimes{{"A", 0.5e-3}}));
  EXPECT_TRUE(published.times(known, Precision::int8).empty());
  EXPECT_TRUE(published.times({"conv", "m=1"}, Precision::fp32).empty());
  EXPECT_THROW(Published("op\trow\tA/fp32\nx\ty\n"), Error);
  EXPECT_THROW(Published("op\trow\tA\nx\ty\t1\n"), Error);
  EXPECT_THROW(Published("op\trow\tA/fp32\nx\ty\t0\n"), Error);
}

/// Values from the published sheets.
TEST(PublishedTimes, OfTheTable) {
  const Published published(published_table());
  const auto time = [&](const ListedProblem& problem, Precision precision, const std::string& on) {
    const PublishedTimes& times = published.times(problem, precision);
    const auto found = times.find(on);
    return found == times.end() ? 0 : found->second;
  };
  const ListedProblem product{"gemm", "m=1760 n=7133 k=1760 NT"};
  EXPECT_DOUBLE_EQ(time(product, Precision::fp32, "NV_V100"), 3.369e-3);
  EXPECT_DOUBLE_EQ(time(product, Precision::fp16, "NV_V100"), 0.452e-3);
  EXPECT_GT(time({"gemm", "m=512 n=24000 k=1536 NN"}, Precision::fp32, "NV_V100"), 0)
      << "the sheets have k=1530";
  EXPECT_GT(
      time({"sparse_gemm", "m=7860 n=2 k=2560 NN sparsity=0.95"}, Precision::fp32, "NV_1080Ti"), 0)
      << "the sheets have m=7680";
  EXPECT_EQ(time({"conv", "n=16 c=1 h=161 w=700 k=32 r=20 s=5 pad=0,0 stride=2,2"}, Precision::fp32,
                 "NV_P100"),
            0)
      << "r and s as the code has them";
}

LayerTime timed(double seconds) { return {.status = LayerStatus::measured, .seconds = seconds}; }

TEST(DeepBenchSums, CompareWhatBothHave) {
  Graph graph;
  for (int index = 0; index < 3; ++index) {
    graph.layers.push_back(listed_layer("deepbench.gemm", "row"));
    graph.layers.back().flops = 6e9;
  }
  const LayerTime here[] = {timed(0.002), timed(0.001), LayerTime{}};
  const PublishedTimes both{{"A", 0.001}, {"B", 0.004}};
  const PublishedTimes one{{"A", 0.003}};
  const std::vector<DeepBenchRow> rows{
      {.layer = 0, .problem = {"gemm", "r"}, .time = &here[0], .published = &both},
      {.layer = 1, .problem = {"gemm", "r"}, .time = &here[1], .published = &one},
      {.layer = 2, .problem = {"gemm", "r"}, .time = &here[2], .published = &both}};
  const ListSum sum = list_sums(graph, rows).at("gemm");
  EXPECT_EQ(sum.rows, 3U);
  EXPECT_EQ(sum.timed, 2U);
  EXPECT_DOUBLE_EQ(sum.flops / sum.seconds, 4e12);  // 12 GFLOP in 3 ms
  const auto common = common_sums(rows);
  EXPECT_EQ(common.at({"gemm", "A"}).rows, 2U) << "the third has no time here";
  EXPECT_DOUBLE_EQ(common.at({"gemm", "A"}).here_seconds, 0.003);
  EXPECT_DOUBLE_EQ(common.at({"gemm", "A"}).published_seconds, 0.004);
  EXPECT_EQ(common.at({"gemm", "B"}).rows, 1U);
  EXPECT_EQ(rows[0].fastest_published()->first, "A");
}

class DeepBenchProgram : public testing::Test {
 protected:
  Outcome run(const std::string& arguments) const {
    return run_program("deepbench --graph " + graph_ + ' ' + arguments, folder_);
  }

  const Folder folder_;
  const std::string graph_ = folder_
                                 .write("deepbench_training.graph.json", R"json({"schema": 1,
"model": "deepbench_training", "batch": null, "layers": [
{"name": "m=1760 n=16 k=1760 NN (speech recognition)", "op": "deepbench.gemm", "inputs": [],
 "cost": "measured", "reason": "", "problems": ["gemm/m16_n1760_k1760_nn"], "flops": 99123200.0,
 "bytes": 1, "outputs": []},
{"name": "fp32 sum of 100000 elements a rank", "op": "deepbench.all_reduce", "inputs": [],
 "cost": "unsupported", "reason": "takes several ranks", "problems": [], "flops": null,
 "bytes": null, "outputs": []}], "fusions": []})json")
                                 .string();
  const std::string results_ =
      folder_
          .write("results.json",
                 results_text(row("gemm/m16_n1760_k1760_nn/fp32/plain/onednn/fast", "[0.001]") +
                              ",\n" +
                              row("gemm/m16_n1760_k1760_nn/fp32/plain/onednn/slow", "[0.002]")))
          .string();
};

TEST_F(DeepBenchProgram, SaysEveryRow) {
  const Outcome outcome = run("--results " + results_ + " --format json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json report = json::parse(outcome.out)["reports"][0];
  EXPECT_EQ(report["row_count"], 2);
  EXPECT_EQ(report["timed"], 1);
  EXPECT_EQ(report["partial"], true);
  const json product = report["rows"][0];
  EXPECT_EQ(product["list"], "gemm");
  EXPECT_DOUBLE_EQ(product["seconds"], 0.001);
  EXPECT_NEAR(product["flops_per_second"].get<double>(), 99123200 / 0.001, 1);
  EXPECT_EQ(product["call"], "plain/onednn/fast");
  EXPECT_EQ(product["status"], "ok");
  EXPECT_LT(product["published_seconds"], 0.001);
  const json collective = report["rows"][1];
  EXPECT_EQ(collective["seconds"], nullptr);
  EXPECT_EQ(collective["status"], "takes several ranks");
  ASSERT_FALSE(report["published"].empty());
  EXPECT_EQ(report["published"][0]["rows"], 1);
}

TEST_F(DeepBenchProgram, DrawsWhatItSays) {
  const std::string page = (folder_.path() / "page.html").string();
  ASSERT_EQ(run("--results " + results_ + " --html " + page).status, 0);
  EXPECT_THAT(test::contents(page), HasSubstr("gemm: ms, over the rows that both have"));
}

TEST_F(DeepBenchProgram, HasAChapterInThePaper) {
  const auto paper = folder_.path() / "paper";
  const Outcome outcome = run_program("paper --allow-missing --graph " + graph_ + " --graph " +
                                          test::data("small.graph.json").string() + " --results " +
                                          results_ + " --out " + paper.string(),
                                      folder_);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(test::contents(paper / "tables/deepbench_training_fp32_lists.csv"),
              HasSubstr("gemm,1,1,0.001,99123200"));
  // A list is not a model: no chapter adds up its rows.
  const std::string models = test::contents(paper / "tables/models.csv");
  EXPECT_THAT(models, HasSubstr("small"));
  EXPECT_THAT(models, testing::Not(HasSubstr("deepbench")));

  // Without a model there is no bound, and so no interval.
  const Outcome lists = run_program("paper --allow-missing --graph " + graph_ + " --results " +
                                        results_ + " --out " + paper.string(),
                                    folder_);
  ASSERT_EQ(lists.status, 0) << lists.err;
  EXPECT_THAT(test::contents(paper / "index.html"), testing::Not(HasSubstr("intervals")));
}

TEST_F(DeepBenchProgram, NamesWhatIsNotMeasured) {
  const std::string none = folder_.write("none.json", results_text("")).string();
  expect_error(run("--results " + none), "gemm/m16_n1760_k1760_nn");
  const Outcome partial = run("--allow-missing --format json --results " + none);
  ASSERT_EQ(partial.status, 0) << partial.err;
  EXPECT_EQ(json::parse(partial.out)["reports"][0]["timed"], 0);
}

TEST_F(DeepBenchProgram, IsAboutListsAlone) {
  expect_error(run_program("deepbench --graph " + test::data("small.graph.json").string() +
                               " --results " + results_ + " --allow-missing",
                           folder_),
               "benanza-generate --list");
}

}  // namespace
}  // namespace benanza::analysis
