// JAX: files of scripts/profile-jax, which name its profiler's trace and XLA's text of the program.
// The trace has the times of XLA's instructions, the text their shapes.

#include "analysis/profiles/jax/hlo.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "analysis/profiles/file/profile_file.h"
#include "analysis/profiles/profile.h"
#include "analysis/profiles/repeats.h"
#include "core/base/file.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;

/// [start, end) of one run, in microseconds.
using StepWindow = std::pair<double, double>;

/// The trace's events that tell of steps, devices, instructions and launches.
json events_of(const ProfileFile& trace) {
  if (!trace.root().at("traceEvents").is_array()) throw trace.error("has no traceEvents");
  json events = json::array();
  trace.for_each_event([&](const TraceEvent& event) {
    const bool is_told =
        event.argument("step_num") || event.argument("hlo_op") || event.argument("correlation_id");
    if (event.phase == "M" || (event.phase == "X" && is_told)) {
      events.push_back(json::parse(event.json()));
    }
  });
  return events;
}

/// Returns the steps that the profiler annotated.
std::vector<StepWindow> steps_of(const json& events) {
  std::vector<StepWindow> steps;
  for (const json& event : events) {
    if (event.value("ph", "") != "X" || !event.contains("args")) continue;
    if (!event["args"].contains("step_num")) continue;
    const auto start = event.at("ts").get<double>();
    steps.emplace_back(start, start + event.at("dur").get<double>());
  }
  std::ranges::sort(steps);
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

constexpr double microsecond = 1e-6;

/// One run of an instruction, or of one of its kernels. Times are in microseconds.
struct InstructionRun {
  std::string instruction{};
  std::string kernel{};
  double start = 0;
  double duration = 0;
  /// When the host launched the kernel, if the trace has it.
  std::optional<double> launched{};
};

/// What a kernel and its launch have in common; empty if the trace does not tell.
std::string correlation_of(const json& details) {
  const auto found = details.find("correlation_id");
  if (found == details.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

/// The start of each launch, by its correlation.
std::map<std::string, double> launches_of(const json& events,
                                          const std::map<std::int64_t, std::string>& devices) {
  std::map<std::string, double> launches;
  for (const json& event : events) {
    if (event.value("ph", "") != "X" || !event.contains("args")) continue;
    if (devices.contains(event.at("pid").get<std::int64_t>())) continue;
    const std::string correlation = correlation_of(event["args"]);
    if (!correlation.empty()) launches[correlation] = event.at("ts").get<double>();
  }
  return launches;
}

std::vector<InstructionRun> instruction_runs(const json& events) {
  const auto devices = devices_of(events);
  const auto launches = launches_of(events, devices);
  std::vector<InstructionRun> runs;
  for (const json& event : events) {
    if (event.value("ph", "") != "X" || !event.contains("args")) continue;
    const json& details = event["args"];
    if (!details.contains("hlo_op")) continue;
    const bool on_device = devices.contains(event.at("pid").get<std::int64_t>());
    // With an accelerator, the host's event of an instruction is its launch.
    if (!devices.empty() && !on_device) continue;
    InstructionRun& run = runs.emplace_back(
        details["hlo_op"].get<std::string>(), on_device ? event.at("name").get<std::string>() : "",
        event.at("ts").get<double>(), event.at("dur").get<double>());
    const auto launch = launches.find(correlation_of(details));
    if (on_device && launch != launches.end()) run.launched = launch->second;
  }
  std::ranges::stable_sort(
      runs, [](const InstructionRun& a, const InstructionRun& b) { return a.start < b.start; });
  return runs;
}

/// The runs that start in the step. `runs` ascend.
std::span<const InstructionRun> runs_in(const std::vector<InstructionRun>& runs,
                                        const StepWindow& step) {
  const auto first = std::ranges::lower_bound(runs, step.first, {}, &InstructionRun::start);
  const auto last = std::ranges::lower_bound(runs, step.second, {}, &InstructionRun::start);
  return first < last ? std::span(first, last) : std::span<const InstructionRun>();
}

/// Median over the steps of each instruction's time per step, of the steps in which it ran, in the
/// order of the first step.
std::vector<ProfiledNode> instruction_nodes(const std::vector<InstructionRun>& runs,
                                            const std::vector<StepWindow>& steps,
                                            const jax::Program& program) {
  std::vector<ProfiledNode> nodes;
  std::map<std::string, std::size_t> places;
  std::vector<std::map<std::size_t, double>> times;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    for (const InstructionRun& run : runs_in(runs, steps[step])) {
      const auto [place, is_new] = places.try_emplace(run.instruction, nodes.size());
      if (is_new) {
        ProfiledNode node{.name = run.instruction, .parts = program.parts(run.instruction)};
        if (!node.parts.empty()) node.op = node.parts.front().op;
        nodes.push_back(std::move(node));
        times.emplace_back();
      }
      times[place->second][step] += run.duration * microsecond;
      if (step == 0 && !run.kernel.empty()) {
        nodes[place->second].kernels.push_back(
            {.name = run.kernel, .seconds = run.duration * microsecond});
      }
    }
  }
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    std::vector<double> ran;
    for (const auto& [step, seconds] : times[node]) ran.push_back(seconds);
    set_times(nodes[node], ran);
  }
  return nodes;
}

/// The device during one step; empty without kernels.
std::optional<Timeline> timeline_of(const std::vector<InstructionRun>& runs,
                                    const StepWindow& step) {
  Timeline timeline;
  double free_at = step.first;  // when the device has finished all earlier work
  for (const InstructionRun& run : runs_in(runs, step)) {
    if (run.kernel.empty()) continue;
    const double end = run.start + run.duration;
    const double idle = run.start - free_at;
    // The host is late only up to its launch.
    if (idle > 0 && run.launched) {
      timeline.host_bound_seconds += std::clamp(*run.launched - free_at, 0.0, idle) * microsecond;
    }
    timeline.busy_seconds += std::max(0.0, end - std::max(run.start, free_at)) * microsecond;
    free_at = std::max(free_at, end);
  }
  if (timeline.busy_seconds == 0) return std::nullopt;
  timeline.span_seconds = (free_at - step.first) * microsecond;
  return timeline;
}

/// Medians over the steps; empty without an accelerator.
std::optional<Timeline> timeline_of(const std::vector<InstructionRun>& runs,
                                    const std::vector<StepWindow>& steps) {
  std::vector<double> spans;
  std::vector<double> busy;
  std::vector<double> bound;
  for (const StepWindow& step : steps) {
    const auto one = timeline_of(runs, step);
    if (!one) continue;
    spans.push_back(one->span_seconds);
    busy.push_back(one->busy_seconds);
    bound.push_back(one->host_bound_seconds);
  }
  if (spans.empty()) return std::nullopt;
  return Timeline{.span_seconds = median(spans),
                  .busy_seconds = median(busy),
                  .host_bound_seconds = median(bound)};
}

/// Throws if the trace is of another program than the text: instructions of different programs may
/// have the same names.
void require_same_program(const json& events, const jax::Program& program,
                          const ProfileFile& trace) {
  if (program.name().empty()) return;
  std::string other;
  for (const json& event : events) {
    if (!event.contains("args") || !event["args"].contains("hlo_op")) continue;
    const auto name = event["args"].value("hlo_module", "");
    if (name.empty() || name == program.name() || name.starts_with(program.name() + '(')) return;
    other = name;
  }
  if (other.empty()) return;
  throw trace.error("is of the program " + other + ", and XLA's text is of " + program.name());
}

/// Replaces a stated precision that no product of the program has. Of fp32 products, XLA's text
/// does not tell whether they are TF32.
void check_precision(Profile& profile, const jax::Program& program) {
  std::set<std::string> found;
  for (const std::string& type : program.product_types()) {
    if (type == "f32") found.insert({"fp32", "tf32"});
    if (type == "f16") found.insert("fp16");
    if (type == "bf16") found.insert("bf16");
  }
  if (found.empty() || found.contains(profile.precision)) return;
  const bool is_one = found.size() == 1 || (found.size() == 2 && found.contains("tf32"));
  const std::string ran_at = is_one ? *found.begin() : "mixed";
  profile.remarks.push_back("its products ran at " + ran_at + "; " + profile.precision +
                            " is what was said to scripts/profile-jax");
  profile.precision = ran_at;
}

/// A trace as JAX's profiler writes it.
bool is_bare(const ProfileFile& document) {
  return document.root().contains("traceEvents") &&
         std::ranges::any_of(document.process_names(), [](const std::string& name) {
           return name.starts_with("/device:") || name.starts_with("/host:");
         });
}

bool recognises_jax(const ProfileFile& document) {
  return document.root().value("framework", "") == "jax" || is_bare(document);
}

/// Without XLA's text, the trace has instructions by name alone. Without steps, it is one run.
Profile import_bare(const ProfileFile& document) {
  Profile profile{.path = document.path(), .framework = "jax"};
  const json events = events_of(document);
  const auto runs = instruction_runs(events);
  if (runs.empty()) {
    throw document.error(
        "is a trace of JAX in which no instruction ran: trace a run of the program");
  }
  auto steps = steps_of(events);
  if (steps.empty()) steps.emplace_back(runs.front().start, std::numeric_limits<double>::max());
  profile.steps = steps.size();
  profile.nodes = instruction_nodes(runs, steps, jax::Program(""));
  profile.timeline = timeline_of(runs, steps);
  if (!profile.timeline) {
    throw document.error(
        "is a trace of JAX on a processor, which tells neither latency nor sizes: "
        "scripts/profile-jax records these");
  }
  profile.remarks.push_back(
      "it is a trace of JAX without XLA's text: sizes of its operators are not known; "
      "scripts/profile-jax writes both");
  return profile;
}

Profile import_jax(const ProfileFile& document) {
  if (is_bare(document)) return import_bare(document);
  const json& root = document.root();
  Profile profile = described(document, "jax");
  if (profile.latency_seconds.empty()) throw document.error("has no latency");
  const auto folder = document.path().parent_path();
  const auto hlo = folder / root.at("hlo").get<std::string>();
  require_same_file(document, hlo);
  require_same_file(document, folder / root.at("trace").get<std::string>());
  const jax::Program program(read_file(hlo));
  const ProfileFile trace(folder / root.at("trace").get<std::string>(), "JAX's trace",
                          "write both with scripts/profile-jax");
  check_precision(profile, program);
  trace.guard([&] {
    const json events = events_of(trace);
    const auto steps = steps_of(events);
    if (steps.empty()) throw trace.error("has no step");
    profile.steps = steps.size();
    require_same_program(events, program, trace);
    const auto runs = instruction_runs(events);
    profile.nodes = instruction_nodes(runs, steps, program);
    profile.timeline = timeline_of(runs, steps);
    return 0;
  });
  for (const std::string& name : program.products()) {
    const bool has_run = std::ranges::any_of(
        profile.nodes, [&](const ProfiledNode& node) { return node.name == name; });
    if (!has_run) ++profile.not_traced;
  }
  const auto known = std::ranges::count_if(
      profile.nodes, [&](const ProfiledNode& node) { return program.find(node.name) != nullptr; });
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
