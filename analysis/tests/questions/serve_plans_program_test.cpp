// benanza-analyze serve with runs of the steps' plans.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/tests/questions/serve_case.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::expect_error;
using test::Outcome;
using Step = test::ServedStep;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Seconds of a step's calls, each as it is measured alone.
double bound_of(const Step& step) {
  double sum = 0;
  for (const auto& [key, seconds] : step.calls()) sum += seconds;
  return sum;
}

class ServeWithPlans : public test::ServedModel {
 protected:
  /// The run of the step's plan.
  static json run_of(const Step& step, double seconds) {
    const Graph graph = step.graph();
    json context{{"plan_model", graph.model},      {"plan_batch", std::to_string(step.batch)},
                 {"plan_precision", "bf16"},       {"plan_fused", "true"},
                 {"system.cudnn.device", "a GPU"}, {"system.cudnn.l2_bytes", "1"},
                 {"system.cudnn.cudnn", "9"}};
    for (const auto& [name, value] : graph.metadata) context["plan_metadata." + name] = value;
    json calls = json::array();
    for (const auto& [key, alone] : step.calls()) {
      calls.push_back(
          {{"call", key + "/bf16/plain/cudnn/a"}, {"seconds", alone}, {"repeated_seconds", alone}});
    }
    return {{"context", context},
            {"steps", calls},
            {"benchmarks",
             {{{"name", "plan/step"},
               {"run_type", "iteration"},
               {"real_time", seconds * 1e3},
               {"time_unit", "ms"},
               {"steps", 3},
               {"predicted_seconds", seconds}}}}};
  }
  void write_run(const Step& step, const json& run) const {
    folder_.write("plans/" + step.name() + ".run.json", run.dump());
  }
  /// Measures the step, and its plan as so many times its bound.
  void add_planned(const Step& step, double ratio) {
    add(step);
    write_run(step, run_of(step, ratio * bound_of(step)));
  }
  std::string plans() const { return " --plan " + (folder_.path() / "plans").string() + ' '; }
};

TEST_F(ServeWithPlans, TimesAreThoseOfPlansWhereTheyWereRun) {
  add_grid();
  const Step measured{"decode", 2, 200};
  write_run(measured, run_of(measured, 2e-3));
  const json found = reports(plans() + "--prompt 200 --output 2 --batch 1,2")[0];
  const json two = found["batches"][1];
  // 0.1 + 1.2 + 0.4 ms as calls.
  EXPECT_NEAR(two["token_bound_seconds"].get<double>(), 1.7e-3, 1e-12);
  EXPECT_NEAR(two["token_seconds"].get<double>(), 2e-3, 1e-12);
  EXPECT_EQ(two["token_time_kind"], "as a plan, measured");
  EXPECT_NEAR(two["tokens_per_second"].get<double>(), 1000, 1e-6);
  // 0.1 + 1.1 + 0.2 ms, times the only ratio.
  const json one = found["batches"][0];
  EXPECT_NEAR(one["token_seconds"].get<double>(), 1.4e-3 * 2 / 1.7, 1e-12);
  EXPECT_EQ(one["token_time_kind"], "estimated from 1 plan");
  // No plan of a prompt was run: 0.1 + 2 + 0.4 ms.
  EXPECT_NEAR(one["first_token_seconds"].get<double>(), 2.5e-3, 1e-12);
  EXPECT_EQ(one["first_time_kind"], "bound only");
  // Two prompts, then one step.
  EXPECT_NEAR(two["requests_per_second"].get<double>(), 2 / (2 * 2.5e-3 + 2e-3), 1e-6);
  EXPECT_TRUE(found["plan_error"].is_null());
  EXPECT_TRUE(found["plans"][0]["error"].is_null());
}

