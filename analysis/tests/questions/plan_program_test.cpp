// benanza-analyze plan, run as a user does.

#include <gmock/gmock.h>

#include "analysis/tests/program.h"

namespace benanza::analysis {
namespace {

using test::expect_error;
using test::Outcome;
using test::results_text;
using test::row;
using test::run_program;
using testing::HasSubstr;
using testing::Not;

std::string row_with(const std::string& name, const std::string& samples,
                     const std::string& members) {
  std::string text = row(name, samples);
  text.back() = ',';
  return text + members + "}";
}

/// A product whose call transforms its 512 bytes of weights to 4,000, and takes three times as long
/// if they come from memory. A plain call takes twice as long.
class PlanQuestion : public testing::Test {
 protected:
  /// With a cache of so many bytes.
  Outcome run(const std::string& cache_bytes, const std::string& flags = "") const {
    std::string text = results_text(rows_);
    const std::string threads = R"("threads": )";
    text.insert(text.find(threads), R"("cache_bytes": ")" + cache_bytes + R"(", )");
    const std::string results = folder_.write("results.json", text).string();
    return run_program("plan --graph " + graph_ + " --results " + results + " " + flags, folder_);
  }

  const test::Folder folder_;
  const std::string graph_ = folder_
                                 .write("m.graph.json", R"({"schema": 1, "model": "m", "batch": 4,
"compulsory": {"inputs": {"elements": 64, "bytes": 0}, "weights": {"elements": 128, "bytes": 0},
"outputs": {"elements": 32, "bytes": 0}}, "layers": [{"name": "p", "op": "MatMul", "inputs": [],
"cost": "measured", "reason": "", "problems": ["gemm/m4_n8_k16_nn_w"], "flops": 1024, "bytes": 896,
"outputs": [{"name": "y", "type": "float", "shape": [4, 8]}]}]})")
                                 .string();
  const std::string flow_ = folder_
                                .write("m.flow.json", R"({"schema": 3, "model": "m", "batch": 4,
"tensors": [{"name": "x", "type": "float", "shape": [4, 16]},
{"name": "w", "type": "float", "shape": [16, 8], "constant": true},
{"name": "y", "type": "float", "shape": [4, 8], "layer": 0}],
"layers": [{"outputs": [2], "calls": [{"problem": "gemm/m4_n8_k16_nn_w",
"operands": [{}, {"index": 1}]}]}], "results": [2]})")
                                .string();
  const std::string rows_ = row_with("gemm/m4_n8_k16_nn_w/fp32/plain/onednn/transforms", "[1e-3]",
                                     R"("constant_bytes": 4000, "rotating_seconds": 3e-3)") +
                            ",\n" +
                            row_with("gemm/m4_n8_k16_nn_w/fp32/plain/onednn/plain", "[2e-3]",
                                     R"("rotating_seconds": 2e-3)");
};

TEST_F(PlanQuestion, WeightsAsCallsHaveThemMayOutgrowTheCache) {
  const Outcome roomy = run("5000");
  EXPECT_THAT(roomy.out, HasSubstr("onednn/transforms")) << roomy.err;
  EXPECT_THAT(roomy.out, Not(HasSubstr("do not stay in the cache")));
  const Outcome small = run("3000");
  EXPECT_THAT(small.out, HasSubstr("onednn/plain")) << small.err;
  EXPECT_THAT(small.out, HasSubstr("do not stay in the cache"));
  EXPECT_THAT(run("3000", "--weights cache").out, HasSubstr("onednn/transforms"));
}

TEST_F(PlanQuestion, ListsTimeOverMemory) {
  const Outcome answer = run("5000", "--memory");
  EXPECT_THAT(answer.out, HasSubstr("memory and time of plans with less workspace")) << answer.err;
}

TEST_F(PlanQuestion, ARunThatIsNoneIsOneLine) {
  expect_error(run("5000", "--gaps none.json"), "none.json");
  expect_error(run("5000", "--gaps " + graph_), "is not a run of a plan");
}

}  // namespace
}  // namespace benanza::analysis
