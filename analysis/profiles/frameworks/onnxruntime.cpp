// ONNX Runtime: files of scripts/profile-onnxruntime, with latencies and its own profile events,
// and bare files of such events.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/profiles/file/profile_file.h"
#include "analysis/profiles/onnxruntime/events.h"
#include "analysis/profiles/profile.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using onnxruntime::Event;
using onnxruntime::Index;
using onnxruntime::Operator;
using onnxruntime::Recorded;
using onnxruntime::RunWindow;

struct Run {
  /// With the profiler on, and with the time between the operators.
  double seconds = 0;
  std::vector<Event> events{};
};

/// Runs of several threads at the same time have the operators of their own thread.
std::vector<Run> split(const std::vector<Event>& events, const std::vector<RunWindow>& windows) {
  double latest = 0;
  bool overlap = false;
  for (const RunWindow& window : windows) {
    overlap = overlap || (&window != &windows.front() && window.start < latest);
    latest = std::max(latest, window.end);
  }
  std::vector<Run> runs;
  for (std::size_t at = 0; at < windows.size(); ++at) {
    const RunWindow& window = windows[at];
    // In whole microseconds, the last operator may take none and start with the run's end.
    const bool has_end = at + 1 == windows.size() || windows[at + 1].start > window.end;
    Run& run = runs.emplace_back((window.end - window.start) * 1e-6);
    const auto first = std::ranges::lower_bound(events, window.start, {}, &Event::start);
    const auto last =
        has_end ? std::ranges::upper_bound(first, events.end(), window.end, {}, &Event::start)
                : std::ranges::lower_bound(first, events.end(), window.end, {}, &Event::start);
    std::copy_if(first, last, std::back_inserter(run.events),
                 [&](const Event& event) { return !overlap || event.thread == window.thread; });
  }
  return runs;
}

/// Equal for runs of the same operators, as often, with the same shapes.
std::vector<Index> content(const Run& run) {
  std::vector<Index> ops;
  for (const Event& event : run.events) ops.push_back(event.op);
  std::ranges::sort(ops);
  return ops;
}

/// Leaves the runs that most others are like (the last of equally common ones).
void keep_alike(std::vector<Run>& runs) {
  std::map<std::vector<Index>, std::vector<std::size_t>> alike;
  for (std::size_t run = 0; run < runs.size(); ++run) alike[content(runs[run])].push_back(run);
  if (alike.size() < 2) return;
  const auto best = std::ranges::max_element(alike, {}, [](const auto& group) {
    return std::pair(group.second.size(), group.second.back());
  });
  std::vector<Run> kept;
  for (const std::size_t run : best->second) kept.push_back(std::move(runs[run]));
  runs = std::move(kept);
}

/// An operator in a loop may run with several shapes: then it states none.
void state_shapes(ProfiledNode& node, const Operator& op, bool is_first) {
  if (is_first) {
    node.inputs = op.inputs;
    node.outputs = op.outputs;
  } else if (node.inputs != op.inputs || node.outputs != op.outputs) {
    node.inputs.clear();
    node.outputs.clear();
  }
}

/// Median over the runs of each node's time per run, in the order of the first run.
std::vector<ProfiledNode> nodes_of(const std::vector<Run>& runs, const std::vector<Operator>& ops) {
  using Identity = std::pair<std::string, std::string>;  // names may repeat, indices do not
  std::vector<ProfiledNode> nodes;
  std::map<Identity, std::size_t> places;
  std::vector<std::optional<std::size_t>> places_of_ops(ops.size());
  std::vector<std::vector<double>> times;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const Event& event : runs[run].events) {
      std::optional<std::size_t>& place = places_of_ops[event.op];
      if (!place) {
        const Operator& op = ops[event.op];
        const auto [known, added] = places.try_emplace({op.name, op.index}, nodes.size());
        place = known->second;
        if (added) {
          nodes.push_back({.name = op.name,
                           .origin = onnxruntime::origin_of(op.name),
                           .replaced = onnxruntime::replaced_tensor(op.name),
                           .op = onnxruntime::onnx_op(op.op),
                           .seconds = 0,
                           .does_next = onnxruntime::does_next(op.name),
                           .does_activation = onnxruntime::does_activation(op.name)});
          times.emplace_back(runs.size());
        }
        state_shapes(nodes[*place], op, added);
      }
      times[*place][run] += event.microseconds * 1e-6;
    }
  }
  for (std::size_t node = 0; node < nodes.size(); ++node) set_times(nodes[node], times[node]);
  return nodes;
}

/// The precision of the products' operands, "mixed" if there are several; empty if not stated.
/// "fp64" is like no precision of the results, which the comparison says.
std::string product_precision(const std::vector<Run>& runs, const std::vector<Operator>& ops) {
  std::vector<bool> ran(ops.size());
  for (const Run& run : runs) {
    for (const Event& event : run.events) ran[event.op] = true;
  }
  std::set<std::string_view> types;
  for (std::size_t at = 0; at < ops.size(); ++at) {
    const std::string op = onnxruntime::onnx_op(ops[at].op);
    const bool is_product = op == "Conv" || op == "Gemm" || op == "MatMul" || op == "ConvTranspose";
    if (ran[at] && is_product) types.insert(ops[at].type);
  }
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"float", "fp32"}, {"float16", "fp16"}, {"bfloat16", "bf16"}, {"double", "fp64"}};
  std::set<std::string_view> found;
  for (const auto& [type, precision] : names) {
    if (types.contains(type)) found.insert(precision);
  }
  if (found.empty()) return "";
  return found.size() > 1 ? "mixed" : std::string(*found.begin());
}

