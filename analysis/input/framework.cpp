#include "analysis/input/framework.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/profile_match/same_model.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

bool is_at(const Profile& profile, const Choice& choice) {
  return profile.precision.empty() || profile.precision == to_string(choice.precision);
}

}  // namespace

const Profile* profile_of(const Question& question, const Graph& graph, const Choice& choice) {
  const Profile* found = nullptr;
  for (const Profile& profile : question.profiles) {
    if (is_of(profile, graph) && is_at(profile, choice)) found = &profile;
  }
  return found;
}

std::vector<FrameworkPick> picks_of(const Question& question, const Graph& graph,
                                    const Choice& choice, const std::vector<AlgorithmRow>& rows,
                                    const std::vector<LibraryCall>& calls) {
  const MeasurementSet& measurements = question.results.measurements;
  const Profile* profile = profile_of(question, graph, choice);
  if (profile == nullptr || !profile->timeline) {
    if (calls.empty()) return {};
    return framework_picks(graph, rows, measurements, choice, nullptr, calls);
  }
  const Profile run = one_run(*profile, graph);
  return framework_picks(graph, rows, measurements, choice, &run, calls);
}

void require_kernels(const Question& question) {
  for (const Profile& profile : question.profiles) {
    const std::string path = profile.path.string();
    if (!profile.timeline) {
      throw Error(path +
                  ": does not say which kernels a GPU ran: give a profile of "
                  "scripts/profile-pytorch, or leave it out");
    }
    const bool asked = std::any_of(question.choices.begin(), question.choices.end(),
                                   [&](const Choice& choice) { return is_at(profile, choice); });
    if (!asked) {
      throw Error(fmt::format("{}: profile of a run at {}: say --precision {}, or leave it out",
                              path, profile.precision, profile.precision));
    }
  }
}

std::vector<LibraryCall> read_api_logs(const std::vector<std::string>& paths,
                                       const Question& question) {
  if (!paths.empty() && (question.graphs.size() > 1 || question.choices.size() > 1)) {
    throw Error("--api-log: say of which run: give one --graph and one --precision");
  }
  std::vector<LibraryCall> calls;
  for (const std::string& path : paths) {
    const std::vector<LibraryCall> more = read_api_log(path);
    calls.insert(calls.end(), more.begin(), more.end());
  }
  return calls;
}

}  // namespace benanza::analysis
