// JAX: files of scripts/profile-jax, which name its profiler's trace and XLA's text of the program.
// The trace has the times of XLA's instructions, the text their shapes.

#include "analysis/profiles/jax/hlo.h"

#include <algorithm>
#include <map>

#include "analysis/profiles/profile.h"
#include "core/base/file.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;

/// [start, end) of one run, in microseconds.
using StepWindow = std::pair<double, double>;

/// Returns the steps that the profiler annotated.
std::vector<StepWindow> steps_of(const json& events) {
  std::vector<StepWindow> steps;
  for (const json& event : events) {
    if (event.value("ph", "") != "X" || !event.contains("args")) continue;
    if (!event["args"].contains("step_num")) continue;
    const auto start = event.at("ts").get<double>();
    steps.emplace_back(start, start + event.at("dur").get<double>());
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

/// Returns the processes of the trace that are accelerators: "/device:GPU:0".
std::map<std::int64_t, std::string> devices_of(const json& events) {
  std::map<std::int64_t, std::string> devices;
  for (const json& event : events) {
    if (event.value("ph", "") != "M" || event.value("name", "") != "process_name") continue;
    const auto name = event.at("args").at("name").get<std::string>();
    if (name.starts_with("/device:")) devices.emplace(event.at("pid").get<std::int64_t>(), name);
  }
  return devices;
}

/// One run of an instruction, or of one of its kernels.
struct InstructionRun {
  std::string instruction{};
  std::string kernel{};
  double start = 0;
  double seconds = 0;
};

std::vector<InstructionRun> instruction_runs(const json& events) {
  const auto devices = devices_of(events);
  std::vector<InstructionRun> runs;
  for (const json& event : events) {
    if (event.value("ph", "") != "X" || !event.contains("args")) continue;
    const json& details = event["args"];
    if (!details.contains("hlo_op")) continue;
    const bool on_device = devices.contains(event.at("pid").get<std::int64_t>());
    // With an accelerator, the host's event of an instruction is its launch.
    if (!devices.empty() && !on_device) continue;
    runs.push_back({.instruction = details["hlo_op"].get<std::string>(),
                    .kernel = on_device ? event.at("name").get<std::string>() : "",
                    .start = event.at("ts").get<double>(),
                    .seconds = event.at("dur").get<double>() * 1e-6});
  }
  std::stable_sort(runs.begin(), runs.end(), [](const InstructionRun& a, const InstructionRun& b) {
    return a.start < b.start;
  });
  return runs;
}

/// Median over the steps of each instruction's time per step, in the order of the first step.
std::vector<ProfiledNode> instruction_nodes(const std::vector<InstructionRun>& runs,
                                            const std::vector<StepWindow>& steps,
                                            const jax::Program& program) {
  std::vector<ProfiledNode> nodes;
  std::map<std::string, std::size_t> places;
  std::vector<std::vector<double>> times;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    for (const InstructionRun& run : runs) {
      if (run.start < steps[step].first || run.start >= steps[step].second) continue;
      const auto [place, is_new] = places.try_emplace(run.instruction, nodes.size());
      if (is_new) {
        ProfiledNode node{.name = run.instruction, .parts = program.parts(run.instruction)};
        if (!node.parts.empty()) node.op = node.parts.front().op;
        nodes.push_back(std::move(node));
        times.emplace_back(steps.size());
      }
      times[place->second][step] += run.seconds;
      if (step == 0 && !run.kernel.empty()) {
        nodes[place->second].kernels.push_back({.name = run.kernel, .seconds = run.seconds});
      }
    }
  }
  for (std::size_t node = 0; node < nodes.size(); ++node) nodes[node].seconds = median(times[node]);
  return nodes;
}

bool recognises_jax(const json& root) { return root.value("framework", "") == "jax"; }

Profile import_jax(const Document& document) {
  const json& root = document.root();
  document.require_schema(root, 1);
  Profile profile{.path = document.path(),
                  .framework = "jax",
                  .version = root.at("version").get<std::string>(),
                  .model = root.at("model").get<std::string>(),
                  .batch = optional_member<std::int64_t>(root, "batch"),
                  .precision = root.at("precision").get<std::string>(),
                  .device = optional_member<std::string>(root, "device").value_or(""),
                  .latency_seconds = root.at("latency_seconds").get<std::vector<double>>()};
  if (profile.latency_seconds.empty()) throw document.error("has no latency");
  const auto folder = document.path().parent_path();
  const jax::Program program(read_file(folder / root.at("hlo").get<std::string>()));
  const Document trace(folder / root.at("trace").get<std::string>(), "JAX's trace",
                       "write both with scripts/profile-jax");
  trace.guard([&] {
    const json& events = trace.root().at("traceEvents");
    const auto steps = steps_of(events);
    if (steps.empty()) throw trace.error("has no step");
    profile.steps = steps.size();
    profile.nodes = instruction_nodes(instruction_runs(events), steps, program);
    return 0;
  });
  const auto known =
      std::count_if(profile.nodes.begin(), profile.nodes.end(),
                    [&](const ProfiledNode& node) { return program.find(node.name) != nullptr; });
  if (known < static_cast<std::ptrdiff_t>(profile.nodes.size())) {
    profile.remarks.push_back(
        std::to_string(profile.nodes.size() - static_cast<std::size_t>(known)) +
        " of the trace's instructions are not in XLA's text: another program ran beside it");
  }
  return profile;
}

}  // namespace

Importer jax_importer() {
  return {.framework = "jax", .recognises = recognises_jax, .import = import_jax};
}

}  // namespace benanza::analysis