/// Says what the trace states besides, or does not. `ran_at`: product_precision().
void add_remarks(Profile& profile, std::size_t other_runs, const std::string& ran_at) {
  if (other_runs > 0) {
    profile.remarks.push_back(std::to_string(other_runs) +
                              " of the trace's runs did other operators, or with other shapes, and "
                              "are left out");
  }
  const bool has_shapes = std::ranges::any_of(
      profile.nodes, [](const ProfiledNode& node) { return !node.outputs.empty(); });
  if (!has_shapes && !profile.nodes.empty()) {
    profile.remarks.push_back(
        "it states no shapes: whether its dimensions are the graph's is not known, only names, "
        "model and batch were compared; write it again with scripts/profile-onnxruntime");
  }
  if (!ran_at.empty() && ran_at != profile.precision && !profile.precision.empty()) {
    profile.remarks.push_back("its products ran at " + ran_at + ", its inputs are of " +
                              profile.precision);
  }
  if (!ran_at.empty()) profile.precision = ran_at;
}

/// A file that ONNX Runtime itself wrote: events alone.
bool is_raw(const ProfileFile& document) {
  return !document.root().contains("framework") && !document.categories().contains("cpu_op") &&
         (document.categories().contains("Session") || document.categories().contains("Node"));
}

bool recognises_onnxruntime(const ProfileFile& document) {
  return document.root().value("framework", "") == "onnxruntime" || is_raw(document);
}

/// What scripts/profile-onnxruntime says besides the events.
Profile described_run(const ProfileFile& document) {
  const json& root = document.root();
  document.require_schema(1);
  if (!root.at("trace").is_array()) throw document.error("has no trace");
  Profile profile = described(document, "onnxruntime");
  profile.threads = optional_member<std::int64_t>(root, "threads");
  profile.versions = optional_member<std::map<std::string, std::string>>(root, "versions")
                         .value_or(std::map<std::string, std::string>());
  return profile;
}

/// Of a file without a description, the runs with the profiler on are all there is.
void describe_raw(Profile& profile, const Recorded& recorded, const std::vector<Run>& runs,
                  const ProfileFile& document) {
  if (recorded.runs.empty() && document.lacks_end()) {
    throw document.error("is cut short: no run of the model is complete in it");
  }
  if (recorded.runs.empty()) {
    throw document.error("has no run of the model: profile a session that runs it");
  }
  profile.remarks.push_back(
      "it is ONNX Runtime's own profile: the latency is that of runs with the profiler on, which "
      "are longer; scripts/profile-onnxruntime also measures without");
  std::size_t most = 1;
  for (const Run& run : runs) {
    std::set<Index> threads;
    for (const Event& event : run.events) threads.insert(event.thread);
    most = std::max(most, threads.size());
  }
  if (most > 1) {
    profile.remarks.push_back("its operators ran in " + std::to_string(most) +
                              " threads beside one another: their times may add up to more than "
                              "the latency");
  }
}

/// A program that is stopped leaves operators of a run that does not end.
void note_incomplete(Profile& profile, const Recorded& recorded, const std::vector<Run>& runs) {
  if (recorded.negative > 0) {
    profile.remarks.push_back(std::to_string(recorded.negative) +
                              " of its operators end before they begin: they count as 0 us");
  }
  if (recorded.told_twice > 0) {
    profile.remarks.push_back(std::to_string(recorded.told_twice) +
                              " of its events stand there twice and count once");
  }
  std::size_t outside = recorded.events.size();
  for (const Run& run : runs) outside -= std::min(outside, run.events.size());
  if (outside == 0) return;
  profile.remarks.push_back(std::to_string(outside) +
                            " of its operators ran outside of complete runs and are left out");
}

Profile import_onnxruntime(const ProfileFile& document) {
  const bool raw = is_raw(document);
  Profile profile =
      raw ? Profile{.path = document.path(), .framework = "onnxruntime"} : described_run(document);
  const Recorded recorded = onnxruntime::read_events(document);
  std::vector<Run> runs = split(recorded.events, recorded.runs);
  note_incomplete(profile, recorded, runs);
  if (raw) describe_raw(profile, recorded, runs, document);
  keep_alike(runs);
  profile.steps = std::max<std::size_t>(1, runs.size());
  profile.nodes = nodes_of(runs, recorded.ops);
  std::vector<double> seconds;
  for (const Run& run : runs) seconds.push_back(run.seconds);
  if (!seconds.empty()) profile.traced_seconds = median(seconds);
  if (raw) profile.latency_seconds = seconds;
  add_remarks(profile, recorded.runs.size() - runs.size(), product_precision(runs, recorded.ops));
  for (const std::string& provider : recorded.accelerators) {
    profile.options.push_back(provider);
    profile.launched_on += (profile.launched_on.empty() ? "" : ", ") + provider;
    profile.remarks.push_back(
        "operators ran on " + provider +
        ": their times are what the host took to launch them; the latency is that of the whole");
  }
  return profile;
}

}  // namespace

Importer onnxruntime_importer() {
  return {.framework = "onnxruntime",
          .recognises = recognises_onnxruntime,
          .import = import_onnxruntime};
}

}  // namespace benanza::analysis
