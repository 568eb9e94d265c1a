#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tests/program.h"
#include "analysis/tests/trace.h"
#include "core/graph_file/graph.h"
#include "core/tests/results_text.h"

namespace benanza::test {

/// Ten blocks of a 1x1 convolution (8 + i to 9 + i channels, 16x16 pixels) and a ReLU. The measured
/// calls take 10 and 2 us, so all take 120 us; the frameworks' operators take 9 and 1, so no run
/// of the model takes less than 100 us.
struct Blocks {
  static constexpr int count = 10;
  static constexpr double truth = 100;
  int batch = 1;
  int size = 16;

  std::vector<int> result(int block) const { return {batch, 9 + block, size, size}; }

  Graph graph() const {
    Graph graph{.model = "blocks", .batch = batch, .opset = 13};
    for (int i = 0; i < count; ++i) {
      const auto input = [&] { return graph.layers.size() - 1; };
      const auto dims = [](const std::vector<int>& some) { return Dims(some.begin(), some.end()); };
      const std::string pixels = std::to_string(size) + 'x' + std::to_string(size);
      const std::string first = std::to_string(batch) + 'x';
      const std::string key = "conv/" + first + std::to_string(8 + i) + 'x' + pixels + "_k" +
                              std::to_string(9 + i) + "x1x1_p0.0.0.0_s1x1_d1x1_g1";
      const std::string relu = "relu/" + first + std::to_string(9 + i) + 'x' + pixels;
      for (const bool is_conv : {true, false}) {
        const std::string name = (is_conv ? "c" : "r") + std::to_string(i);
        const bool is_first = graph.layers.empty();
        graph.layers.push_back(
            {.name = name,
             .op = is_conv ? "Conv" : "Relu",
             .inputs = is_first ? std::vector<std::size_t>{} : std::vector<std::size_t>{input()},
             .problems = {is_conv ? key : relu},
             .flops = 1,
             .bytes = 1,
             .outputs = {{.name = name + "_out", .type = "float", .shape = dims(result(i))}}});
      }
    }
    return graph;
  }

  TraceWriter& conv(TraceWriter& trace, int i,
                    const std::vector<TraceWriter::Kernel>& kernels = {{"sgemm", 9}}) const {
    return trace.conv(batch, 8 + i, 9 + i, size, kernels);
  }
  TraceWriter& relu(TraceWriter& trace, int i) const { return trace.relu(result(i), 1); }
};

/// Asks for seen-best with one profile.
class FalseProfiles : public testing::Test {
 protected:
  /// What is given for a profile: seen-best in us, or the error.
  struct Answer {
    std::optional<double> microseconds{};
    std::string error{};
    nlohmann::json seen{};
  };

  Answer ask(const Graph& graph, const std::string& profile, bool on_gpu) const {
    std::string rows;
    for (const std::string& key : problem_keys({graph})) {
      const char* const seconds = key.starts_with("relu") ? "2e-6" : "1e-5";
      const std::string samples =
          std::string("[") + seconds + ", " + seconds + ", " + seconds + "]";
      rows += (rows.empty() ? "" : ",\n") +
              row(key + "/fp32/any/" + (on_gpu ? "cudnn" : "onednn") + "/x", samples);
    }
    std::string results = results_text(rows, "2", on_gpu ? "cudnn" : "onednn");
    const std::string of_cpu = R"("threads": "2", "cpu_model": "a CPU")";
    if (on_gpu) results.replace(results.find(of_cpu), of_cpu.size(), R"("device": "a GPU")");
    const Outcome outcome =
        run_program("bound --graph " + folder_.write("g.graph.json", graph_json(graph)).string() +
                        " --results " + folder_.write("r.json", results).string() + " --seen " +
                        profile + " --format json",
                    folder_);
    if (outcome.status != 0) {
      expect_error(outcome, folder_.path().string());
      return {.error = outcome.err};
    }
    const nlohmann::json seen = nlohmann::json::parse(outcome.out)["reports"][0]["seen"];
    return {.microseconds = seen["seconds"].get<double>() * 1e6, .seen = seen};
  }

  void expect_time(const Answer& answer, double microseconds) const {
    EXPECT_EQ(answer.error, "");
    EXPECT_NEAR(answer.microseconds.value_or(-1), microseconds, 1e-3) << answer.seen.dump(1);
    EXPECT_GE(microseconds, Blocks::truth) << "below every run";
  }
  void expect_refused(const Answer& answer, const std::string& says) const {
    EXPECT_THAT(answer.error, testing::HasSubstr(says)) << answer.microseconds.value_or(-1);
  }

  const Folder folder_;
};

}  // namespace benanza::test
