#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "analysis/tests/program.h"
#include "core/graph_file/graph.h"

/// A made-up language model whose steps follow formulas, for tests that run benanza-analyze serve.
namespace benanza::test {

inline constexpr double served_ms = 1e-3;
inline constexpr double mebibyte = 1024 * 1024;

/// One step of the model: a normalization, a product, attention. In ms: a decode step takes 0.1,
/// 1 + 0.1 batch and 0.001 batch past; a prefill of one prompt 0.1, 0.01 new and 0.00001 new^2.
struct ServedStep {
  std::string phase{};
  std::int64_t batch = 1;
  std::int64_t past = 0;
  std::int64_t fresh = 1;
  std::string weights = "bf16";
  /// Of the product, relative to bf16.
  double speed = 1;
  double weight_mebibytes = 1024;
  std::string product_key{};
  /// Attention.
  bool unsupported = false;

  std::string name() const {
    return fmt::format("{}_{}_{}_{}_{}", phase, weights, batch, past, fresh);
  }
  std::vector<std::pair<std::string, double>> calls() const {
    const auto b = static_cast<double>(batch);
    const auto n = static_cast<double>(fresh);
    const bool decode = phase == "decode";
    const double product = (decode ? 1 + 0.1 * b : 0.01 * b * n) / speed;
    const double attention = decode ? 0.001 * b * static_cast<double>(past) : 1e-5 * b * n * n;
    return {{fmt::format("rmsnorm/{}x64_e1e-06_s", batch * fresh), 0.1 * served_ms},
            {product_key.empty()
                 ? fmt::format("gemm/m{}_n{}_k64_nn_w", batch * fresh, weights == "bf16" ? 64 : 32)
                 : product_key,
             product * served_ms},
            {fmt::format("attention/{}x1x{}x64_k1x{}x64_s0.125_causal", batch, fresh, past + fresh),
             attention * served_ms}};
  }
  Graph graph() const {
    Graph made{.model = name(),
               .batch = batch,
               .compulsory = Compulsory{.weights = {.elements = 250'000'000}},
               .metadata = {{"model", "tiny"},
                            {"phase", phase},
                            {"batch", std::to_string(batch)},
                            {"past", std::to_string(past)},
                            {"new", std::to_string(fresh)},
                            {"weights", weights},
                            {"cache", "bf16"},
                            {"weight_bytes", fmt::format("{}", weight_mebibytes * mebibyte)},
                            {"cache_bytes_per_token", "1048576"}}};
    const char* const ops[] = {"SimplifiedLayerNormalization", "MatMul", "Attention"};
    for (const auto& [key, seconds] : calls()) {
      const std::size_t index = made.layers.size();
      Layer& layer = made.layers.emplace_back();
      layer.name = ops[index];
      layer.op = ops[index];
      if (index > 0) layer.inputs = {index - 1};
      layer.problems = {key};
      layer.outputs = {{.name = fmt::format("t{}", index)}};
    }
    if (unsupported) {
      made.layers.back().cost = Cost::unsupported;
      made.layers.back().problems.clear();
    }
    return made;
  }
};

class ServedModel : public testing::Test {
 protected:
  /// Writes a step's graph and results; `calls`: how many of its calls have results.
  void add(const ServedStep& step, std::size_t calls = 3) {
    arguments_ +=
        " --graph " +
        folder_.write("graphs/" + step.name() + ".graph.json", graph_json(step.graph())).string();
    std::string rows;
    for (const auto& [key, seconds] : step.calls()) {
      if (calls-- == 0) break;
      const std::string name =
          key + (key.starts_with("attention") ? "/bf16/nchw/cudnn/a" : "/bf16/plain/cudnn/a");
      // 100 W.
      rows += fmt::format(
          R"({}{{"name": "{}", "run_name": "{}", "run_type": "iteration", "repetition_index": 0,
"iterations": 30, "real_time": 7.0, "cpu_time": 7.0, "time_unit": "us", "status": "ok",
"energy_joules": {}, "samples": [{}]}})",
          rows.empty() ? "" : ",\n", name, name, seconds * 100, seconds);
    }
    folder_.write("results/" + step.name() + ".json",
                  R"({"context": {"peak_bytes_per_second": 1e12, "benanza": {"schema": 1,
"backend": "cudnn", "system": {"device": "a GPU", "l2_bytes": "1", )" +
                      memory_ + R"("cudnn": "9"}}}, "benchmarks": [)" + rows + "]}");
  }
  /// Decode at batch 1, 2, 4 and past 100, 200, 400; prefill of 100, 200 and 400 tokens.
  void add_grid(const std::string& weights = "bf16", double speed = 1, double mebibytes = 1024) {
    for (const std::int64_t batch : {1, 2, 4}) {
      for (const std::int64_t past : {100, 200, 400}) {
        add({"decode", batch, past, 1, weights, speed, mebibytes});
      }
    }
    for (const std::int64_t fresh : {100, 200, 400}) {
      add({"prefill", 1, 0, fresh, weights, speed, mebibytes});
    }
  }
  Outcome run(const std::string& more) const {
    return run_program(
        "serve" + arguments_ + " --results " + (folder_.path() / "results").string() + ' ' + more,
        folder_);
  }
  nlohmann::json reports(const std::string& more) const {
    const Outcome outcome = run(more + " --format json");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["reports"];
  }

  const Folder folder_;
  std::string arguments_;
  std::string memory_;
};

}  // namespace benanza::test
