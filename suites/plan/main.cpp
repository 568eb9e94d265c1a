// bench_plan: sets up every call of a plan in one arena, checks the whole model's tensors, and
// times it as one.
#include <benchmark/benchmark.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/problem/name.h"
#include "core/program/program_flags.h"
#include "suites/plan/backends.h"
#include "suites/plan/branches.h"
#include "suites/plan/check.h"
#include "suites/plan/planned_model.h"
#include "suites/plan/step_times.h"

namespace {

using namespace benanza;

struct Options {
  std::string plan;
  std::string values;
  /// 0: by the plan's precision.
  double tolerance = 0;
  /// --benchmark_out; empty: none.
  std::string out;
  bool check = false;
  std::vector<std::string> device_flags;
};

/// The largest difference, relative to the largest element of a tensor, that rounding explains.
double tolerance_of(const plan::PlannedModel& model) {
  std::string precision = model.plan().precision;
  // The file of values has tensors of the model's own type as that type rounds them.
  for (const PlanTensor& tensor : model.plan().tensors) {
    if (tensor.type == "bfloat16") precision = "bf16";
    if (tensor.type == "float16" && precision == "fp32") precision = "fp16";
  }
  // Transforms (Winograd) amplify the rounding of fp32; with fewer bits every tensor is rounded.
  const double rounding = precision == "fp32"   ? 32 * 0x1p-24
                          : precision == "bf16" ? 4 * 0x1p-9
                                                : 4 * 0x1p-11;
  // Errors of steps one after the other add up like a random walk; each has sums of its own.
  return rounding * std::sqrt(static_cast<double>(model.steps()));
}

/// What a reader of the results must know of the plan and the machine.
void describe(const Plan& plan, const plan::Backends& backends) {
  for (harness::Backend* const one : backends.all()) {
    const std::string backend(one->name());
    const auto is_its = [&](const PlanStep& step) {
      return parse_variant_name(step.call).backend == backend;
    };
    if (std::ranges::none_of(plan.steps, is_its)) continue;
    for (const auto& [name, value] : one->system()) {
      benchmark::AddCustomContext("system." + backend + '.' + name, value);
    }
  }
  benchmark::AddCustomContext("plan_model", plan.model);
  if (plan.batch) benchmark::AddCustomContext("plan_batch", std::to_string(*plan.batch));
  benchmark::AddCustomContext("plan_precision", plan.precision);
  for (const auto& [name, value] : plan.metadata) {
    benchmark::AddCustomContext("plan_metadata." + name, value);
  }
  benchmark::AddCustomContext("plan_fused", plan.fused ? "true" : "false");
  if (plan.by_heuristic) benchmark::AddCustomContext("plan_by_heuristic", "true");
}

/// Shows what it is told, and keeps it as JSON.
class Recorder final : public benchmark::BenchmarkReporter {
 public:
  Recorder() : shown_(benchmark::CreateDefaultDisplayReporter()) { kept_.SetOutputStream(&text_); }

  bool ReportContext(const Context& context) override {
    return shown_->ReportContext(context) && kept_.ReportContext(context);
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    shown_->ReportRuns(runs);
    kept_.ReportRuns(runs);
  }
  void Finalize() override {
    shown_->Finalize();
    kept_.Finalize();
  }
  /// With more members, if there are any.
  std::string json(const std::string& members) const {
    std::string text = text_.str();
    if (!members.empty()) text.insert(text.find('{') + 1, '\n' + members + ',');
    return text;
  }

