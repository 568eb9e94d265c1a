// benanza-analyze fusion, run as a user does.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/tests/program.h"

namespace benanza::analysis {
namespace {

using test::Outcome;
using test::results_text;
using test::row;
using test::run_program;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

/// A convolution of 100 us and a relu of 30 us, which one call does in 105 us.
class FusionProgram : public testing::Test {
 protected:
  Outcome run(const std::string& arguments) const {
    return run_program("fusion " + arguments, folder_);
  }
  void expect_error(const std::string& arguments, const std::string& says) const {
    test::expect_error(run(arguments), says);
  }

  static constexpr const char* conv = "conv/1x8x8x8_k8x3x3_p1.1.1.1_s1x1_d1x1_g1";
  const test::Folder folder_;
  const std::string graph_ =
      folder_
          .write("m.graph.json", std::string(R"({"schema": 1, "model": "m", "batch": 1, "layers": [
{"name": "c", "op": "Conv", "inputs": [], "cost": "measured", "reason": "", "problems": [")") +
                                     conv + R"("], "flops": 1, "bytes": 1, "outputs": []},
{"name": "r", "op": "Relu", "inputs": [0], "cost": "measured", "reason": "",
 "problems": ["relu/1x8x8x8"], "flops": 1, "bytes": 1, "outputs": []}],
"fusions": [{"pattern": "conv_relu", "layers": [0, 1], "problem": ")" +
                                     conv + R"(_relu"}]})")
          .string();
  const std::string alone_ = row(conv + std::string("/fp32/nchw/onednn/jit"), "[1e-4, 1e-4]") +
                             ",\n" + row("relu/1x8x8x8/fp32/nchw/onednn/jit", "[3e-5, 3e-5]");
  const std::string partial_ = folder_.write("partial.json", results_text(alone_)).string();
  const std::string results_ =
      folder_
          .write("all.json",
                 results_text(alone_ + ",\n" +
                              row(conv + std::string("_relu/fp32/any/onednn/jit"), "[1.05e-4]")))
          .string();
};

TEST_F(FusionProgram, AnswersInEveryFormat) {
  const std::string arguments = "--graph " + graph_ + " --results " + results_;
  const Outcome table = run(arguments);
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.err, IsEmpty());
  EXPECT_THAT(table.out, AllOf(HasSubstr("m, batch 1, fp32"), HasSubstr("0.025 ms, 19.2%")));
  const Outcome text = run(arguments + " --format json");
  ASSERT_EQ(text.status, 0) << text.err;
  const nlohmann::json report = nlohmann::json::parse(text.out)["reports"][0];
  EXPECT_NEAR(report["profit_seconds"].get<double>(), 25e-6, 1e-12);
  const Outcome csv = run(arguments + " --format csv");
  EXPECT_EQ(csv.status, 0) << csv.err;
  EXPECT_THAT(csv.out, HasSubstr(",conv_relu,c r,"));
}

TEST_F(FusionProgram, SaysWhatIsLeftBesideAFramework) {
  // Three runs of operators: the name of a layer, and its type.
  using Operators = std::vector<std::pair<std::string, std::string>>;
  const auto profile = [&](const std::string& name, const Operators& operators) {
    std::string events;
    for (int at = 0; at < 3000; at += 1000) {
      const std::string begin = at == 0 ? "" : ",";
      events += begin + R"({"cat": "Session", "name": "model_run", "ts": )" + std::to_string(at) +
                R"(, "dur": 900, "args": {}})";
      int start = at;
      for (const auto& [layer, op] : operators) {
        events += R"(,{"cat": "Node", "name": ")" + layer + R"(_kernel_time", "ts": )" +
                  std::to_string(start += 100) + R"(, "dur": 90, "args": {"op_name": ")" + op +
                  R"(", "node_index": ")" + layer + R"("}})";
      }
    }
    return folder_
        .write(name, R"({"schema": 1, "framework": "onnxruntime", "version": "1", "threads": 1,
"model": "m", "batch": 1, "precision": "fp32", "latency_seconds": [2e-4, 2e-4], "trace": [)" +
                         events + "]}")
        .string();
  };
  const std::string arguments = "--graph " + graph_ + " --results " + results_ + " --profile ";
  const Outcome fused = run(arguments + profile("fused.json", {{"c", "Conv"}}));
  EXPECT_THAT(fused.out, AllOf(HasSubstr("left beside onnxruntime"),
                               HasSubstr("0.000 ms: it has 1 of these fusions, 0.025 ms")))
      << fused.err;
  const std::string apart = profile("apart.json", {{"c", "Conv"}, {"r", "Relu"}});
  EXPECT_THAT(run(arguments + apart).out, HasSubstr("0.025 ms: it has 0 of these fusions"));
  const nlohmann::json answer =
      nlohmann::json::parse(run(arguments + apart + " --format json").out)["reports"][0];
  EXPECT_NEAR(answer["left_seconds"].get<double>(), 25e-6, 1e-12);
  EXPECT_EQ(answer["fusions"][0]["framework_fuses"], false);
}

TEST_F(FusionProgram, AMissingFusionIsAnErrorUnlessAllowed) {
  const std::string arguments = "--graph " + graph_ + " --results " + partial_;
  expect_error(arguments, conv + std::string("_relu (not measured at fp32)"));
  const Outcome allowed = run(arguments + " --allow-missing");
  EXPECT_EQ(allowed.status, 0) << allowed.err;
  EXPECT_THAT(allowed.out, AllOf(HasSubstr("PARTIAL"), HasSubstr("0.000 ms, 0.0%")));
}

TEST_F(FusionProgram, TypingErrorsAreOneLine) {
  const std::string good = "--graph " + graph_ + " --results " + results_;
  expect_error("--results " + results_, "--graph");
  expect_error("--graph " + graph_, "--results");
  expect_error(good + " --precision fp31", "fp31");
  expect_error(good + " --layout hwcn", "hwcn");
  expect_error(good + " --backend cudnn", "onednn");
  expect_error(good + " --format xml", "xml");
  expect_error(good + " --layers few", "few");
  expect_error("--graph none.json --results " + results_, "none.json");
}

}  // namespace
}  // namespace benanza::analysis
