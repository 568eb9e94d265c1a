// JAX: files of scripts/profile-jax, which name its profiler's trace and XLA's text of the program.
// The trace has the times of XLA's instructions, the text their shapes.

#include "analysis/profiles/jax/hlo.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "analysis/profiles/file/profile_file.h"
#include "analysis/profiles/jax/trace.h"
#include "analysis/profiles/profile.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;

constexpr double microsecond = 1e-6;

/// The start of the one run of a trace without steps.
constexpr double no_step = std::numeric_limits<double>::lowest();

/// The runs of one device in one step.
using DeviceRun = std::vector<const jax::InstructionRun*>;

std::vector<DeviceRun> device_runs(const jax::Trace& trace, const jax::StepWindow& step) {
  std::vector<DeviceRun> runs(std::max<std::size_t>(1, trace.devices));
  for (const jax::InstructionRun& run : trace.runs_in(step)) runs[run.device].push_back(&run);
  return runs;
}

/// An instruction while its runs are added up.
struct MeasuredInstruction {
  ProfiledNode node{};
  /// Of each run of a device, in which it ran.
  std::vector<double> times{};
  std::size_t first_run = 0;
  std::size_t last_run = 0;

  void add(const jax::Trace& trace, const jax::InstructionRun& run, std::size_t number) {
    const double seconds = run.duration * microsecond;
    if (last_run != number) times.push_back(0);
    last_run = number;
    times.back() += seconds;
    if (first_run != number || run.kernel == jax::no_index) return;
    node.kernels.push_back({.name = trace.names[run.kernel], .seconds = seconds});
  }
};

/// Median over steps and devices of each instruction's time, of those in which it ran, in the order
/// of the first step. Its kernels are those of the first.
std::vector<ProfiledNode> instruction_nodes(const jax::Trace& trace,
                                            const std::vector<jax::StepWindow>& steps,
                                            const jax::Program& program) {
  std::vector<MeasuredInstruction> found;
  constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> places(trace.names.size(), nowhere);
  std::size_t number = 0;
  for (const jax::StepWindow& step : steps) {
    for (const DeviceRun& runs : device_runs(trace, step)) {
      ++number;
      for (const jax::InstructionRun* run : runs) {
        std::size_t& place = places[run->instruction];
        if (place == nowhere) {
          place = found.size();
          const std::string& name = trace.names[run->instruction];
          MeasuredInstruction& one = found.emplace_back();
          one.node = {.name = name, .parts = program.parts(name)};
          if (!one.node.parts.empty()) one.node.op = one.node.parts.front().op;
          one.first_run = number;
        }
        found[place].add(trace, *run, number);
      }
    }
  }
  std::vector<ProfiledNode> nodes;
  for (MeasuredInstruction& one : found) {
    set_times(one.node, one.times);
    nodes.push_back(std::move(one.node));
  }
  return nodes;
}

/// A device during one step; empty without kernels. `busy_until`: the end of what it did in earlier
/// steps, which a host that is ahead calls before; becomes the end of this one's.
std::optional<Timeline> timeline_of(DeviceRun runs, const jax::StepWindow& step,
                                    double& busy_until) {
  std::ranges::stable_sort(runs, {}, [](const jax::InstructionRun* run) { return run->start; });
  Timeline timeline;
  if (runs.empty()) return std::nullopt;
  const double first = runs.front()->start;
  const double begin =
      std::clamp(busy_until, step.first == no_step ? first : std::min(step.first, first), first);
  double free_at = begin;  // when the device has finished all earlier work
  for (const jax::InstructionRun* run : runs) {
    if (run->kernel == jax::no_index) continue;
    const double end = run->start + run->duration;
    const double idle = run->start - free_at;
    // The host is late only up to its launch.
    if (idle > 0 && !std::isnan(run->launched)) {
      timeline.host_bound_seconds += std::clamp(run->launched - free_at, 0.0, idle) * microsecond;
    }
    timeline.busy_seconds += std::max(0.0, end - std::max(run->start, free_at)) * microsecond;
    free_at = std::max(free_at, end);
  }
  if (timeline.busy_seconds == 0) return std::nullopt;
  busy_until = std::max(busy_until, free_at);
  timeline.span_seconds = (free_at - begin) * microsecond;
  return timeline;
}

