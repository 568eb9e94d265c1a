// Layers without a call in 8 bits.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/tests/program.h"
#include "analysis/tests/small_model.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;

/// Everything takes 10 us at fp32; the library has nothing at int8.
struct Fallback : testing::Test {
  Fallback() {
    std::string rows;
    for (const std::string& key : problem_keys({read_graph(graph)})) {
      if (!rows.empty()) rows += ",\n";
      rows += test::row(key + "/fp32/any/onednn/jit", "[1e-5, 1e-5]") + ",\n" + R"({"name": ")" +
              key +
              R"(/int8/any/onednn/none", "run_type": "iteration", "iterations": 0, "real_time": 0,
"cpu_time": 0, "time_unit": "us", "status": "unsupported", "reason": "no int8"})";
    }
    results = folder.write("r.json", test::results_text(rows)).string();
  }
  json bound(const std::string& flags) const {
    const auto answer = test::run_program("bound --graph " + graph + " --results " + results +
                                              " --precision int8 --format json" + flags,
                                          folder);
    EXPECT_EQ(answer.status, 0) << answer.err;
    return json::parse(answer.out)["reports"][0];
  }
  test::Folder folder;
  std::string graph = test::data("small.graph.json").string();
  std::string results;
};

TEST_F(Fallback, Int8IsCompleteUnlessSaidOtherwise) {
  const json report = bound("");
  EXPECT_EQ(report["partial"], false);
  EXPECT_EQ(report["fallback"], "fp32");
  EXPECT_EQ(report["conversions"]["tensors"], 0);
  EXPECT_EQ(bound(" --fallback none")["partial"], true);
}

}  // namespace
}  // namespace benanza::analysis
