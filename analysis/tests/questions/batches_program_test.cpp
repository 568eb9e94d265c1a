// benanza-analyze batches, run as a user does.

#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/tests/program.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::data;
using test::expect_error;
using test::Folder;
using test::Outcome;
using test::results_text;
using test::row;
using test::run_program;

class BatchesProgram : public testing::Test {
 protected:
  BatchesProgram() {
    // Every call takes 1 ms plus 0.5 ms per image.
    for (const auto& [batch, seconds] :
         std::map<std::int64_t, double>{{1, 0.0015}, {4, 0.003}, {16, 0.009}}) {
      add(batch, seconds);
    }
  }

  /// Writes the small model's graph and its results at this batch size.
  void add(std::int64_t batch, double seconds, bool complete = true) {
    json graph = json::parse(test::contents(data("small.graph.json")));
    graph["batch"] = batch;
    std::string rows;
    std::set<std::string> seen;
    for (json& layer : graph["layers"]) {
      for (json& problem : layer["problems"]) {
        std::string key = problem;
        const std::size_t place = key.find("/1x");
        if (place != std::string::npos) {
          key.replace(place, 3, '/' + std::to_string(batch) + 'x');
        } else {
          key = "copy/" + std::to_string(batch) + "x7";
        }
        problem = key;
        if (!seen.insert(key).second || (!complete && seen.size() == 1)) continue;
        const bool plain = key.starts_with("gemm") || key.starts_with("copy");
        rows += (rows.empty() ? "" : ",\n") +
                row(key + (plain ? "/fp32/plain/onednn/a" : "/fp32/nchw/onednn/a"),
                    '[' + std::to_string(seconds) + ']');
      }
    }
    const std::string name = "small_b" + std::to_string(batch);
    graph["fusions"] = json::array();
    arguments_ += " --graph " + folder_.write(name + ".graph.json", graph.dump()).string();
    folder_.write("results/" + name + ".json", results_text(rows));
  }

  Outcome run(const std::string& more) const {
    return run_program(
        "batches" + arguments_ + " --results " + (folder_.path() / "results").string() + ' ' + more,
        folder_);
  }
  json answer(const std::string& more) const {
    const Outcome outcome = run(more + " --format json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out)["reports"][0];
  }

  const Folder folder_;
  std::string arguments_;
};

TEST_F(BatchesProgram, EstimatesBetweenAndSaysHowWell) {
  const json found = answer("--batch 2,8,32");
  ASSERT_EQ(found["batches"].size(), 6U);
  const json measured = found["batches"][0];
  EXPECT_EQ(measured["batch"], 1);
  EXPECT_EQ(measured["kind"], "LBL, measured");
  // Each call: 1.5 ms at batch 1, 2 ms at 2, 5 ms at 8: a + b * batch is exact.
  const double calls = measured["seconds"].get<double>() / 0.0015;
  EXPECT_EQ(found["batches"][1]["kind"], "estimate, no bound");
  EXPECT_NEAR(found["batches"][1]["seconds"].get<double>(), calls * 0.002, 1e-12);
  EXPECT_NEAR(found["batches"][3]["seconds"].get<double>(), calls * 0.005, 1e-12);
  EXPECT_NEAR(found["batches"][3]["per_second"].get<double>(), 8 / (calls * 0.005), 1e-9);
  EXPECT_EQ(found["between"], "a + b * batch");
  EXPECT_NEAR(found["bound_error_most"].get<double>(), 0, 1e-12);
  // No estimate beyond the measured sizes.
  EXPECT_EQ(found["batches"][5]["batch"], 32);
  EXPECT_EQ(found["batches"][5]["kind"], "outside of what was measured");
  EXPECT_TRUE(found["batches"][5]["seconds"].is_null());
}

TEST_F(BatchesProgram, ARangeIsPowersOfTwoAndWhatLiesHalfWay) {
  const json found = answer("--batch 1:16");
  std::vector<int> sizes;
  for (const json& one : found["batches"]) sizes.push_back(one["batch"]);
  EXPECT_THAT(sizes, testing::ElementsAre(1, 2, 3, 4, 6, 8, 12, 16));
}

TEST_F(BatchesProgram, ASizeWithAHoleIsLeftOut) {
  add(32, 0.017, false);
  const Outcome outcome = run("--batch 32");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("Layers lack a time at batch 32: left out."));
  EXPECT_THAT(outcome.out, testing::HasSubstr("outside of what was measured"));
}

TEST_F(BatchesProgram, ErrorsAreOneLine) {
  expect_error(run("--batch none"), "give sizes or a range, e.g. 3,6,12 or 1:512");
  expect_error(run("--batch 16:1"), "--batch 16:1");
}

}  // namespace
}  // namespace benanza::analysis
