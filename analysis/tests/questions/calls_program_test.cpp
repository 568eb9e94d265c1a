// benanza-analyze calls, and what becomes of the file that bench_* --sequence makes of it.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/tests/small_model.h"
#include "core/statistics/summary.h"

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
  /// What bench_onednn --sequence writes of these calls.
  std::string sequence(const json& report, const std::vector<double>& seconds,
                       const std::string& model = "small", const std::string& threads = "2") const {
    const json text{{"schema", 1},
                    {"command", "sequence"},
                    {"systems", {{"onednn", {{"threads", threads}, {"cpu_model", "a CPU"}}}}},
                    {"model", model},
                    {"batch", report["batch"]},
                    {"precision", "fp32"},
                    {"fused", report["fused"]},
                    {"seconds", seconds},
                    {"calls", report["calls"]}};
    return folder_.write(model + ".sequence.json", text.dump()).string();
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

TEST_F(CallsProgram, TheirTimeAsOneStandsBesideTheBound) {
  const json report = calls();
  const double sum = report["seconds"];
  const std::string with = "bound --graph " + graph_ + " --results " + results() + " --sequence " +
                           sequence(report, std::vector<double>(6, 2 * sum));
  const Outcome bound = run(with);
  EXPECT_EQ(bound.status, 0) << bound.err;
  EXPECT_THAT(bound.out, HasSubstr(fmt::format("in sequence     {:.3f} ms", 2e3 * sum)));
  EXPECT_THAT(bound.out, HasSubstr(fmt::format(
                             "{} calls of onednn back to back; their sum alone is 0.500 of it",
                             report["calls"].size())));
  const json facts = json::parse(run(with + " --format json").out)["reports"][0]["sequences"];
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_DOUBLE_EQ(facts[0]["seconds"].get<double>(), 2 * sum);
  EXPECT_EQ(facts[0]["backends"], "onednn");
  EXPECT_DOUBLE_EQ(facts[0]["alone_seconds"].get<double>(), sum);
  EXPECT_EQ(facts[0]["fused"], false);
}

// ONNX Runtime's run of data/ next to a sequence of its latency, and one of half of it.
TEST_F(CallsProgram, AFrameworkIsComparedWithTheSequences) {
  const json report = calls();
  json fused = report;
  fused["fused"] = true;
  const std::string profile = test::data("small.onnxruntime.json").string();
  const double latency =
      median(json::parse(test::contents(profile))["latency_seconds"].get<std::vector<double>>());
  const std::string one = sequence(report, {latency});
  std::filesystem::rename(one, path("one.json"));
  const Outcome bound = run("bound --graph " + graph_ + " --results " + results() + " --sequence " +
                            path("one.json") + " --sequence " + sequence(fused, {latency / 2}) +
                            " --profile " + profile);
  EXPECT_EQ(bound.status, 0) << bound.err;
  EXPECT_THAT(bound.out,
              testing::ContainsRegex("\n    in sequence +1.000, 0.500 fused of this latency\n"));
}

TEST_F(CallsProgram, ASequenceOfAnotherModelIsAnError) {
  const std::string begin = "bound --graph " + graph_ + " --results " + results() + " --sequence ";
  expect_error(run(begin + sequence(calls(), {1}, "other")),
               "a sequence of other, which is none of the graphs");
  expect_error(run(begin + path("calls.json")), "is something else; write it with bench_<backend>");
}

// scripts/bench keeps there the sequences of all models, beside their calls.
TEST_F(CallsProgram, OfAFolderTheSequencesOfTheModelAreTaken) {
  const json report = calls();
  const auto folder = folder_.path() / "sequences";
  std::filesystem::create_directories(folder);
  const auto move = [&](const std::string& file, const std::string& name) {
    std::filesystem::rename(file, folder / name);
  };
  move(sequence(report, {1}, "other"), "other.json");
  const std::string begin =
      "bound --graph " + graph_ + " --results " + results() + " --sequence " + folder.string();
  expect_error(run(begin), "has no sequence of these models");
  move(sequence(report, {0.005}), "small.json");
  move(path("calls.json"), "small.calls.json");
  const Outcome bound = run(begin);
  EXPECT_EQ(bound.status, 0) << bound.err;
  EXPECT_THAT(bound.out, HasSubstr("in sequence     5.000 ms"));
}

// Times of two machines do not compare.
TEST_F(CallsProgram, ASequenceOfAnotherSystemIsAnError) {
  const std::string begin = "bound --graph " + graph_ + " --results " + results() + " --sequence ";
  expect_error(run(begin + sequence(calls(), {1}, "small", "8")),
               "measured on another system than the results: threads 8 instead of 2");
}

TEST_F(CallsProgram, OneFileIsOneModelAtOnePrecision) {
  expect_error(run("calls --allow-missing --precision fp32,fp16 --graph " + graph_ + " --results " +
                   results() + " --out " + path("c.json")),
               "--out: one model at one precision at a time, and these are 2");
  EXPECT_FALSE(std::filesystem::exists(path("c.json")));
}

}  // namespace
}  // namespace benanza::analysis
