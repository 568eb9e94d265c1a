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
  std::vector<Dims> inputs{};
  std::vector<Dims> outputs{};
  /// Element type of the first operand; empty if not stated.
  std::string type{};
};

/// [start, end) of one run of the model.
using TimeSpan = std::pair<double, double>;

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

/// True if the name says that more than the layer it names is done: its activation, or the sum
/// after a product.
bool does_next(std::string_view name) {
  return name.starts_with("fused ") || name.find("/MatMulAddFusion") != name.npos;
}

std::string onnx_op(std::string op) {
  remove_prefix(op, "Fused");
  remove_prefix(op, "Nhwc");
  return op;
}

/// Reads [{"float": [1, 3, 224, 224]}, ...]; a shape that is none of a tensor is skipped.
std::vector<Dims> shapes_of(const json& arguments, const char* name) {
  std::vector<Dims> shapes;
  for (const json& one : arguments.value(name, json::array())) {
    if (!one.is_object() || one.empty() || !one.front().is_array()) continue;
    shapes.push_back(one.front().get<Dims>());
  }
  return shapes;
}

std::string first_type(const json& arguments) {
  const json inputs = arguments.value("input_type_shape", json::array());
  if (inputs.empty() || !inputs.front().is_object() || inputs.front().empty()) return "";
  return inputs.front().begin().key();
}

std::vector<TimeSpan> runs_of(const json& trace) {
  std::vector<TimeSpan> runs;
  for (const json& event : trace) {
    if (event.value("name", "") != "model_run") continue;
    const auto start = event.at("ts").get<double>();
    runs.emplace_back(start, start + event.at("dur").get<double>());
  }
  std::ranges::sort(runs);
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
                      .op = arguments.at("op_name").get<std::string>(),
                      .inputs = shapes_of(arguments, "input_type_shape"),
                      .outputs = shapes_of(arguments, "output_type_shape"),
                      .type = first_type(arguments)});
  }
  std::ranges::stable_sort(events, [](const Event& a, const Event& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  take_bodies_out(events);
  return events;
}

struct Run {
  /// With the profiler on, and with the time between the operators.
  double seconds = 0;
  std::vector<Event> events{};
};

std::vector<Run> split(const std::vector<Event>& events, const std::vector<TimeSpan>& windows) {
  std::vector<Run> runs;
  for (const auto& [begin, end] : windows) {
    Run& run = runs.emplace_back((end - begin) * 1e-6);
    for (const Event& event : events) {
      if (event.start >= begin && event.start < end) run.events.push_back(event);
    }
  }
  return runs;
}

/// Equal for runs of the same operators, as often, with the same shapes.
std::vector<std::string> content(const Run& run) {
  std::vector<std::string> lines;
  for (const Event& event : run.events) {
    std::string& line = lines.emplace_back(event.op + ' ' + event.index + ' ' + event.name);
    for (const auto* shapes : {&event.inputs, &event.outputs}) {
      for (const Dims& shape : *shapes) line += ' ' + join(shape, 'x');
      line += " ->";
    }
  }
  std::ranges::sort(lines);
  return lines;
}

/// Leaves the runs that most others are like (the last of equally common ones).
void keep_alike(std::vector<Run>& runs) {
  std::vector<std::vector<std::string>> contents;
  for (const Run& run : runs) contents.push_back(content(run));
  std::vector<std::string> best;
  std::ptrdiff_t most = 0;
  for (const auto& one : contents) {
    const auto alike = std::ranges::count(contents, one);
    if (alike < most) continue;
    most = alike;
    best = one;
  }
  std::erase_if(runs, [&](const Run& run) { return content(run) != best; });
}

/// An operator in a loop may run with several shapes: then it states none.
void state_shapes(ProfiledNode& node, const Event& event, bool is_first) {
  if (is_first) {
    node.inputs = event.inputs;
    node.outputs = event.outputs;
  } else if (node.inputs != event.inputs || node.outputs != event.outputs) {
    node.inputs.clear();
    node.outputs.clear();
  }
}

/// Median over the runs of each node's time per run, in the order of the first run.
std::vector<ProfiledNode> nodes_of(const std::vector<Run>& runs) {
  using Identity = std::pair<std::string, std::string>;  // names may repeat, indices do not
  std::vector<ProfiledNode> nodes;
  std::map<Identity, std::size_t> places;
  std::vector<std::vector<double>> times;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const Event& event : runs[run].events) {
      const auto [place, added] = places.try_emplace({event.name, event.index}, nodes.size());
      if (added) {
        nodes.push_back({.name = event.name,
                         .origin = origin_of(event.name),
                         .op = onnx_op(event.op),
                         .seconds = 0,
                         .does_next = does_next(event.name)});
        times.emplace_back(runs.size());
      }
      state_shapes(nodes[place->second], event, added);
      times[place->second][run] += event.microseconds * 1e-6;
    }
  }
  for (std::size_t node = 0; node < nodes.size(); ++node) set_times(nodes[node], times[node]);
  return nodes;
}

/// The precision of the products' operands, "mixed" if there are several; empty if not stated.
std::string product_precision(const std::vector<Run>& runs) {
  std::set<std::string_view> types;
  for (const Run& run : runs) {
    for (const Event& event : run.events) {
      const std::string op = onnx_op(event.op);
      if (op == "Conv" || op == "Gemm" || op == "MatMul" || op == "ConvTranspose") {
        types.insert(event.type);
      }
    }
  }
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"float", "fp32"}, {"float16", "fp16"}, {"bfloat16", "bf16"}};
  std::set<std::string_view> found;
  for (const auto& [type, precision] : names) {
    if (types.contains(type)) found.insert(precision);
  }
  if (found.empty()) return "";
  return found.size() > 1 ? "mixed" : std::string(*found.begin());
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
  if (!ran_at.empty() && ran_at != profile.precision) {
    profile.remarks.push_back("its products ran at " + ran_at + ", its inputs are of " +
                              profile.precision);
    profile.precision = ran_at;
  }
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
  std::vector<Run> runs = split(events_of(trace), runs_of(trace));
  const std::size_t recorded = runs.size();
  keep_alike(runs);
  profile.steps = std::max<std::size_t>(1, runs.size());
  profile.nodes = nodes_of(runs);
  std::vector<double> seconds;
  for (const Run& run : runs) seconds.push_back(run.seconds);
  if (!seconds.empty()) profile.traced_seconds = median(seconds);
  profile.versions = optional_member<std::map<std::string, std::string>>(root, "versions")
                         .value_or(std::map<std::string, std::string>());
  add_remarks(profile, recorded - runs.size(), product_precision(runs));
  for (const std::string& provider : accelerators_of(trace)) {
    profile.version += ' ' + provider;
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
