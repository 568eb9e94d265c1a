#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/questions/findings/judge.h"
#include "analysis/tests/build.h"

namespace benanza::test {

constexpr double tiny = 1e-12;

/// A model, measurements and runs of it, and what is found.
struct Found {
  Inputs inputs{};
  MeasurementFilter filter{};

  explicit Found(Graph graph, MeasurementSet set = {}) {
    inputs.graphs = {std::move(graph)};
    inputs.results.measurements = std::move(set);
  }
  Graph& graph() { return inputs.graphs.front(); }
  MeasurementSet& set() { return inputs.results.measurements; }

  /// A profile with an operator for each of `seconds`, named after the layers; its runs differ by
  /// 2% either way.
  Profile& run(const std::string& framework, const std::vector<double>& seconds, double latency) {
    Profile profile{.path = "p.json", .framework = framework, .model = "m", .precision = "fp32"};
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      const std::string& name = graph().layers[i].name;
      profile.nodes.push_back({.name = name,
                               .origin = name,
                               .op = graph().layers[i].op,
                               .seconds = seconds[i],
                               .range = Interval{seconds[i] * 0.98, seconds[i] * 1.02}});
    }
    profile.latency_seconds = std::vector<double>(7, latency);
    return inputs.profiles.emplace_back(std::move(profile));
  }
  /// A plan that was run three times.
  void plan(double seconds, bool fused = true) {
    inputs.plans.push_back(
        {.model = "m", .batch = 1, .fused = fused, .seconds = std::vector<double>(3, seconds)});
  }

  template <class Answer>
  auto answer(const Answer& of) const {
    const Subject subject{
        .inputs = inputs, .graph = inputs.graphs.front(), .filter = filter, .allow_missing = true};
    const BoundReport bound = full_report(subject);
    return of(Matter(subject, bound));
  }
  std::vector<Judged> all() const {
    return answer([](const Matter& matter) { return findings_of(matter); });
  }
  /// All of one cause.
  std::vector<Judged> of(const std::string& cause) const {
    std::vector<Judged> some;
    for (Judged& one : all()) {
      if (one.finding.cause == cause) some.push_back(std::move(one));
    }
    return some;
  }
};

/// Layers a (100 us), b (50 us) and c (20 us), one after the other.
inline Found three_layers() {
  return Found(
      {.model = "m", .batch = 1, .layers = {layer("a", {}), layer("b", {0}), layer("c", {1})}},
      steady({{"a", 100 * us}, {"b", 50 * us}, {"c", 20 * us}}));
}

/// A product (10 us) and relu (4 us), which one call does in 12 us.
inline Found product_and_relu() {
  Found given({.model = "m",
               .batch = 1,
               .layers = {layer("fc", {}), layer("relu", {0})},
               .fusions = {{.pattern = "gemm_relu",
                            .layers = {0, 1},
                            .problem = "gemm/m100_n200_k50_nn_w_relu"}}},
              steady({{"relu", 4 * us}}));
  given.graph().layers[0].op = "Gemm";
  given.graph().layers[0].problems = {"gemm/m100_n200_k50_nn_w"};
  given.set().add(measured("gemm/m100_n200_k50_nn_w/fp32/plain/onednn/x", five(10 * us)));
  given.set().add(measured("gemm/m100_n200_k50_nn_w_relu/fp32/plain/onednn/x", five(12 * us)));
  return given;
}

}  // namespace benanza::test
