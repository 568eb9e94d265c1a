// benanza-analyze bound --plan: what bench_plan writes, beside the bound.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/tests/small_model.h"
#include "core/base/file.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::expect_error;
using test::Outcome;
using test::results_text;
using testing::HasSubstr;

class PlanRunProgram : public test::SmallModel {
 protected:
  /// 2 ms for every call, one thread or two.
  std::string results() const {
    return folder_
        .write("r.json",
               results_text(rows([](const std::string&) { return std::vector<double>(1, 0.002); }),
                            "2"))
        .string();
  }
  std::string begin() const {
    return "bound --graph " + graph_ + " --results " + results() + " --plan ";
  }
  double bound_ms() const {
    const Outcome bound = run("bound --format json --graph " + graph_ + " --results " + results());
    return 1e3 *
           json::parse(bound.out)["reports"][0]["bounds"]["sequential"]["seconds"].get<double>();
  }
  /// Runs of these times; 0.25 ms of conversions were expected, and 0.5 found.
  std::string plan(const std::vector<double>& ms, double predicted_ms,
                   const std::string& model = "small", const std::string& threads = "2") const {
    json rows = json::array();
    for (const double one : ms) {
      rows.push_back({{"name", "plan/small/fp32"},
                      {"run_type", "iteration"},
                      {"real_time", one},
                      {"time_unit", "ms"},
                      {"steps", 7},
                      {"conversions", 2},
                      {"conversion_seconds", 0.5e-3},
                      {"predicted_seconds", predicted_ms * 1e-3},
                      {"predicted_conversion_seconds", 0.25e-3},
                      {"checked_tensors", 7}});
    }
    rows.push_back({{"name", "plan/small/fp32_mean"},
                    {"run_type", "aggregate"},
                    {"real_time", 1e9},
                    {"time_unit", "ms"}});
    const json text{{"context",
                     {{"plan_model", model},
                      {"plan_precision", "fp32"},
                      {"plan_fused", "false"},
                      {"num_cpus", 2},
                      {"system.onednn.threads", threads},
                      {"system.onednn.cpu_model", "a CPU"}}},
                    {"benchmarks", rows}};
    return folder_.write(model + ".plan-run.json", text.dump()).string();
  }
};

TEST_F(PlanRunProgram, IsARungAboveTheBoundWithItsCauses) {
  const double bound = bound_ms();
  // Predicted 1 ms more than the bound, measured 3 ms more than predicted: 0.25 by conversions.
  const Outcome outcome = run(begin() + plan({bound + 9, bound + 4, bound + 2}, bound + 1));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr(fmt::format("LBL {:.3f} <= predicted {:.3f} <= measured {:.3f} ms", bound,
                                    bound + 1, bound + 4)));
  EXPECT_THAT(outcome.out, HasSubstr("+1.000 ms: 0.250 of conversions between formats"));
  EXPECT_THAT(outcome.out, HasSubstr("+3.000 ms: 2 conversions take 0.500 (+0.250); running 7 "
                                     "calls back to back adds +2.750 over timing each alone"));
  EXPECT_THAT(outcome.out, HasSubstr("7 tensors agree"));
}

TEST_F(PlanRunProgram, SaysWhereItsCallsLose) {
  const double bound = bound_ms();
  const std::string path = plan({bound + 4}, bound + 1);
  json run_of_plan = json::parse(read_file(path));
  json& row = run_of_plan["benchmarks"][0];
  // By themselves: the prediction without 0.25 ms of conversions.
  row["repeated_seconds"] = (bound + 1.75) * 1e-3;
  row["step_seconds"] = (bound + 2.25) * 1e-3;
  row["prepared_seconds"] = 0.125e-3;
  write_file(path, run_of_plan.dump());
  const Outcome outcome = run(begin() + path);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  // Of 2.75 ms: what whole runs take beyond calls and 0.5 ms of conversions is the rest.
  EXPECT_THAT(outcome.out,
              HasSubstr("adds +2.750 over timing each alone: +0.500 until their data are in the "
                        "caches, +1.000 from then on, +1.250 of whole runs over their calls"));
  EXPECT_THAT(outcome.out, HasSubstr("; 0.125 of the bound are left to the caller"));
}