TEST_F(ServeWithPlans, TheMeanOverAnAnswerIsOfBoundTimesRatio) {
  add_grid();
  for (const std::int64_t past : {100, 400}) {
    const Step step{"decode", 2, past};
    write_run(step, run_of(step, 1.1 * bound_of(step)));
  }
  const json found = reports(plans() + "--prompt 100 --output 300 --batch 2")[0]["batches"][0];
  EXPECT_NEAR(found["token_bound_seconds"].get<double>(), 1.8e-3, 1e-12);
  EXPECT_NEAR(found["token_seconds"].get<double>(), 1.1 * 1.8e-3, 1e-12);
  EXPECT_EQ(found["token_time_kind"], "estimated from 2 plans");
}

TEST_F(ServeWithPlans, SaysHowGoodEstimatesFromPlansAre) {
  // The bound is linear in past.
  add_planned({"decode", 1, 127}, 1.0);
  add_planned({"decode", 1, 511}, 1.2);
  add_planned({"decode", 1, 2047}, 1.1);
  const json all = reports(plans() + "--prompt 127 --output 100");
  const json plans_of = all[0]["plans"];
  ASSERT_EQ(plans_of.size(), 3U);
  // The median of the other two is their mean: 1.15, 1.05 and 1.1.
  EXPECT_NEAR(plans_of[0]["error"].get<double>(), 1.15 / 1.0 - 1, 1e-9);
  EXPECT_EQ(plans_of[0]["left_out"], "plan");
  EXPECT_EQ(plans_of[1]["past"], 511);
  EXPECT_NEAR(plans_of[1]["ratio"].get<double>(), 1.2, 1e-9);
  EXPECT_NEAR(plans_of[1]["error"].get<double>(), 1 - 1.05 / 1.2, 1e-9);
  EXPECT_EQ(plans_of[1]["left_out"], "plan and bound");
  EXPECT_NEAR(plans_of[2]["error"].get<double>(), 0, 1e-9);
  EXPECT_EQ(all[0]["plan_error"]["steps"], 1);
  EXPECT_NEAR(all[0]["plan_error"]["mean"].get<double>(), 0.125, 1e-9);
  EXPECT_EQ(all[0]["plan_error_at_edges"]["steps"], 2);
  EXPECT_NEAR(all[0]["plan_error_at_edges"]["mean"].get<double>(), 0.15 / 2, 1e-9);
  // Of all models.
  EXPECT_EQ(all[1]["plan_error"], all[0]["plan_error"]);
  EXPECT_EQ(all[1]["plan_runs"], 3);
  EXPECT_THAT(run(plans() + "--prompt 127 --output 100").out,
              HasSubstr("Error of steps as plans, with their runs and bounds left out: 12.5% on "
                        "average, 12.5% in the median, 12.5% at the 90th percentile, of 1 step."));
}

// A step that is off the line between its neighbours: its estimate must not know its own bound.
TEST_F(ServeWithPlans, AStepThatIsLeftOutIsLeftOutWithItsLayers) {
  add_planned({"decode", 1, 100}, 1.1);
  add_planned({"decode", 1, 300}, 1.1);
  Step slower{"decode", 1, 200};
  slower.speed = 0.5;
  slower.product_key = "gemm/m1_n16_k64_nn_w";
  add_planned(slower, 1.1);
  // 0.1 + 2.2 + 0.2 ms, and 0.1 + 1.1 + 0.2 by its neighbours.
  const json step = reports(plans() + "--prompt 100 --output 200")[0]["plans"][1];
  EXPECT_NEAR(step["estimated_seconds"].get<double>(), 1.1 * 1.4e-3, 1e-12);
  EXPECT_NEAR(step["error"].get<double>(), 1 - 1.4 / 2.5, 1e-9);
}

