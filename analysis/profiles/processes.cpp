#include "analysis/profiles/processes.h"

#include <algorithm>

#include "analysis/profiles/file/profile_file.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;

bool are_times(const std::vector<double>& seconds) {
  return std::ranges::all_of(seconds, [](double value) { return value > 0; });
}

std::vector<ProcessRuns> processes_of(const json& owner, const ProfileFile& document) {
  std::vector<ProcessRuns> processes;
  for (const json& row : owner.value("processes", json::array())) {
    ProcessRuns runs{.latency_seconds = row.at("latency_seconds").get<std::vector<double>>(),
                     .graph_latency_seconds =
                         optional_member<std::vector<double>>(row, "cuda_graph_latency_seconds")
                             .value_or(std::vector<double>{})};
    if (runs.latency_seconds.empty() || !are_times(runs.latency_seconds) ||
        !are_times(runs.graph_latency_seconds)) {
      throw document.error("has a process without a latency");
    }
    processes.push_back(std::move(runs));
  }
  return processes;
}

/// The runs of all processes, in order.
std::vector<double> joined(const std::vector<ProcessRuns>& processes,
                           std::vector<double> ProcessRuns::*runs) {
  std::vector<double> all;
  for (const ProcessRuns& process : processes) {
    all.insert(all.end(), (process.*runs).begin(), (process.*runs).end());
  }
  return all;
}

}  // namespace

void read_processes(const ProfileFile& document, Profile& profile) {
  const json& root = document.root();
  profile.processes = processes_of(root, document);
  if (!profile.processes.empty() &&
      (joined(profile.processes, &ProcessRuns::latency_seconds) != profile.latency_seconds ||
       joined(profile.processes, &ProcessRuns::graph_latency_seconds) !=
           profile.graph_latency_seconds)) {
    throw document.error("has other latencies than its processes");
  }
  for (const json& row : root.value("fewer_threads", json::array())) {
    FewerThreads fewer{.threads = row.at("threads").get<std::int64_t>(),
                       .instead_of = row.at("instead_of").get<std::int64_t>(),
                       .processes = processes_of(row, document)};
    if (fewer.threads < 1 || fewer.threads >= fewer.instead_of || fewer.processes.empty()) {
      throw document.error("has a \"fewer_threads\" that no measurement gives");
    }
    profile.fewer_threads.push_back(std::move(fewer));
  }
}

}  // namespace benanza::analysis
