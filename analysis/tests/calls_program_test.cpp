// benanza-analyze calls, and what becomes of the profile that bench_* --sequence makes of it.

#include <nlohmann/json.hpp>

#include "analysis/tests/small_model.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::expect_error;
using test::Outcome;
using test::results_text;
using testing::HasSubstr;

class CallsProgram : public test::SmallModel {
 protected:
  /// 2 ms for every call.
  std::string results() const {
    return folder_
        .write("r.json",
               results_text(rows([](const std::string&) { return std::vector<double>(1, 0.002); }),
                            "2"))
        .string();
  }
  json calls(const std::string& more = "") const {
    const Outcome outcome = run("calls --graph " + graph_ + " --results " + results() + ' ' + more +
                                " --out " + path("calls.json"));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    return json::parse(test::contents(path("calls.json")))["reports"][0];
  }
  /// The profile of these calls, `seconds` long.
  std::string profile(const json& report, double seconds) const {
    const json text{{"schema", 1},
                    {"framework", "benanza"},
                    {"version", "onednn"},
                    {"model", report["model"]},
                    {"batch", report["batch"]},
                    {"precision", "fp32"},
                    {"device", "a CPU"},
                    {"latency_seconds", {seconds}},
                    {"joules", 3.0},
                    {"calls", report["calls"]}};
    return folder_.write("p.json", text.dump()).string();
  }
};

TEST_F(CallsProgram, AreThoseOfTheBoundInOrder) {
  const json report = calls();
  EXPECT_EQ(report["fused"], false);
  EXPECT_EQ(report["partial"], false);
  double sum = 0;
  for (const json& call : report["calls"]) {
    EXPECT_DOUBLE_EQ(call["seconds"].get<double>(), 0.002);
    EXPECT_THAT(call["call"].get<std::string>(), HasSubstr("/fp32/"));
    sum += call["seconds"].get<double>();
  }
  EXPECT_DOUBLE_EQ(report["seconds"].get<double>(), sum);
  const Outcome bound = run("bound --format json --graph " + graph_ + " --results " + results());
  EXPECT_DOUBLE_EQ(
      json::parse(bound.out)["reports"][0]["bounds"]["sequential"]["seconds"].get<double>(), sum);
}

// Conv_13 and Relu_14 as one call, which is called after the first.
TEST_F(CallsProgram, OfTheBoundWithFusionAreFewer) {
  json graph = json::parse(test::contents(graph_));
  json fusion = graph["fusions"][0];
  fusion["pattern"] = "conv_relu";
  fusion["layers"] = {13, 14};
  fusion["problem"] = "conv/1x16x32x32_k32x3x3_p1.1.1.1_s1x1_d1x1_g1_relu";
  graph["fusions"].push_back(fusion);
  graph_ = folder_.write("fused.graph.json", graph.dump()).string();
  const json alone = calls();
  const json fused = calls("--fused");
  EXPECT_EQ(fused["fused"], true);
  EXPECT_EQ(fused["calls"].size() + 1, alone["calls"].size());
  EXPECT_NEAR(fused["seconds"].get<double>() + 0.002, alone["seconds"].get<double>(), 1e-9);
  std::string last;
  for (const json& call : fused["calls"]) {
    if (call["call"] == fusion["problem"].get<std::string>() + "/fp32/nchw/onednn/a") {
      last = call["layer"];
    }
    EXPECT_NE(call["layer"], "Relu_14");
  }
  EXPECT_EQ(last, "Conv_13");
}

TEST_F(CallsProgram, TheirProfileStandsBesideTheBound) {
  const json report = calls();
  const std::string with = " --graph " + graph_ + " --results " + results() + " --profile " +
                           profile(report, 2 * report["seconds"].get<double>());
  const Outcome bound = run("bound" + with);
  EXPECT_EQ(bound.status, 0) << bound.err;
  EXPECT_THAT(bound.out, HasSubstr("in sequence"));
  EXPECT_THAT(bound.out, HasSubstr("0.500 sequential"));
  EXPECT_THAT(bound.out, HasSubstr("the bound's own calls, one after the other"));
}

TEST_F(CallsProgram, OneFileIsOneModelAtOnePrecision) {
  expect_error(run("calls --allow-missing --precision fp32,fp16 --graph " + graph_ + " --results " +
                   results() + " --out " + path("c.json")),
               "--out: one model at one precision at a time, and these are 2");
  EXPECT_FALSE(std::filesystem::exists(path("c.json")));
}

}  // namespace
}  // namespace benanza::analysis
