// ONNX Runtime: files of scripts/profile-onnxruntime, with latencies and its own profile events.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/profiles/profile.h"
#include "analysis/profiles/repeats.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;

constexpr std::string_view kernel_suffix = "_kernel_time";

/// One run of one operator.
struct Event {
  double start = 0;
  double end = 0;
  /// Exclusive time: without the operators in its body.
  double microseconds = 0;
  std::string name;
  std::string index;
  std::string op;
};

/// [start, end) of one run of the model.
using Window = std::pair<double, double>;

bool remove_prefix(std::string& text, std::string_view prefix) {
  if (!std::string_view(text).starts_with(prefix)) return false;
  text.erase(0, prefix.size());
  return true;
}

bool remove_suffix(std::string& text, std::string_view suffix) {
  if (!std::string_view(text).ends_with(suffix) || text.size() == suffix.size()) return false;
  text.erase(text.size() - suffix.size());
  return true;
}

/// ONNX Runtime names the results of its optimisers after their first node ("fused conv1",
/// "fc/MatMulAddFusion") or, in its blocked layout, after the last tensor they compute ("r_nchwc").
std::string origin_of(std::string name) {
  while (remove_prefix(name, "fused ")) {
  }
  while (remove_suffix(name, "_nchwc") || remove_suffix(name, "_nhwc") ||
         remove_suffix(name, "/MatMulAddFusion")) {
  }
  return name;
}

std::string onnx_op(std::string op) {
  remove_prefix(op, "Fused");
  remove_prefix(op, "Nhwc");
  return op;
}

std::vector<Window> runs_of(const json& trace) {
  std::vector<Window> runs;
  for (const json& event : trace) {
    if (event.value("name", "") != "model_run") continue;
    const auto start = event.at("ts").get<double>();
    runs.emplace_back(start, start + event.at("dur").get<double>());
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

/// Subtracts the time of the operators in a body from that of their If, Loop or Scan. In `events`,
/// outer operators come before inner ones.
void take_bodies_out(std::vector<Event>& events) {
  std::vector<Event*> around;
  for (Event& event : events) {
    while (!around.empty() && around.back()->end <= event.start) around.pop_back();
    if (!around.empty() && event.end <= around.back()->end) {
      around.back()->microseconds =
          std::max(0.0, around.back()->microseconds - (event.end - event.start));
    }
    if (event.op == "If" || event.op == "Loop" || event.op == "Scan") around.push_back(&event);
  }
}

std::vector<Event> events_of(const json& trace) {
  std::vector<Event> events;
  for (const json& row : trace) {
    auto name = row.value("name", "");
    if (row.value("cat", "") != "Node" || !remove_suffix(name, kernel_suffix)) continue;
    const json& arguments = row.at("args");
    const auto start = row.at("ts").get<double>();
    const auto microseconds = row.at("dur").get<double>();
    events.push_back({.start = start,
                      .end = start + microseconds,
                      .microseconds = microseconds,
                      .name = name,
                      .index = arguments.at("node_index").get<std::string>(),
                      .op = arguments.at("op_name").get<std::string>()});
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  take_bodies_out(events);
  return events;
}

/// Median over the runs of each node's time per run, in the order of the first run.
std::vector<ProfiledNode> nodes_of(const std::vector<Event>& events,
                                   const std::vector<Window>& runs) {
  using Identity = std::pair<std::string, std::string>;  // names may repeat, indices do not
  std::vector<ProfiledNode> nodes;
  std::map<Identity, std::size_t> places;
  std::vector<std::vector<double>> times;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const Event& event : events) {
      if (event.start < runs[run].first || event.start >= runs[run].second) continue;
      const auto [place, added] = places.try_emplace({event.name, event.index}, nodes.size());
      if (added) {
        nodes.push_back({.name = event.name,
                         .origin = origin_of(event.name),
                         .op = onnx_op(event.op),
                         .seconds = 0});
        times.emplace_back(runs.size());
      }
      times[place->second][run] += event.microseconds * 1e-6;
    }
  }
  for (std::size_t node = 0; node < nodes.size(); ++node) set_times(nodes[node], times[node]);
  return nodes;
}

/// Returns the execution providers other than the CPU's. With an accelerator, an event lasts as
/// long as the host takes to launch the operator, unless the provider waits.
std::set<std::string> accelerators_of(const json& trace) {
  std::set<std::string> names;
  for (const json& row : trace) {
    if (row.value("cat", "") != "Node" || !row.contains("args")) continue;
    const auto provider = row["args"].value("provider", "");
    if (!provider.empty() && provider != "CPUExecutionProvider") names.insert(provider);
  }
  return names;
}

bool recognises_onnxruntime(const json& root) {
  return root.value("framework", "") == "onnxruntime";
}

Profile import_onnxruntime(const Document& document) {
  const json& root = document.root();
  document.require_schema(root, 1);
  Profile profile{.path = document.path(),
                  .framework = "onnxruntime",
                  .version = root.at("version").get<std::string>(),
                  .model = root.at("model").get<std::string>(),
                  .batch = optional_member<std::int64_t>(root, "batch"),
                  .precision = root.at("precision").get<std::string>(),
                  .threads = optional_member<std::int64_t>(root, "threads"),
                  .device = optional_member<std::string>(root, "device").value_or(""),
                  .latency_seconds = root.at("latency_seconds").get<std::vector<double>>(),
                  .nodes = {}};
  const json& trace = root.at("trace");
  profile.nodes = nodes_of(events_of(trace), runs_of(trace));
  for (const std::string& provider : accelerators_of(trace)) {
    profile.version += ' ' + provider;
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