TEST_F(ServeWithPlans, RunsOfOtherStepsAreNamed) {
  add_grid();
  const Step step{"decode", 2, 200};
  json fp16 = run_of(step, 2e-3);
  fp16["context"]["plan_precision"] = "fp16";
  folder_.write("plans/fp16.run.json", fp16.dump());
  json heuristic = run_of(step, 2e-3);
  heuristic["context"]["plan_by_heuristic"] = "true";
  folder_.write("plans/heuristic.run.json", heuristic.dump());
  json cache = run_of(step, 2e-3);
  cache["context"]["plan_metadata.cache"] = "fp8";
  folder_.write("plans/other_cache.run.json", cache.dump());
  const Step absent{"decode", 2, 300};
  write_run(absent, run_of(absent, 2e-3));
  const json all = reports(plans() + "--prompt 100 --output 300 --batch 2");
  EXPECT_EQ(all[0]["plan_runs"], 0);
  EXPECT_EQ(all[0]["times_are"], "bounds only");
  EXPECT_NEAR(all[0]["batches"][0]["token_seconds"].get<double>(), 1.8e-3, 1e-12);
  std::vector<std::string> reasons;
  for (const json& one : all[1]["unused_plans"]) reasons.push_back(one["reason"]);
  EXPECT_THAT(
      reasons,
      ElementsAre("is of decode_bf16_2_300_1, batch 2, model tiny, phase decode, past 300, new 1, "
                  "weights bf16, cache bf16, which is none of the graphs",
                  "is at fp16, which is not asked for",
                  "has the calls of the libraries' heuristics",
                  "is of decode_bf16_2_200_1, batch 2, model tiny, phase decode, past 200, new 1, "
                  "weights bf16, cache fp8, which is none of the graphs"));
  EXPECT_THAT(run(plans() + "--prompt 100 --output 300 --batch 2").out,
              AllOf(HasSubstr("Times are bounds only"), HasSubstr("other_cache.run.json")));
}

// Before runs had metadata.
TEST_F(ServeWithPlans, AnOlderRunIsKnownByAllOfItsCalls) {
  add_grid();
  const Step step{"decode", 2, 200};
  json older = run_of(step, 2e-3);
  for (const auto& [name, value] : step.graph().metadata) {
    older["context"].erase("plan_metadata." + name);
  }
  write_run(step, older);
  const std::string request = plans() + "--prompt 200 --output 2 --batch 2";
  json all = reports(request);
  EXPECT_EQ(all[0]["batches"][0]["token_time_kind"], "as a plan, measured");
  EXPECT_EQ(all[1]["plans_known_by_calls"], 1);
  // A file of the same name, but another step.
  older["steps"][2]["call"] = "attention/2x1x1x64_k1x301x64_s0.125_causal/bf16/nchw/cudnn/a";
  write_run(step, older);
  all = reports(request);
  EXPECT_EQ(all[0]["plan_runs"], 0);
  EXPECT_EQ(all[1]["unused_plans"].size(), 1U);
  older.erase("steps");
  write_run(step, older);
  EXPECT_THAT(reports(request)[1]["unused_plans"][0]["reason"].get<std::string>(),
              HasSubstr("says neither its step nor its calls"));
}

TEST_F(ServeWithPlans, OtherFilesAreRefused) {
  add_grid();
  expect_error(run("--plan " + folder_.path().string() + "/results"), "has no run of a plan");
  const Step step{"decode", 2, 200};
  json other = run_of(step, 2e-3);
  other["context"]["system.cudnn.device"] = "another GPU";
  write_run(step, other);
  expect_error(run(plans()), "another GPU");
}

// Times of one variant as a plan and of another as a bound do not compare.
TEST_F(ServeWithPlans, VariantsCompareIfBothHavePlans) {
  add_grid();
  add_grid("fp8", 2, 512);
  const Step step{"decode", 1, 100};
  write_run(step, run_of(step, 2 * bound_of(step)));
  const std::string request = plans() + "--prompt 100 --output 300 --memory 2";
  EXPECT_TRUE(reports(request)[2]["variants"][1]["token_ratio"].is_null());
  const Step fp8{"decode", 1, 100, 1, "fp8", 2, 512};
  write_run(fp8, run_of(fp8, 2 * bound_of(fp8)));
  // As without plans: 0.1 + 1.1 + 0.25 ms, and 0.55 less.
  EXPECT_NEAR(reports(request)[2]["variants"][1]["token_ratio"].get<double>(), 0.9 / 1.45, 1e-9);
}

}  // namespace
}  // namespace benanza::analysis
