// benanza-analyze compare-frameworks.
#include <nlohmann/json.hpp>

#include "analysis/tests/program.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::Folder;
using test::Outcome;
using test::run_program;
using testing::HasSubstr;

std::string profile(const Folder& folder, const std::string& framework, double latency,
                    const std::string& precision = "fp32") {
  const json trace = json::parse(R"([
    {"cat": "Session", "name": "model_run", "ts": 0, "dur": 100, "args": {}},
    {"cat": "Node", "name": "c_kernel_time", "ts": 10, "dur": 5,
     "args": {"op_name": "Relu", "node_index": "0", "provider": "CPUExecutionProvider"}}])");
  const json record{{"schema", 1},          {"framework", "onnxruntime"},
                    {"version", framework}, {"model", "m"},
                    {"batch", 1},           {"precision", precision},
                    {"device", "a CPU"},    {"latency_seconds", {latency, latency, 9.0}},
                    {"trace", trace}};
  return folder.write(framework + ".json", record.dump()).string();
}

TEST(CompareFrameworks, LatenciesStandSideBySide) {
  const Folder folder;
  const std::string both = profile(folder, "1.0", 2e-3) + ' ' + profile(folder, "2.0", 3e-3);
  const Outcome outcome = run_program("compare-frameworks " + both + " --format json", folder);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json text = json::parse(outcome.out);
  const json& page = text.contains("frameworks") ? text : text["reports"][0];
  ASSERT_EQ(page["frameworks"].size(), 2);
  EXPECT_EQ(page["frameworks"][0]["framework"], "onnxruntime 1.0");
  EXPECT_DOUBLE_EQ(page["frameworks"][1]["latency_seconds"].get<double>(), 3e-3);
  EXPECT_EQ(page["frameworks"][0]["operators"], 1);
  // Without listed kernels their number is unknown, not 0.
  EXPECT_TRUE(page["frameworks"][0]["kernels"].is_null());
  EXPECT_TRUE(page["frameworks"][0]["ratio"].is_null());
}

TEST(CompareFrameworks, TheBoundIsThatOfTheModelAtTheFrameworksPrecision) {
  const Folder folder;
  const auto graph = folder.write("m.graph.json", R"({"schema": 1, "model": "m", "batch": 1,
    "layers": [{"name": "c", "op": "Relu", "inputs": [], "cost": "measured", "reason": "",
    "problems": ["relu/1x8"], "flops": 8, "bytes": 64, "outputs": []}], "fusions": []})");
  const auto results = folder.write(
      "r.json", test::results_text(test::row("relu/1x8/fp32/plain/onednn/a", "[0.001]")));
  const Outcome outcome =
      run_program("compare-frameworks " + profile(folder, "1.0", 2e-3) + " --graph " +
                      graph.string() + " --results " + results.string() + " --format json",
                  folder);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json text = json::parse(outcome.out);
  const json& page = text.contains("frameworks") ? text : text["reports"][0];
  EXPECT_DOUBLE_EQ(page["frameworks"][0]["bound_seconds"].get<double>(), 1e-3);
  EXPECT_DOUBLE_EQ(page["frameworks"][0]["ratio"].get<double>(), 2);
}

TEST(CompareFrameworks, SaysWhatIsNotComparable) {
  const Folder folder;
  const std::string both =
      profile(folder, "1.0", 2e-3) + ' ' + profile(folder, "2.0", 3e-3, "fp16");
  EXPECT_THAT(run_program("compare-frameworks " + both, folder).out,
              HasSubstr("of different precisions"));
  test::expect_error(run_program("compare-frameworks " + both + " --results x", folder),
                     "takes both --graph and --results");
}

}  // namespace
}  // namespace benanza::analysis