TEST_F(PlanRunProgram, NamesTheLayersInWhichAFrameworkIsFaster) {
  const std::string path = plan({9}, 8);
  json run_of_plan = json::parse(read_file(path));
  const auto step = [](const char* layer, double seconds) {
    return json{{"call", "the call"},
                {"seconds", seconds},
                {"repeated_seconds", seconds},
                {"layers", json::array({layer})}};
  };
  // ONNX Runtime takes some microseconds for each.
  run_of_plan["steps"] = {step("lrn", 7e-3), step("tail/relu", 1e-9)};
  write_file(path, run_of_plan.dump());
  const Outcome outcome =
      run(begin() + path + " --profile " + test::data("small.onnxruntime.json").string());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("of 2 parts that both do, onnxruntime is faster in 1, by "));
  EXPECT_THAT(outcome.out, HasSubstr("all parts take 7.000 ms in the plan"));
  const std::size_t table = outcome.out.find("parts in which onnxruntime takes less");
  ASSERT_NE(table, std::string::npos);
  EXPECT_THAT(outcome.out.substr(table, 300), HasSubstr("lrn"));
  EXPECT_THAT(outcome.out.substr(table, 300), HasSubstr("7000.0"));
}

TEST_F(PlanRunProgram, ThatBeatsItsPredictionBreaksTheLadder) {
  const double bound = bound_ms();
  const Outcome outcome = run(begin() + plan({bound - 1}, bound + 1));
  EXPECT_THAT(outcome.out, HasSubstr(fmt::format("predicted {:.3f} > measured {:.3f} ms", bound + 1,
                                                 bound - 1)));
}

TEST_F(PlanRunProgram, IsInTheFacts) {
  const double bound = bound_ms();
  const Outcome outcome = run(begin() + plan({bound + 4}, bound + 1) + " --format json");
  const json facts = json::parse(outcome.out)["reports"][0]["plans"];
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_DOUBLE_EQ(facts[0]["seconds"].get<double>(), (bound + 4) * 1e-3);
  EXPECT_DOUBLE_EQ(facts[0]["predicted_seconds"].get<double>(), (bound + 1) * 1e-3);
  EXPECT_EQ(facts[0]["conversions"], 2);
}

TEST_F(PlanRunProgram, InBranchesHasATimeOfItsOwn) {
  const double bound = bound_ms();
  const std::string path = plan({bound + 4}, bound + 1);
  json text = json::parse(read_file(path));
  json row = text["benchmarks"][0];
  row["name"] = "plan/small/fp32/branches";
  row["real_time"] = bound + 2;
  row["branches"] = 1;
  text["benchmarks"].push_back(row);
  const Outcome outcome =
      run(begin() + folder_.write("both.json", text.dump()).string() + " --format json");
  const json facts = json::parse(outcome.out)["reports"][0]["plans"];
  EXPECT_DOUBLE_EQ(facts[0]["seconds"].get<double>(), (bound + 4) * 1e-3);
  EXPECT_DOUBLE_EQ(facts[0]["branch_seconds"].get<double>(), (bound + 2) * 1e-3);
  text["context"]["plan_by_heuristic"] = "true";
  folder_.write("both.json", text.dump());
  const Outcome shown = run(begin() + (folder_ / "both.json").string());
  EXPECT_THAT(shown.out, HasSubstr("plan, apart, by heuristic"));
  EXPECT_THAT(shown.out, HasSubstr(fmt::format("{:.3f} ms, -2.000: independent steps in parallel",
                                               bound + 2)));
  text["benchmarks"].back()["regions"] = 9;
  text["benchmarks"].back()["predicted_gain_seconds"] = 1.5e-3;
  folder_.write("both.json", text.dump());
  EXPECT_THAT(run(begin() + (folder_ / "both.json").string()).out,
              HasSubstr("independent steps in parallel where it is faster; -1.500 one group of"));
}

TEST_F(PlanRunProgram, OfAnotherModelOrMachineIsRefused) {
  expect_error(run(begin() + plan({1}, 1, "other")),
               "a plan of other, which is none of the graphs; leave the plan out");
  expect_error(run(begin() + plan({1}, 1, "small", "8")),
               "threads 8 instead of 2; leave the plan out");
  expect_error(run(begin() + folder_.write("x.json", "{\"context\": {}}").string()),
               "is of no plan");
}

}  // namespace
}  // namespace benanza::analysis
