#include "analysis/questions/serve/plan_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "analysis/input/run_files.h"
#include "core/base/error.h"
#include "core/problem/name.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

std::vector<std::filesystem::path> run_files(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.path().filename().string().ends_with("run.json")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  if (files.empty()) {
    throw Error(path + ": has no run of a plan: no file whose name ends in run.json");
  }
  return files;
}

/// Whether the run says that it is of the graph, or all that it does is in the graph.
bool is_certain(const PlanRun& run, const Graph& graph) {
  if (!is_of(run, graph)) return false;
  if (!run.metadata.empty()) return run.metadata == graph.metadata;
  const auto keys = problem_keys({graph});
  return !run.calls.empty() && std::ranges::all_of(run.calls, [&](const PlanRun::Call& one) {
    return keys.contains(parse_variant_name(one.call).key);
  });
}

std::string point_text(const PlanRun& run) {
  std::string text = run.model;
  if (run.batch) text += fmt::format(", batch {}", *run.batch);
  for (const char* const name : {"model", "phase", "past", "new", "weights", "cache"}) {
    const auto found = run.metadata.find(name);
    if (found != run.metadata.end()) text += fmt::format(", {} {}", name, found->second);
  }
  return text;
}

/// Empty if the run counts for the one graph in `found`.
std::string why_unused(const PlanRun& run, const std::vector<const Graph*>& found,
                       const std::vector<MeasurementFilter>& filters) {
  if (run.by_heuristic) return "has the calls of the libraries' heuristics";
  if (!run.fused) return "is without fusion (--apart)";
  if (std::ranges::find(filters, run.precision, &MeasurementFilter::precision) == filters.end()) {
    return fmt::format("is at {}, which is not asked for", to_string(run.precision));
  }
  if (found.size() == 1) return {};
  if (found.size() > 1) {
    return fmt::format(
        "could be of {} of the graphs, as it does not say its step; make the plan and run it again",
        found.size());
  }
  if (run.metadata.empty() && run.calls.empty()) {
    return fmt::format("says neither its step nor its calls ({}); run the plan again",
                       point_text(run));
  }
  return fmt::format("is of {}, which is none of the graphs", point_text(run));
}

}  // namespace

PlannedRuns::PlannedRuns(const std::vector<std::string>& paths, const Inputs& inputs) {
  std::set<std::filesystem::path> seen;
  for (const std::string& path : paths) {
    for (const std::filesystem::path& file : run_files(path)) {
      if (!seen.insert(std::filesystem::weakly_canonical(file)).second) continue;
      const PlanRun run = read_plan_run(file);
      std::vector<const Graph*> found;
      for (const Graph& graph : inputs.graphs) {
        if (is_certain(run, graph)) found.push_back(&graph);
      }
      if (std::string reason = why_unused(run, found, inputs.filters); !reason.empty()) {
        unused_.push_back({file.string(), std::move(reason)});
        continue;
      }
      require_same_systems(run.systems, inputs.results.systems, file, "plan");
      used_.push_back({found.front(), run.precision, median(run.seconds)});
      if (run.metadata.empty()) ++known_by_calls_;
    }
  }
}

PlannedSeconds PlannedRuns::at(Precision precision) const {
  PlannedSeconds planned;
  for (const Used& one : used_) {
    if (one.precision != precision) continue;
    const auto [known, is_new] = planned.try_emplace(one.graph, one.seconds);
    if (!is_new) known->second = std::min(known->second, one.seconds);
  }
  return planned;
}

}  // namespace benanza::analysis