 private:
  std::unique_ptr<benchmark::BenchmarkReporter> shown_;
  benchmark::JSONReporter kept_;
  std::ostringstream text_;
};

/// Exit status 1 if a step changed.
int check(const Options& options, const plan::Backends& backends) {
  const Plan plan = read_plan(options.plan);
  const auto changed = plan::changed_steps(plan, backends.all());
  std::cout << plan::check_text(plan, plan::changed_systems(plan, backends.all()), changed);
  return changed.empty() ? 0 : 1;
}

std::string place_of(const plan::PlannedModel& model, const plan::Difference& found) {
  return "step " + std::to_string(found.step + 1) + " of " + std::to_string(model.steps()) + " (" +
         found.tensor + ")";
}

/// Throws Error if the difference is larger than `tolerance`.
void require_equal(const plan::PlannedModel& model, const plan::Difference& found, double tolerance,
                   const std::string& how) {
  if (found.relative <= tolerance) return;
  throw Error(how + place_of(model, found) + " differs by " + std::to_string(found.relative) +
              " of the largest element, more than " + std::to_string(tolerance) + ": " +
              model.plan().steps[found.step].call);
}

void check_steps(plan::PlannedModel& model, const plan::Values& values, const Options& options,
                 double tolerance) {
  const auto worst = model.check(values, tolerance);
  if (!worst) throw Error(options.values + ": has no tensor of the plan's steps");
  require_equal(model, *worst, tolerance, "");
  std::cerr << model.compared() << " tensors agree; the largest difference is " << worst->relative
            << " of the largest element, at " << place_of(model, *worst)
            << "; allowed: " << tolerance << '\n';
  if (model.zeros() > 0) {
    std::cerr << "note: " << model.zeros()
              << " of the tensors are 0 throughout, which shows little: give the model weights\n";
  }
}

/// The plan with steps at the same time where that is faster, its results checked.
plan::Branches checked_branches(plan::PlannedModel& model, harness::Stopwatch& stopwatch,
                                const plan::Values* values, double tolerance) {
  plan::Branches branches;
  try {
    branches = plan::branches_of(model, stopwatch);
  } catch (const harness::Unsupported& refusal) {
    std::cerr << "note: no branches at the same time: " << refusal.what() << '\n';
    return branches;
  }
  std::cerr << branches.text();
  if (values == nullptr || branches.plan == nullptr) return branches;
  model.poison_results();
  stopwatch.time(*branches.plan, 1);
  if (const auto worst = model.check_results(*values)) {
    require_equal(model, *worst, tolerance, "in branches, ");
  }
  return branches;
}

/// Aggregates of a counter that is always 0 would hold NaN, which is no JSON.
void count(benchmark::State& state, const char* counter, double value) {
  if (value != 0) state.counters[counter] = value;
}

/// What the calls take in the plan and repeated.
void count_steps(benchmark::State& state, const std::vector<plan::StepTime>& times) {
  double in_plan = 0;
  double repeated = 0;
  for (const plan::StepTime& one : times) {
    in_plan += one.in_plan;
    repeated += one.repeated;
  }
  count(state, "step_seconds", in_plan);
  count(state, "repeated_seconds", repeated);
}

/// Seconds of the first run; on a GPU, it is captured in it.
double first_run(plan::PlannedModel& model, harness::Stopwatch& stopwatch) {
  const auto begin = std::chrono::steady_clock::now();
  stopwatch.time(model, 1);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void time_plan(benchmark::State& state, plan::PlannedModel& model, harness::Stopwatch& stopwatch,
               const std::vector<plan::StepTime>& times, double first_run_seconds) {
  stopwatch.time(model, 1);
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(stopwatch.time(model, 1));
  plan::Conversions conversions(model);
  count(state, "conversions", static_cast<double>(model.conversions()));
  count(state, "conversion_seconds",
        model.conversions() == 0 ? 0 : stopwatch.time(conversions, 10) / 10);
  count_steps(state, times);
  count(state, "prepared_seconds", model.plan().prepared_seconds);
  count(state, "steps", static_cast<double>(model.steps()));
  count(state, "arena_bytes", static_cast<double>(model.plan().arena_bytes));
  count(state, "memory_bytes", static_cast<double>(model.memory_bytes()));
  count(state, "predicted_seconds", model.plan().seconds);
  count(state, "predicted_conversion_seconds", conversion_seconds(model.plan()));
  count(state, "predicted_gap_seconds", model.plan().gap_seconds);
  count(state, "setup_seconds", setup_seconds(model));
  count(state, "first_run_seconds", first_run_seconds);
  count(state, "checked_tensors", static_cast<double>(model.compared()));
}

void register_run(const std::string& name, const std::function<void(benchmark::State&)>& run) {
  benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Unit(benchmark::kMillisecond);
}

int measure(const Options& options, const plan::Backends& backends) {
  std::optional<plan::Values> values;
  if (!options.values.empty()) values.emplace(options.values);
  Plan plan = read_plan(options.plan);
  for (const std::string& system : plan::changed_systems(plan, backends.all())) {
    std::cerr << "note: planned with " << system << "; --check names the steps that changed\n";
  }
  const bool has_branches = plan::Backends::run_branches();
  plan::PlannedModel model(std::move(plan), backends.all(), values ? &*values : nullptr,
                           has_branches ? plan::Scratch::own : plan::Scratch::shared,
                           &backends.memory());
  harness::Stopwatch& stopwatch = backends.all().front()->stopwatch();
  const double first_run_seconds = first_run(model, stopwatch);
  std::cerr << plan::start_text(model, first_run_seconds);
  const double tolerance = options.tolerance > 0 ? options.tolerance : tolerance_of(model);
  if (values) check_steps(model, *values, options, tolerance);
  describe(model.plan(), backends);
  const plan::Branches branches =
      has_branches ? checked_branches(model, stopwatch, values ? &*values : nullptr, tolerance)
                   : plan::Branches();
  const std::vector<plan::StepTime> times =
      has_branches ? plan::step_times(model, stopwatch) : plan::step_times(model);
  std::cerr << plan::lost_text(model.plan(), times);
  const std::string name = "plan/" + model.plan().model +
                           (model.plan().batch ? "_b" + std::to_string(*model.plan().batch) : "") +
                           '/' + model.plan().precision;
  register_run(name, [&](benchmark::State& state) {
    time_plan(state, model, stopwatch, times, first_run_seconds);
  });
  if (branches.plan != nullptr) {
    register_run(name + "/branches", [&](benchmark::State& state) {
      stopwatch.time(*branches.plan, 1);
      for ([[maybe_unused]] auto _ : state) {
        state.SetIterationTime(stopwatch.time(*branches.plan, 1));
      }
      count(state, "branches", 1);
      count(state, "regions", static_cast<double>(branches.regions));
      count(state, "faster_regions", static_cast<double>(branches.faster_regions));
      count(state, "predicted_gain_seconds", branches.gained_seconds);
    });
  }
  Recorder recorder;
  benchmark::RunSpecifiedBenchmarks(&recorder);
  if (branches.plan != nullptr) stopwatch.forget(*branches.plan);
  stopwatch.forget(model);
  if (!options.out.empty()) {
    write_file(options.out, recorder.json(plan::step_times_json(model, times)));
  }
  return 0;
}

/// Takes the name of the file of results, which Google Benchmark would not miss if it cannot be
/// written.
std::string take_out(std::vector<std::string>& words) {
  constexpr std::string_view flag = "--benchmark_out=";
  constexpr std::string_view format_flag = "--benchmark_out_format=";
  std::string out;
  for (const std::string& word : words) {
    if (word.starts_with(flag)) out = word.substr(flag.size());
    if (word.starts_with(format_flag) && word.substr(format_flag.size()) != "json") {
      throw Error(word + ": results are written as json");
    }
  }
  std::erase_if(words, [&](const std::string& word) {
    return word.starts_with(flag) || word.starts_with(format_flag);
  });
  return out;
}

/// Splits off Google Benchmark's own flags, and hands them over. It keeps a pointer to `program`.
void initialise_benchmark(std::vector<std::string>& words, char* program) {
  const auto own = std::stable_partition(words.begin(), words.end(), [](const std::string& word) {
    return !word.starts_with("--benchmark_");
  });
  std::vector<std::string> flags(own, words.end());
  words.erase(own, words.end());
  std::vector<char*> arguments{program};
  for (std::string& flag : flags) arguments.push_back(flag.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (count > 1) {
    throw Error("unknown flag \"" + std::string(arguments[1]) + "\"; --help lists the flags");
  }
}

int run(int argc, char** argv) {
  const std::string name = std::filesystem::path(argv[0]).filename().string();
  const plan::Backends backends(argc, argv);
  CLI::App app(
      "Runs a plan made by benanza-analyze plan as one program, checks it, and times it. Also "
      "takes Google Benchmark's flags.",
      name);
  Options options;
  app.add_option("PLAN", options.plan, "What benanza-analyze plan --out wrote")->required();
  app.add_option("--values", options.values,
                 "The model's constants, inputs and other tensors (from scripts/plan-values); "
                 "without it, random values and no check")
      ->type_name("FILE");
  app.add_option("--tolerance", options.tolerance,
                 "The largest difference, relative to the largest element of a tensor");
  app.add_flag("--check", options.check,
               "Only check that the libraries here have every call of the plan; exit status 1 if "
               "not");
  for (const harness::BackendFlag& flag : plan::Backends::flags()) {
    // Taken by `backends`; here for --help.
    app.add_option(flag.name, options.device_flags, flag.help)->type_name(flag.value);
  }
  add_program_flags(app, [&backends] {
    std::vector<LibraryVersion> all;
    for (const harness::Backend* const one : backends.all()) {
      std::ranges::copy(one->libraries(), std::back_inserter(all));
    }
    return all;
  });
  std::vector<std::string> words(argv + 1, argv + argc);
  options.out = take_out(words);
  initialise_benchmark(words, argv[0]);
  try {
    // CLI11 takes them from the back.
    std::ranges::reverse(words);
    app.parse(std::move(words));
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + "; --help lists the flags");
  }
  return options.check ? check(options, backends) : measure(options, backends);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << std::filesystem::path(argv[0]).filename().string() << ": " << error.what() << '\n';
    return 1;
  }
}
