// bench_plan: sets up every call of a plan in one arena, checks the whole model's tensors, and
// times it as one.
#include <benchmark/benchmark.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <memory>

#include "core/base/error.h"
#include "suites/plan/backends.h"
#include "suites/plan/planned_model.h"

namespace {

using namespace benanza;

struct Options {
  std::string plan;
  std::string values;
  /// 0: by the plan's precision.
  double tolerance = 0;
};

/// The largest difference, relative to the largest element of a tensor, that rounding explains.
double tolerance_of(const plan::PlannedModel& model) {
  const std::string& precision = model.plan().precision;
  const double rounding = precision == "fp32" ? 0x1p-24 : precision == "bf16" ? 0x1p-9 : 0x1p-11;
  // Errors of steps one after the other add up like a random walk; each has sums of its own.
  return 32 * rounding * std::sqrt(static_cast<double>(model.steps()));
}

int run(const Options& options) {
  const plan::Backends backends;
  std::optional<plan::Values> values;
  if (!options.values.empty()) values.emplace(options.values);
  plan::PlannedModel model(read_plan(options.plan), backends.all(), values ? &*values : nullptr);
  if (values) {
    const double tolerance = options.tolerance > 0 ? options.tolerance : tolerance_of(model);
    const auto worst = model.check(*values, tolerance);
    if (!worst) throw Error(options.values + ": has no tensor of the plan's steps");
    const std::string place = "step " + std::to_string(worst->step + 1) + " of " +
                              std::to_string(model.steps()) + " (" + worst->tensor + ")";
    if (!(worst->relative <= tolerance)) {
      throw Error(place + " differs by " + std::to_string(worst->relative) +
                  " of the largest element, more than " + std::to_string(tolerance) + ": " +
                  model.plan().steps[worst->step].call);
    }
    std::cerr << model.compared() << " tensors agree; the largest difference is " << worst->relative
              << " of the largest element, at " << place << "; allowed: " << tolerance << '\n';
  }
  harness::Stopwatch& stopwatch = backends.all().front()->stopwatch();
  const std::string name = "plan/" + model.plan().model +
                           (model.plan().batch ? "_b" + std::to_string(*model.plan().batch) : "") +
                           '/' + model.plan().precision;
  benchmark::RegisterBenchmark(
      name.c_str(),
      [&](benchmark::State& state) {
        stopwatch.time(model, 1);
        for ([[maybe_unused]] auto _ : state) state.SetIterationTime(stopwatch.time(model, 1));
        plan::Conversions conversions(model);
        state.counters["conversions"] = static_cast<double>(model.conversions());
        state.counters["conversion_seconds"] = stopwatch.time(conversions, 10) / 10;
        state.counters["steps"] = static_cast<double>(model.steps());
        state.counters["arena_bytes"] = static_cast<double>(model.plan().arena_bytes);
        state.counters["predicted_seconds"] = model.plan().seconds;
      })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    benchmark::Initialize(&argc, argv);
    CLI::App app(
        "Runs a plan of benanza-analyze plan as one: checks it, and times it. Takes Google "
        "Benchmark's flags, too.",
        "bench_plan");
    Options options;
    app.add_option("plan", options.plan, "The plan")->required();
    app.add_option("--values", options.values,
                   "The model's constants, inputs and other tensors (scripts/plan-values); without "
                   "it, random ones, and nothing is checked");
    app.add_option("--tolerance", options.tolerance,
                   "The largest difference, relative to the largest element of a tensor");
    CLI11_PARSE(app, argc, argv);
    return run(options);
  } catch (const std::exception& error) {
    std::cerr << "bench_plan: " << error.what() << '\n';
    return 1;
  }
}