/// Medians over the steps and devices; empty without an accelerator.
std::optional<Timeline> timeline_of(const jax::Trace& trace,
                                    const std::vector<jax::StepWindow>& steps) {
  std::vector<double> spans;
  std::vector<double> busy;
  std::vector<double> bound;
  std::vector<double> busy_until(std::max<std::size_t>(1, trace.devices), no_step);
  for (const jax::StepWindow& step : steps) {
    std::vector<DeviceRun> of_devices = device_runs(trace, step);
    for (std::size_t device = 0; device < of_devices.size(); ++device) {
      const auto one = timeline_of(std::move(of_devices[device]), step, busy_until[device]);
      if (!one) continue;
      spans.push_back(one->span_seconds);
      busy.push_back(one->busy_seconds);
      bound.push_back(one->host_bound_seconds);
    }
  }
  if (spans.empty()) return std::nullopt;
  return Timeline{.span_seconds = median(spans),
                  .busy_seconds = median(busy),
                  .host_bound_seconds = median(bound)};
}

/// Throws if the trace is of another program than the text: instructions of different programs may
/// have the same names.
void require_same_program(const jax::Trace& traced, const jax::Program& program,
                          const ProfileFile& trace) {
  if (program.name().empty() || traced.modules.empty()) return;
  for (const std::string& name : traced.modules) {
    if (name == program.name() || name.starts_with(program.name() + '(')) return;
  }
  throw trace.error("is of the program " + *traced.modules.rbegin() + ", and XLA's text is of " +
                    program.name());
}

/// Replaces a stated precision that no product of the program has.
void check_precision(Profile& profile, const jax::Program& program) {
  const std::set<std::string> found = program.product_precisions();
  if (found.empty() || found.contains(profile.precision)) return;
  const bool is_one = found.size() == 1 || found == std::set<std::string>{"fp32", "tf32"};
  const std::string ran_at = is_one ? *found.begin() : "mixed";
  profile.remarks.push_back("its products ran at " + ran_at + "; " + profile.precision +
                            " is what was said to scripts/profile-jax");
  profile.precision = ran_at;
}

/// "products of f64 (2), beta 0.5 (1)".
std::string with_counts(const std::map<std::string, std::size_t>& remarks) {
  std::vector<std::string> parts;
  for (const auto& [remark, count] : remarks) {
    parts.push_back(remark + " (" + std::to_string(count) + ")");
  }
  return text::join(parts, ", ");
}

/// Says which of the instructions that ran have no problem because of their types or settings, or
/// one that is not quite what they do.
void note_untold(Profile& profile, const jax::Program& program) {
  std::map<std::string, std::size_t> without;
  std::map<std::string, std::size_t> other;
  for (const ProfiledNode& node : profile.nodes) {
    for (const jax::ToldPart& told : program.told_parts(node.name)) {
      if (!told.remark.empty()) ++(told.part.problem.empty() ? without : other)[told.remark];
    }
  }
  if (!without.empty()) profile.remarks.push_back("no problem describes " + with_counts(without));
  if (!other.empty()) {
    profile.remarks.push_back("problems write results of the operands' type: " +
                              with_counts(other));
  }
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
  const jax::Trace trace = jax::read_trace(document);
  Profile profile{.path = document.path(), .framework = trace.is_tensorflow ? "tensorflow" : "jax"};
  if (trace.runs.empty()) {
    throw document.error(
        "is a trace of JAX or TensorFlow in which no instruction ran: trace a run of the program");
  }
  auto steps = trace.steps;
  if (steps.empty()) {
    steps.emplace_back(no_step, std::numeric_limits<double>::max());
  }
  profile.steps = steps.size();
  profile.nodes = instruction_nodes(trace, steps, jax::Program(""));
  profile.timeline = timeline_of(trace, steps);
  if (!profile.timeline) {
    throw document.error(
        "is a trace of JAX on a processor, which tells neither latency nor sizes: "
        "scripts/profile-jax records these");
  }
  profile.remarks = trace.remarks;
  profile.remarks.emplace_back(
      trace.is_tensorflow
          ? "it is a trace of TensorFlow, which does not tell the sizes of operators"
          : "it is a trace of JAX without XLA's text: sizes of its operators are not known; "
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
    if (!trace.root().at("traceEvents").is_array()) throw trace.error("has no traceEvents");
    const jax::Trace traced = jax::read_trace(trace);
    if (traced.steps.empty()) throw trace.error("has no step");
    profile.steps = traced.steps.size();
    require_same_program(traced, program, trace);
    profile.nodes = instruction_nodes(traced, traced.steps, program);
    profile.timeline = timeline_of(traced, traced.steps);
    profile.remarks.insert(profile.remarks.end(), traced.remarks.begin(), traced.remarks.end());
    return 0;
  });
  note_untold(profile, program);
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
