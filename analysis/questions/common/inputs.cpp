#include "analysis/questions/common/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "analysis/input/results.h"
#include "analysis/model/device_rates.h"
#include "analysis/profile_match/same_model.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "record/logs/shared/nvidia_log.h"

namespace benanza::analysis {
namespace {

void require_backend(const std::string& backend, const Results& results) {
  if (backend.empty() || results.systems.contains(backend)) return;
  std::string known;
  for (const auto& [name, system] : results.systems) known += ' ' + name;
  throw Error("--backend " + backend + ": has no results; there are results of:" + known);
}

/// The kind of device that the profiles are of; empty if there are none.
std::optional<DeviceKind> profiled_kind(const Inputs& inputs) {
  for (const auto* profiles : {&inputs.profiles, &inputs.seen}) {
    for (const Profile& profile : *profiles) {
      return profile.is_of_gpu() ? DeviceKind::gpu : DeviceKind::processor;
    }
  }
  return std::nullopt;
}

/// Rejects a profile of a GPU with results of CPU libraries only, and vice versa.
void require_same_kind(const Profile& profile, const Results& results) {
  const bool gpu = profile.is_of_gpu();
  if (results.systems.empty()) return;
  std::string backends;
  for (const auto& [backend, system] : results.systems) {
    if (system.contains("device") == gpu) return;
    backends += (backends.empty() ? "" : ", ") + backend;
  }
  throw Error(
      fmt::format("{}: profile of a run on {}, and the results ({}) are of {}; give results "
                  "of the profile's device, or leave the profile out",
                  profile.path.string(), gpu ? "a GPU" : "a processor", backends,
                  gpu ? "a processor" : "a GPU"));
}

/// Rejects a profile of another processor or GPU than the results'.
void require_same_device(const Profile& profile, const Results& results) {
  for (const auto& [backend, system] : results.systems) {
    const auto device = other_device(profile, system);
    if (!device) continue;
    throw Error(
        fmt::format("{}: profile of a run on {}, and the results ({}) are of {}; profile on the "
                    "device of the results, or leave the profile out",
                    profile.path.string(), profile.device, backend, *device));
  }
}

/// Reads several graphs in parallel; returns them in the order of `paths`.
std::vector<Graph> read_graphs(const std::vector<std::string>& paths) {
  const std::size_t most = std::max(2U, std::thread::hardware_concurrency());
  std::deque<std::future<Graph>> reading;
  std::vector<Graph> graphs;
  const auto take_first = [&] {
    graphs.push_back(reading.front().get());
    reading.pop_front();
  };
  for (const std::string& path : paths) {
    if (reading.size() == most) take_first();
    reading.push_back(std::async(std::launch::async, [&path] { return read_graph(path); }));
  }
  while (!reading.empty()) take_first();
  return graphs;
}

}  // namespace

const Graph& graph_of(const Profile& profile, const std::vector<Graph>& graphs,
                      std::string_view otherwise) {
  std::string titles;
  for (const Graph& graph : graphs) {
    if (is_of(profile, graph)) return graph;
    if (!titles.empty()) titles += "; ";
    titles += title(graph);
  }
  throw Error(fmt::format(
      "{}: profile of another model: of {}{}, and the graphs are of {}; give "
      "that model's --graph{}",
      profile.path.string(), profile.model,
      profile.batch ? fmt::format(", batch {}", *profile.batch) : "", titles, otherwise));
}

std::vector<LibraryCall> read_api_logs(const std::vector<std::string>& paths) {
  std::vector<LibraryCall> calls;
  for (const std::string& path : paths) {
    const std::vector<LibraryCall> more = record::read_api_log(path);
    calls.insert(calls.end(), more.begin(), more.end());
  }
  return calls;
}

namespace {

/// The files that a flag names: one, or those of scripts/bench in a folder.
std::vector<std::filesystem::path> files_of(const std::string& path, std::string_view suffix,
                                            std::string_view other_suffix = {}) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    const bool is_other = !other_suffix.empty() && name.ends_with(other_suffix);
    if (name.ends_with(suffix) && !is_other) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// Reads sequences or plans, and adds them with their files. Throws Error for one of another model,
/// unless it is one of many in a folder.
template <class Run>
void add_runs(const std::string& path, const std::vector<std::filesystem::path>& files,
              Run (*read)(const std::filesystem::path&), const char* what,
              const std::vector<Graph>& graphs, std::vector<Run>& runs,
              std::vector<std::filesystem::path>& from) {
  const std::size_t before = runs.size();
  const bool is_folder = std::filesystem::is_directory(path);
  for (const std::filesystem::path& file : files) {
    Run run = read(file);
    if (std::ranges::any_of(graphs, [&](const Graph& one) { return is_of(run, one); })) {
      runs.push_back(std::move(run));
      from.push_back(file);
    } else if (!is_folder) {
      throw Error(fmt::format("{}: a {} of {}, which is none of the graphs; leave the {} out", path,
                              what, run.model, what));
    }
  }
  if (runs.size() == before) throw Error(fmt::format("{}: has no {} of these models", path, what));
}

/// As a shell reads it as one word.
std::string shell_word(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// Inputs::asked.
std::string asked_text(const CommonFlags& flags) {
  std::string text;
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", flag, shell_word(value));
  };
  for (const std::string& path : flags.results) add("--results", path);
  add("--layout", flags.layout);
  add("--backend", fmt::format("{}", fmt::join(flags.backends, ",")));
  add("--fallback", flags.fallback);
  add("--max-workspace", flags.max_workspace);
  if (flags.movement != "exclude") add("--movement", flags.movement);
  return text;
}

}  // namespace

Inputs read_inputs(const CommonFlags& flags) {
  if (flags.graphs.empty()) throw Error("say which model: --graph <model>.graph.json");
  if (flags.results.empty()) throw Error("say where the results are: --results FILE|DIR|DB");
  // Check the flags first, so that a typo does not cost the reading of many files.
  Inputs inputs{.format = flags.format};
  for (const std::string& precision : precisions_of(flags, {})) filter_of(flags, precision);
  inputs.rows = rows_of(flags);
  inputs.movement = movement_of(flags);
  inputs.allow_missing = flags.allow_missing;
  inputs.graphs = read_graphs(flags.graphs);
  for (const std::string& precision : precisions_of(flags, inputs.graphs)) {
    inputs.filters.push_back(filter_of(flags, precision));
  }
  for (const std::string& path : flags.graphs) inputs.graph_paths.push_back(shell_word(path));
  inputs.asked = asked_text(flags);
  const auto read = [&](const std::vector<std::string>& paths, std::vector<Profile>& profiles) {
    for (const std::string& path : paths) {
      profiles.push_back(read_profile(path));
      graph_of(profiles.back(), inputs.graphs, ", or leave the profile out");
    }
  };
  read(flags.profiles, inputs.profiles);
  read(flags.seen, inputs.seen);
  std::vector<std::filesystem::path> sequences;
  std::vector<std::filesystem::path> plans;
  for (const std::string& path : flags.sequences) {
    add_runs(path, files_of(path, ".json", ".calls.json"), read_sequence_run, "sequence",
             inputs.graphs, inputs.sequences, sequences);
  }
  for (const std::string& path : flags.plans) {
    add_runs(path, files_of(path, ".run.json"), read_plan_run, "plan", inputs.graphs, inputs.plans,
             plans);
  }
  inputs.results =
      read_results({flags.results.begin(), flags.results.end()}, problem_keys(inputs.graphs));
  for (const std::string& backend : flags.backends) require_backend(backend, inputs.results);
  for (MeasurementFilter& filter : inputs.filters) {
    if (!flags.fallback.empty()) break;
    filter.fallback =
        usual_fallback(filter.precision, problem_keys(inputs.graphs), inputs.results.measurements);
  }
  inputs.left_out = keep_one_device(inputs.results, first_backend(flags), profiled_kind(inputs));
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    require_same_systems(inputs.sequences[i].systems, inputs.results.systems, sequences[i],
                         "sequence");
  }
  for (std::size_t i = 0; i < plans.size(); ++i) {
    require_same_systems(inputs.plans[i].systems, inputs.results.systems, plans[i], "plan");
  }
  for (const auto* profiles : {&inputs.profiles, &inputs.seen}) {
    for (const Profile& profile : *profiles) {
      require_same_kind(profile, inputs.results);
      require_same_device(profile, inputs.results);
    }
  }
  inputs.from_memory = with_weights_from_memory(inputs.results.measurements);
  return inputs;
}

const MeasurementSet& measurements_of(const Inputs& inputs, const Graph& graph,
                                      const MeasurementFilter& filter) {
  return measurements_of(graph, filter, inputs.results, inputs.from_memory);
}

Prices read_prices(const std::string& path) {
  Prices prices;
  if (path.empty()) return prices;
  const auto wrong = [&] {
    return Error(path + ": expected {\"name of a device\": USD per hour, ...}");
  };
  const auto table = nlohmann::json::parse(read_file(path), nullptr, false);
  if (!table.is_object()) throw wrong();
  for (const auto& [name, price] : table.items()) {
    if (!price.is_number() || price.get<double>() < 0) throw wrong();
    prices[name] = price.get<double>();
  }
  return prices;
}

std::string device_of(const std::map<std::string, System>& systems) {
  for (const char* field : {"device", "cpu_model"}) {
    for (const auto& [backend, system] : systems) {
      const auto name = system.find(field);
      if (name != system.end()) return name->second;
    }
  }
  return "unknown device";
}

}  // namespace benanza::analysis
